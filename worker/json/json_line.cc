#include "worker/json/json_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>

#include "worker/json/error_text.h"
#include "worker/json/json_row_parser.h"

namespace retinue::worker {
namespace {

static_assert(JsonRowParser::kPadding >= simdjson::SIMDJSON_PADDING);

constexpr size_t kDescribedBytesLimit = 40;

// The offset of the first byte that is not part of valid UTF-8.
size_t first_invalid_utf8(std::string_view text) {
  size_t valid = 0;
  for (size_t size = 1; size <= 4 && valid + size <= text.size();) {
    if (simdjson::validate_utf8(text.data() + valid, size)) {
      valid += size;
      size = 1;
    } else {
      ++size;
    }
  }
  return valid;
}

// The offset of the first control character that is no blank.
size_t first_control_character(std::string_view text) {
  const auto found = std::find_if(text.begin(), text.end(), [](char c) {
    return static_cast<uint8_t>(c) < 0x20 && c != '\t' && c != '\r' && c != '\n';
  });
  return found == text.end() ? 0 : static_cast<size_t>(found - text.begin());
}

}  // namespace

Result<void> JsonLine::open(std::string_view line, size_t readable) {
  if (readable < line.size() + JsonRowParser::kPadding) {
    padded_.assign(line);
    padded_.resize(line.size() + JsonRowParser::kPadding);
    line = std::string_view(padded_).substr(0, line.size());
    readable = padded_.size();
  }
  text_ = line;
  if (line.size() > parser_.capacity()) {
    if (const auto failure = parser_.allocate(std::bit_ceil(line.size())); failure) {
      return syntax_error(failure, line.data());
    }
  }
  const simdjson::padded_string_view padded(line.data(), line.size(), readable);
  if (const auto failure = parser_.iterate(padded).get(document_); failure) {
    return syntax_error(failure, line.data());
  }
  return {};
}

Error JsonLine::error_at(const char* where, std::string_view what) const {
  const auto offset = where == nullptr ? 0 : where - text_.data();
  const auto size = static_cast<std::ptrdiff_t>(text_.size());
  return {ErrorCode::kInvalidRecord,
          fmt::format("column {}: {}", std::clamp<std::ptrdiff_t>(offset, 0, size) + 1, what)};
}

Error JsonLine::syntax_error(simdjson::error_code code, const char* where) {
  const char* const start = text_.data();
  const char* const end = start + text_.size();
  switch (code) {
    case simdjson::EMPTY: return error_at(start, "expected a JSON object, found nothing");
    case simdjson::UTF8_ERROR:
      return error_at(start + first_invalid_utf8(text_), "expected valid UTF-8");
    case simdjson::UNCLOSED_STRING: return error_at(end, "expected a closing double quote");
    case simdjson::UNESCAPED_CHARS:
      return error_at(start + first_control_character(text_),
                      "expected control characters in strings to be escaped");
    case simdjson::INCOMPLETE_ARRAY_OR_OBJECT:
      return error_at(end, "expected a closing }, found the end");
    case simdjson::STRING_ERROR: return error_at(where, "expected valid escapes in the string");
    default: break;
  }
  if (where == nullptr && document_.current_location().get(where)) {
    where = end;
  }
  return error_at(where, fmt::format("expected valid JSON ({})", simdjson::error_message(code)));
}

std::string describe_token(std::string_view token) {
  token = token.substr(0, token.find_last_not_of(" \t\r\n") + 1);
  switch (token.empty() ? '\0' : token.front()) {
    case '\0': return "nothing";
    case '{': return "an object";
    case '[': return "a list";
    case '"':
      token.remove_prefix(1);
      return quote_text(token.substr(0, token.size() - (token.ends_with('"') ? 1 : 0)));
    default: break;
  }
  const std::string_view shown = token.substr(0, kDescribedBytesLimit);
  if (!std::all_of(shown.begin(), shown.end(), [](char c) { return c >= 0x20 && c < 0x7f; })) {
    return quote_text(token);
  }
  return token.size() > shown.size() ? std::string(shown) + "…" : std::string(shown);
}

}  // namespace retinue::worker
