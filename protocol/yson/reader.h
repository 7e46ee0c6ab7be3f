// Reader: pulls values out of YSON bytes one by one, straight into the caller's own fields.
//
//   RETINUE_TRY(reader.begin_map());
//   for (;;) {
//     RETINUE_ASSIGN(auto key, reader.next_key());
//     if (!key) break;
//     if (*key == "count") {
//       RETINUE_ASSIGN(counter.count, reader.read_int64());
//     } else {
//       RETINUE_TRY(reader.skip_value());
//     }
//   }
//   RETINUE_TRY(reader.finish());
//
// The bytes are untrusted: whatever is passed over is checked as parse() checks it, repeated keys
// too (at the end of their map). Errors name the place: kInvalidYson for malformed bytes,
// kLimitExceeded past a bound, kSchemaMismatch for a value of another kind than asked for, which
// stays unread. After any other error the Reader is spent. Calling out of turn (a second value, a
// key outside a map, a spent Reader) is a bug.
//
// Small maps in binary or without escapes are read without allocating.
//
// Borrows: the bytes. Threads: one at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/base/result.h"
#include "protocol/yson/lexer.h"
#include "protocol/yson/node.h"
#include "protocol/yson/parse_options.h"

namespace retinue::yson {

class Reader {
 public:
  explicit Reader(std::string_view bytes, const ParseOptions& options = {});
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  // The kind of the value that comes next, which stays unread. Looks past its attributes: after it
  // begin_attributes() is out of turn.
  Result<NodeKind> peek() { return result(lex(), token_.kind); }

  // The next value, of exactly that kind. Its attributes are passed over.
  Result<void> read_entity() { return result(take(NodeKind::kEntity)); }
  Result<bool> read_boolean() { return result(take(NodeKind::kBoolean), token_.boolean); }
  Result<int64_t> read_int64() { return result(take(NodeKind::kInt64), token_.int64); }
  Result<uint64_t> read_uint64() { return result(take(NodeKind::kUint64), token_.uint64); }
  Result<double> read_double() { return result(take(NodeKind::kDouble), token_.real); }
  // Valid as long as the bytes and the Reader.
  Result<std::string_view> read_string() {
    return result(take(NodeKind::kString) && replace_escapes(), token_.text);
  }
  Result<void> begin_list() { return result(take(NodeKind::kList) && open('[')); }
  Result<void> begin_map() { return result(take(NodeKind::kMap) && open('{')); }

  // Goes to the list's next item, which must then be read; false: the list is closed.
  Result<bool> next_item() { return result(advance_list(), value_due_); }
  // Goes to the next value of the map or the attributes; nullopt: they are closed. The key is valid
  // as long as the bytes and the Reader.
  Result<std::optional<std::string_view>> next_key() {
    bool more = false;
    bool ok = advance_map(more);
    return result(ok, more ? std::optional(token_.text) : std::nullopt);
  }
  // Opens the next value's attributes, for next_key(); once they are closed the value comes. False:
  // it has none.
  Result<bool> begin_attributes() {
    bool found = false;
    bool ok = open_attributes(found);
    return result(ok, found);
  }

  // Passes over the next value, whatever it holds.
  Result<void> skip_value() { return result(skip()); }
  // The same, and returns its bytes: with its attributes, unless begin_attributes() took them.
  Result<std::string_view> read_raw();
  // Checks that nothing but blanks follows. Precondition: the value is read to its end.
  Result<void> finish();

  // An error of the caller's, at the latest key or value.
  Error error_here(ErrorCode code, std::string_view message) const {
    return lexer_.error_at(token_.offset, code, message);
  }

 private:
  struct Key {
    std::string_view bytes;
    size_t offset;
  };
  static constexpr size_t kInlineKeys = 24;

  // Outside, Results; inside, true or false with the reason in lexer_.error(), as Lexer does.
  Result<void> result(bool ok) const {
    if (!ok) {
      return lexer_.error();
    }
    return {};
  }
  template <typename T>
  Result<T> result(bool ok, const T& value) const {
    if (!ok) {
      return lexer_.error();
    }
    return value;
  }

  bool lex();
  bool read_value();
  bool fail_over_limit();
  bool take(NodeKind kind);
  void value_done();
  bool replace_escapes();
  bool skip();
  bool step();
  bool open(char bracket);
  bool open_attributes(bool& found);
  bool advance_list();
  bool advance_map(bool& more);
  bool advance(char closing, bool& more);
  bool check_keys();

  Lexer lexer_;
  size_t depth_limit_;
  size_t bytes_limit_;
  bool is_over_limit_;
  Token token_;  // the latest key or value
  // The value that comes next starts here, its attributes included if lex() skipped them.
  size_t value_offset_ = 0;
  bool token_ready_ = false;      // token_ is the value that comes next
  bool value_due_ = true;         // a value comes next, no key or separator
  bool attributes_read_ = false;  // that value's attributes are behind
  bool scope_fresh_ = false;      // the innermost bracket was just opened
  // The open brackets; a string keeps the first few without allocating.
  std::string scopes_;
  alignas(Key) std::array<std::byte, kInlineKeys * sizeof(Key)> inline_memory_;
  std::pmr::monotonic_buffer_resource arena_;
  // The keys so far of every open map, each map's behind a mark.
  std::pmr::vector<Key> keys_;
};

}  // namespace retinue::yson
