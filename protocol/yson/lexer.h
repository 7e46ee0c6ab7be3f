// Splits YSON bytes into values, opening brackets and the bytes between them. Private to this
// folder; Reader adds the structure. What may fail returns false and leaves the reason in error():
// a Result at every step would cost more than the step.
//
// Borrows: the bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "protocol/base/error.h"
#include "protocol/yson/node.h"

namespace retinue::yson {

struct Token {
  NodeKind kind = NodeKind::kEntity;  // kList and kMap: the opening bracket
  bool escaped = false;               // `text` holds escapes, checked but not yet replaced
  size_t offset = 0;                  // of the token's first byte
  union {
    bool boolean;
    int64_t int64;
    uint64_t uint64 = 0;
    double real;
  };
  std::string_view text;
};

class Lexer {
 public:
  static constexpr int kEnd = -1;

  explicit Lexer(std::string_view bytes)
      : begin_(bytes.data()), at_(begin_), end_(begin_ + bytes.size()) {}

  // The next byte that is no blank, or kEnd.
  int peek() {
    while (at_ != end_ && is_blank(*at_)) {
      ++at_;
    }
    return at_ == end_ ? kEnd : static_cast<uint8_t>(*at_);
  }
  // Precondition: peek() was no kEnd.
  void take() { ++at_; }
  size_t offset() const { return static_cast<size_t>(at_ - begin_); }
  std::string_view bytes_since(size_t offset) const { return {begin_ + offset, at_}; }

  // A scalar or an opening '[' or '{'.
  bool read_value(Token& token);
  bool read_key(Token& token);

  // Each sets the error and returns false: "line 1, column 7: expected a value, found ';'".
  bool fail_unexpected(std::string_view expected);  // at the next byte that is no blank
  bool fail_at(size_t offset, ErrorCode code, std::string_view message);
  const Error& error() const { return error_; }

  Error error_at(size_t offset, ErrorCode code, std::string_view message) const;

 private:
  static bool is_blank(char byte) { return byte == ' ' || (byte >= '\t' && byte <= '\r'); }

  // Each reads the token that starts at at_; a varint stands behind its marker.
  bool read_varint(uint64_t& value) {
    if (end_ - at_ > 1 && static_cast<uint8_t>(at_[1]) < 0x80) {
      value = static_cast<uint8_t>(at_[1]);
      at_ += 2;
      return true;
    }
    return read_long_varint(value);
  }
  bool read_long_varint(uint64_t& value);
  bool read_binary_string(Token& token);
  bool read_binary_int64(Token& token);
  bool read_binary_uint64(Token& token);
  bool read_binary_double(Token& token);
  bool read_quoted(Token& token);
  bool read_bare(Token& token);
  bool read_number(Token& token);
  bool read_percent(Token& token);
  std::string_view word() const;
  bool fail_here(std::string_view message);

  const char* begin_;
  const char* at_;
  const char* end_;
  Error error_;
};

// Replaces the escapes of `text`, which the Lexer has checked, and returns the end of the output.
// `out` has room for text.size() bytes.
char* unescape(std::string_view text, char* out);

}  // namespace retinue::yson
