#include "worker/log/printable.h"

#include <cstddef>
#include <cstdint>

namespace retinue::worker {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";

// The bytes of the character that `text` begins with; 0 when it is none.
size_t character_size(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t first = byte(0);
  if (first < 0x80) {
    return 1;
  }
  const size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < size) {
    return 0;
  }
  // The second byte's range keeps out overlong forms, surrogates and what is over U+10FFFF.
  const uint8_t low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
  const uint8_t high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
  if (byte(1) < low || byte(1) > high) {
    return 0;
  }
  for (size_t i = 2; i < size; ++i) {
    if ((byte(i) & 0xc0) != 0x80) {
      return 0;
    }
  }
  return size;
}

void append_escaped(std::string& out, uint8_t byte) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  out.append("\\x").append(1, kDigits[byte >> 4]).append(1, kDigits[byte & 15]);
}

template <typename AppendCharacter>
std::string converted(std::string_view text, AppendCharacter append_character) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const size_t size = character_size(text);
    if (size == 0) {
      out.append(kReplacement);
    } else {
      append_character(out, text.substr(0, size));
    }
    text.remove_prefix(size == 0 ? 1 : size);
  }
  return out;
}

}  // namespace

std::string printable(std::string_view text) {
  return converted(text, [](std::string& out, std::string_view character) {
    const auto first = static_cast<uint8_t>(character[0]);
    if (first == '\n') {
      out.append("\n    ");
    } else if ((first < 0x20 && first != '\t') || first == 0x7f) {
      append_escaped(out, first);
    } else if (first == 0xc2 && static_cast<uint8_t>(character[1]) < 0xa0) {
      append_escaped(out, static_cast<uint8_t>(character[1]));  // U+0080 to U+009F
    } else {
      out.append(character);
    }
  });
}

std::string valid_utf8(std::string_view text) {
  return converted(text,
                   [](std::string& out, std::string_view character) { out.append(character); });
}

}  // namespace retinue::worker
