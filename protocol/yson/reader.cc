#include "protocol/yson/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "protocol/base/check.h"

namespace retinue::yson {

namespace {

constexpr size_t kScopeMark = std::numeric_limits<size_t>::max();
// Up to so many keys, comparing each with each is faster than sorting.
constexpr ptrdiff_t kFewKeys = 16;

}  // namespace

Reader::Reader(std::string_view bytes, const ParseOptions& options)
    : lexer_(bytes),
      depth_limit_(
          static_cast<size_t>(std::clamp(options.depth_limit, 0, limits::kYsonDepthLimit))),
      bytes_limit_(options.bytes_limit),
      is_over_limit_(bytes.size() > bytes_limit_),
      arena_(inline_memory_.data(), inline_memory_.size()),
      keys_(&arena_) {
  keys_.reserve(kInlineKeys);
}

Result<std::string_view> Reader::read_raw() {
  bool ok = lex();
  size_t start = value_offset_;
  ok = ok && skip();
  return result(ok, lexer_.bytes_since(start));
}

Result<void> Reader::finish() {
  RETINUE_CHECK(!value_due_ && scopes_.empty(), "the value is not read to its end");
  return result(lexer_.peek() == Lexer::kEnd || lexer_.fail_unexpected("the end of the input"));
}

// Makes token_ the value that comes next.
bool Reader::lex() {
  RETINUE_CHECK(value_due_, "no value comes next");
  if (token_ready_) {
    return true;
  }
  int byte = lexer_.peek();
  size_t start = lexer_.offset();
  if (byte == '<') {
    size_t outer = scopes_.size();
    bool found = false;
    if (!open_attributes(found)) {
      return false;
    }
    while (scopes_.size() > outer) {
      if (!step()) {
        return false;
      }
    }
  }
  value_offset_ = start;
  token_ready_ = read_value();
  return token_ready_;
}

bool Reader::read_value() {
  return is_over_limit_ ? fail_over_limit() : lexer_.read_value(token_);
}

bool Reader::fail_over_limit() {
  return lexer_.fail_at(0, ErrorCode::kLimitExceeded,
                        fmt::format("YSON of more than {} bytes", bytes_limit_));
}

bool Reader::take(NodeKind kind) {
  if (!lex()) {
    return false;
  }
  if (token_.kind != kind) {
    return lexer_.fail_at(
        token_.offset, ErrorCode::kSchemaMismatch,
        fmt::format("expected {}, found {}", node_kind_name(kind), node_kind_name(token_.kind)));
  }
  value_done();
  return true;
}

void Reader::value_done() {
  token_ready_ = false;
  value_due_ = false;
  attributes_read_ = false;
}

// Makes token_.text the string itself; always true.
bool Reader::replace_escapes() {
  if (token_.escaped) [[unlikely]] {
    auto* bytes = static_cast<char*>(arena_.allocate(token_.text.size(), 1));
    token_.text = {bytes, unescape(token_.text, bytes)};
    token_.escaped = false;
  }
  return true;
}

bool Reader::skip() {
  RETINUE_CHECK(value_due_, "no value comes next");
  size_t outer = scopes_.size();
  do {
    if (!step()) {
      return false;
    }
  } while (value_due_ || scopes_.size() > outer);
  return true;
}

// Passes over one scalar, opening bracket, key or separator, so that skipping needs no recursion.
bool Reader::step() {
  bool found = false;
  if (!value_due_) {
    return scopes_.back() == '[' ? advance_list() : advance_map(found);
  }
  if (!token_ready_) {
    if (!open_attributes(found)) {
      return false;
    }
    if (found) {
      return true;
    }
    if (!read_value()) {
      return false;
    }
  }
  value_done();
  switch (token_.kind) {
    case NodeKind::kList: return open('[');
    case NodeKind::kMap: return open('{');
    default: return true;
  }
}

bool Reader::open(char bracket) {
  if (scopes_.size() >= depth_limit_) {
    return lexer_.fail_at(token_.offset, ErrorCode::kLimitExceeded,
                          fmt::format("more than {} brackets are open", depth_limit_));
  }
  scopes_.push_back(bracket);
  scope_fresh_ = true;
  value_due_ = false;
  if (bracket != '[') {
    keys_.push_back({{}, kScopeMark});
  }
  return true;
}

bool Reader::open_attributes(bool& found) {
  RETINUE_CHECK(value_due_ && !token_ready_, "attributes come before their value");
  found = !attributes_read_ && lexer_.peek() == '<';
  if (!found) {
    return true;
  }
  if (is_over_limit_) {
    return fail_over_limit();
  }
  token_.offset = lexer_.offset();
  lexer_.take();
  return open('<');
}

bool Reader::advance_list() {
  RETINUE_CHECK(!value_due_ && !scopes_.empty() && scopes_.back() == '[', "not in a list");
  bool more = false;
  return advance(']', more);
}

// Makes token_ the key, if there is one more.
bool Reader::advance_map(bool& more) {
  RETINUE_CHECK(!value_due_ && !scopes_.empty() && scopes_.back() != '[', "not in a map");
  if (!advance(scopes_.back() == '{' ? '}' : '>', more)) {
    return false;
  }
  if (!more) {
    return true;
  }
  if (!lexer_.read_key(token_)) {
    return false;
  }
  replace_escapes();
  keys_.push_back({token_.text, token_.offset});
  if (lexer_.peek() != '=') {
    return lexer_.fail_unexpected("'='");
  }
  lexer_.take();
  return true;
}

// Goes past the separator to the next item, or past the closing bracket.
bool Reader::advance(char closing, bool& more) {
  int byte = lexer_.peek();
  if (!scope_fresh_ && byte != closing) {
    if (byte != ';') {
      return lexer_.fail_unexpected(fmt::format("';' or '{}'", closing));
    }
    lexer_.take();
    byte = lexer_.peek();
  }
  scope_fresh_ = false;
  more = byte != closing;
  if (more) {
    value_due_ = true;
    return true;
  }
  if (closing != ']' && !check_keys()) {
    return false;
  }
  lexer_.take();
  scopes_.pop_back();
  value_due_ = attributes_read_ = closing == '>';
  return true;
}

// Checks and forgets the innermost map's keys.
bool Reader::check_keys() {
  auto is_mark = [](const Key& key) { return key.offset == kScopeMark; };
  auto first = std::find_if(keys_.rbegin(), keys_.rend(), is_mark).base();
  auto repeated = keys_.end();
  if (keys_.end() - first <= kFewKeys) {
    for (auto key = first; key != keys_.end() && repeated == keys_.end(); ++key) {
      bool is_new = std::none_of(first, key, [&](const Key& k) { return k.bytes == key->bytes; });
      repeated = is_new ? repeated : key;
    }
  } else {
    std::sort(first, keys_.end(), [](const Key& a, const Key& b) {
      return std::pair(a.bytes, a.offset) < std::pair(b.bytes, b.offset);
    });
    auto pair = std::adjacent_find(first, keys_.end(),
                                   [](const Key& a, const Key& b) { return a.bytes == b.bytes; });
    repeated = pair == keys_.end() ? pair : pair + 1;
  }
  if (repeated != keys_.end()) {
    return lexer_.fail_at(repeated->offset, ErrorCode::kInvalidYson, "a key is repeated");
  }
  keys_.erase(first - 1, keys_.end());
  return true;
}

}  // namespace retinue::yson
