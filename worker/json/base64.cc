#include "worker/json/base64.h"

#include <array>
#include <cstdint>

namespace retinue::worker {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr uint8_t kNoDigit = 0xff;

constexpr std::array<uint8_t, 256> kDigits = [] {
  std::array<uint8_t, 256> digits{};
  digits.fill(kNoDigit);
  for (size_t i = 0; i < kAlphabet.size(); ++i) {
    digits[static_cast<uint8_t>(kAlphabet[i])] = static_cast<uint8_t>(i);
  }
  return digits;
}();

}  // namespace

void append_base64(std::string& out, std::string_view bytes) {
  uint32_t bits = 0;
  int pending = 0;  // bits not written yet
  for (const char byte : bytes) {
    bits = (bits << 8) | static_cast<uint8_t>(byte);
    for (pending += 8; pending >= 6; pending -= 6) {
      out += kAlphabet[(bits >> (pending - 6)) & 63];
    }
  }
  if (pending > 0) {
    out += kAlphabet[(bits << (6 - pending)) & 63];
  }
  out.append((3 - bytes.size() % 3) % 3, '=');
}

bool decode_base64(std::string_view text, std::string& out) {
  out.clear();
  if (text.size() % 4 != 0) {
    return false;
  }
  for (int i = 0; i < 2 && !text.empty() && text.back() == '='; ++i) {
    text.remove_suffix(1);
  }
  uint32_t bits = 0;
  int pending = 0;
  for (const char c : text) {
    const uint8_t digit = kDigits[static_cast<uint8_t>(c)];
    if (digit == kNoDigit) {
      return false;
    }
    bits = (bits << 6) | digit;
    pending += 6;
    if (pending >= 8) {
      pending -= 8;
      out += static_cast<char>(bits >> pending);
    }
  }
  // What is left over of the last digit must be zeros, and less than a digit.
  return pending < 6 && (bits & ((1u << pending) - 1)) == 0;
}

}  // namespace retinue::worker
