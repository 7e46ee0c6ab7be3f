#include "protocol/yson/lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <limits>
#include <string>

namespace retinue::yson {

namespace {

static_assert(std::endian::native == std::endian::little, "binary doubles are little-endian");

constexpr int kVarintBytesMax = 10;
constexpr size_t kQuotedBytesMax = 40;  // of the input, in an error

bool is_digit(int byte) {
  return byte >= '0' && byte <= '9';
}

bool is_letter(int byte) {
  return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}

bool starts_bare(int byte) {
  return is_letter(byte) || byte == '_';
}

bool continues_bare(int byte) {
  return starts_bare(byte) || is_digit(byte) || byte == '-' || byte == '.' || byte == '%';
}

int hex_digit(char byte) {
  if (is_digit(byte)) {
    return byte - '0';
  }
  char lower = static_cast<char>(byte | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

int octal_digit(char byte) {
  return byte >= '0' && byte <= '7' ? byte - '0' : -1;
}

struct Escape {
  size_t length = 0;  // with the backslash; 0: no escape
  char byte = 0;
};

// `digit` gives a digit's value or -1; the number ends early rather than leave a byte's range.
template <typename Digit>
Escape numeric_escape(const char* escape, const char* digits, const char* end, int base,
                      size_t digits_max, Digit digit) {
  const char* at = digits;
  int value = 0;
  while (at != end && static_cast<size_t>(at - digits) < digits_max && digit(*at) >= 0 &&
         value * base + digit(*at) <= 0xff) {
    value = value * base + digit(*at++);
  }
  if (at == digits) {
    return {};
  }
  return {static_cast<size_t>(at - escape), static_cast<char>(value)};
}

// The escape whose backslash is at `at`.
Escape read_escape(const char* at, const char* end) {
  if (end - at < 2) {
    return {};
  }
  switch (at[1]) {
    case 'n': return {2, '\n'};
    case 't': return {2, '\t'};
    case 'r': return {2, '\r'};
    case 'a': return {2, '\a'};
    case 'b': return {2, '\b'};
    case 'f': return {2, '\f'};
    case 'v': return {2, '\v'};
    case '"':
    case '\'':
    case '?':
    case '\\': return {2, at[1]};
    case 'x': return numeric_escape(at, at + 2, end, 16, 2, hex_digit);
    default: return numeric_escape(at, at + 1, end, 8, 3, octal_digit);
  }
}

std::string printable(std::string_view text) {
  std::string out;
  for (char byte : text.substr(0, kQuotedBytesMax)) {
    bool plain = byte >= ' ' && byte <= '~';
    out += plain ? std::string(1, byte) : fmt::format("\\x{:02x}", static_cast<uint8_t>(byte));
  }
  return out + (text.size() > kQuotedBytesMax ? "..." : "");
}

int64_t zigzag_decoded(uint64_t value) {
  return static_cast<int64_t>(value >> 1) ^ -static_cast<int64_t>(value & 1);
}

// What is wrong with the digits; empty: nothing.
template <typename Number>
std::string_view read_digits(std::string_view digits, Number& number, std::string_view overflow) {
  const char* end = digits.data() + digits.size();
  auto [stop, status] = std::from_chars(digits.data(), end, number);
  if (stop != end) {
    return "is no number";
  }
  return status == std::errc{} ? "" : overflow;
}

}  // namespace

bool Lexer::read_value(Token& token) {
  int byte = peek();
  token.offset = offset();
  switch (byte) {
    case 0x01: return read_binary_string(token);
    case 0x02: return read_binary_int64(token);
    case 0x03: return read_binary_double(token);
    case 0x04:
    case 0x05:
      token.kind = NodeKind::kBoolean;
      token.boolean = byte == 0x05;
      break;
    case 0x06: return read_binary_uint64(token);
    case '[': token.kind = NodeKind::kList; break;
    case '{': token.kind = NodeKind::kMap; break;
    case '#': token.kind = NodeKind::kEntity; break;
    case '"': return read_quoted(token);
    case '%': return read_percent(token);
    case '+':
    case '-': return read_number(token);
    default:
      if (is_digit(byte)) {
        return read_number(token);
      }
      if (starts_bare(byte)) {
        return read_bare(token);
      }
      return fail_unexpected("a value");
  }
  ++at_;
  return true;
}

bool Lexer::read_key(Token& token) {
  int byte = peek();
  token.offset = offset();
  if (byte == 0x01) {
    return read_binary_string(token);
  }
  if (byte == '"') {
    return read_quoted(token);
  }
  return starts_bare(byte) ? read_bare(token) : fail_unexpected("a key");
}

bool Lexer::fail_unexpected(std::string_view expected) {
  int byte = peek();
  std::string found = byte == kEnd ? "the end of the input"
                                   : fmt::format("'{}'", printable(std::string_view(at_, 1)));
  return fail_here(fmt::format("expected {}, found {}", expected, found));
}

bool Lexer::fail_here(std::string_view message) {
  return fail_at(offset(), ErrorCode::kInvalidYson, message);
}

bool Lexer::fail_at(size_t offset, ErrorCode code, std::string_view message) {
  error_ = error_at(offset, code, message);
  return false;
}

// A line and a column mean nothing once there are binary markers; looked for only here, where
// nothing is fast.
Error Lexer::error_at(size_t offset, ErrorCode code, std::string_view message) const {
  auto is_marker = [](char byte) { return byte >= 0x01 && byte <= 0x06; };
  if (std::any_of(begin_, end_, is_marker)) {
    return {code, fmt::format("offset {}: {}", offset, message)};
  }
  std::string_view before(begin_, offset);
  auto lines = std::count(before.begin(), before.end(), '\n');
  size_t line_start = before.rfind('\n') + 1;  // 0 in the first line: npos wraps
  return {code, fmt::format("line {}, column {}: {}", lines + 1, offset - line_start + 1, message)};
}

bool Lexer::read_long_varint(uint64_t& value) {
  value = 0;
  const char* at = at_ + 1;
  for (int i = 0; i < kVarintBytesMax; ++i) {
    if (at == end_) {
      return fail_here("a varint is cut short");
    }
    uint64_t byte = static_cast<uint8_t>(*at++);
    if (i == kVarintBytesMax - 1 && byte > 1) {
      break;
    }
    value |= (byte & 0x7f) << (7 * i);
    if (byte < 0x80) {
      at_ = at;
      return true;
    }
  }
  return fail_here("a varint has more than 64 bits");
}

bool Lexer::read_binary_string(Token& token) {
  const char* marker = at_;
  uint64_t encoded_length = 0;
  if (!read_varint(encoded_length)) {
    return false;
  }
  int64_t length = zigzag_decoded(encoded_length);
  int64_t available = end_ - at_;
  if (length < 0 || length > available) {
    at_ = marker;
    return fail_here(
        fmt::format("a string has {} bytes, of which {} are there", length, available));
  }
  token.kind = NodeKind::kString;
  token.escaped = false;
  token.text = {at_, static_cast<size_t>(length)};
  at_ += length;
  return true;
}

bool Lexer::read_binary_int64(Token& token) {
  uint64_t encoded = 0;
  if (!read_varint(encoded)) {
    return false;
  }
  token.kind = NodeKind::kInt64;
  token.int64 = zigzag_decoded(encoded);
  return true;
}

bool Lexer::read_binary_uint64(Token& token) {
  uint64_t value = 0;
  if (!read_varint(value)) {
    return false;
  }
  token.kind = NodeKind::kUint64;
  token.uint64 = value;
  return true;
}

bool Lexer::read_binary_double(Token& token) {
  const char* at = at_ + 1;
  if (static_cast<size_t>(end_ - at) < sizeof(double)) {
    return fail_here("a double is cut short");
  }
  token.kind = NodeKind::kDouble;
  std::memcpy(&token.real, at, sizeof(double));
  at_ = at + sizeof(double);
  return true;
}

bool Lexer::read_quoted(Token& token) {
  token.kind = NodeKind::kString;
  token.escaped = false;
  const char* first = at_ + 1;
  for (const char* at = first; at != end_;) {
    if (*at == '"') {
      token.text = {first, at};
      at_ = at + 1;
      return true;
    }
    size_t length = 1;
    if (*at == '\\') {
      token.escaped = true;
      length = read_escape(at, end_).length;
      if (length == 0) {
        return fail_at(static_cast<size_t>(at - begin_), ErrorCode::kInvalidYson,
                       "expected an escape such as \\n or \\x1f");
      }
    }
    at += length;
  }
  return fail_here("a quoted string is cut short");
}

bool Lexer::read_bare(Token& token) {
  const char* first = at_;
  at_ = std::find_if_not(first, end_, continues_bare);
  token.kind = NodeKind::kString;
  token.escaped = false;
  token.text = {first, at_};
  return true;
}

// The run of bytes at at_ that a number or a %-literal may be made of, and of those that must not
// follow one.
std::string_view Lexer::word() const {
  return {at_, std::find_if_not(at_, end_,
                                [](char byte) { return continues_bare(byte) || byte == '+'; })};
}

bool Lexer::read_number(Token& token) {
  std::string_view text = word();
  std::string_view digits = text.substr(text.front() == '+' ? 1 : 0);
  // from_chars would take "-inf"; and "+" is behind us, so "+-1" must not pass.
  size_t first_digit = text.front() == '+' || text.front() == '-' ? 1 : 0;
  std::string_view problem = "is no number";
  if (first_digit < text.size() && is_digit(text[first_digit])) {
    if (text.find_first_of(".eE") != text.npos) {
      token.kind = NodeKind::kDouble;
      problem = read_digits(digits, token.real, "does not fit a double");
    } else if (digits.back() == 'u') {
      digits.remove_suffix(1);
      token.kind = NodeKind::kUint64;
      problem = read_digits(digits, token.uint64, "does not fit uint64");
    } else {
      token.kind = NodeKind::kInt64;
      problem = read_digits(digits, token.int64, "does not fit int64");
    }
  }
  if (!problem.empty()) {
    return fail_here(fmt::format("{} {}", printable(text), problem));
  }
  at_ += text.size();
  return true;
}

bool Lexer::read_percent(Token& token) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::string_view text = word();
  if (text == "%true" || text == "%false") {
    token.kind = NodeKind::kBoolean;
    token.boolean = text == "%true";
  } else if (text == "%nan" || text == "%inf" || text == "%+inf" || text == "%-inf") {
    token.kind = NodeKind::kDouble;
    token.real = text == "%nan"    ? std::numeric_limits<double>::quiet_NaN()
                 : text == "%-inf" ? -kInfinity
                                   : kInfinity;
  } else {
    return fail_here(fmt::format("expected %true, %false, %nan, %inf, %+inf or %-inf, found {}",
                                 printable(text)));
  }
  at_ += text.size();
  return true;
}

char* unescape(std::string_view text, char* out) {
  const char* end = text.data() + text.size();
  for (const char* at = text.data(); at != end;) {
    if (*at != '\\') {
      *out++ = *at++;
      continue;
    }
    Escape escape = read_escape(at, end);
    *out++ = escape.byte;
    at += escape.length;
  }
  return out;
}

}  // namespace retinue::yson
