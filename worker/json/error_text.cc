#include "worker/json/error_text.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "worker/json/byte_order_mark.h"

namespace retinue::worker {
namespace {

constexpr size_t kQuotedBytesLimit = 100;
// Longer names are compared by nobody's eye.
constexpr size_t kComparedBytesLimit = 64;

bool is_continuation_byte(char byte) {
  return (static_cast<uint8_t>(byte) & 0xc0) == 0x80;
}

// Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`.
size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before_last(b.size() + 1);
  std::vector<size_t> last(b.size() + 1);
  std::vector<size_t> current(b.size() + 1);
  std::iota(last.begin(), last.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      current[j] = std::min({last[j] + 1, current[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        current[j] = std::min(current[j], before_last[j - 2] + 1);
      }
    }
    before_last.swap(last);
    last.swap(current);
  }
  return last[b.size()];
}

}  // namespace

std::string quote_text(std::string_view text) {
  size_t end = text.size();
  if (end > kQuotedBytesLimit) {
    end = kQuotedBytesLimit;
    // Not in the middle of a character, if these are characters.
    for (int i = 0; i < 3 && is_continuation_byte(text[end]); ++i) {
      --end;
    }
  }
  const std::string_view shown = text.substr(0, end);
  const bool is_utf8 = simdjson::validate_utf8(shown.data(), shown.size());
  std::string out = "\"";
  for (size_t i = 0; i < shown.size(); ++i) {
    const char c = shown[i];
    const auto byte = static_cast<uint8_t>(c);
    if (shown.substr(i).starts_with(kByteOrderMark)) {
      // It is UTF-8, but nobody sees it.
      out += "\\xef\\xbb\\xbf";
      i += kByteOrderMark.size() - 1;
    } else if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (byte < 0x20 || byte == 0x7f || (byte >= 0x80 && !is_utf8)) {
      fmt::format_to(std::back_inserter(out), "\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
  out += end < text.size() ? "…\"" : "\"";
  return out;
}

std::string_view nearest_name(std::string_view name, std::span<const std::string_view> known) {
  if (name.empty() || name.size() > kComparedBytesLimit) {
    return {};
  }
  // One slip in three characters still looks like the same word; three in all are the limit.
  size_t best = std::clamp<size_t>(name.size() / 3, 1, 3) + 1;
  std::string_view nearest;
  for (const std::string_view candidate : known) {
    const size_t longer = std::max(candidate.size(), name.size());
    const size_t shorter = std::min(candidate.size(), name.size());
    if (longer - shorter >= best || candidate.size() > kComparedBytesLimit) {
      continue;
    }
    const size_t distance = edit_distance(name, candidate);
    // A replacement of everything is no hint.
    if (distance < best && distance < longer) {
      best = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

std::string did_you_mean(std::string_view name, std::span<const std::string_view> known) {
  const std::string_view nearest = nearest_name(name, known);
  return nearest.empty() ? std::string() : fmt::format(" (did you mean {}?)", quote_text(nearest));
}

}  // namespace retinue::worker
