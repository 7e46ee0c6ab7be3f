#include "protocol/yson/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "protocol/base/check.h"

namespace retinue::yson {

namespace {

constexpr size_t kScopeMark = std::numeric_limits<size_t>::max();
// Up to so many keys, comparing each with each is faster than sorting.
constexpr size_t kFewKeys = 16;

}  // namespace

Reader::Reader(std::string_view bytes, const ParseOptions& options)
    : lexer_(bytes),
      options_(options),
      bytes_size_(bytes.size()),
      arena_(inline_memory_.data(), inline_memory_.size()),
      keys_(&arena_) {
  options_.depth_limit = std::min(options_.depth_limit, limits::kYsonDepthLimit);
  keys_.reserve(kInlineKeys);
}

Result<NodeKind> Reader::peek() {
  RETINUE_TRY(lex());
  return token_.kind;
}

Result<void> Reader::read_entity() {
  return take(NodeKind::kEntity);
}

Result<bool> Reader::read_boolean() {
  RETINUE_TRY(take(NodeKind::kBoolean));
  return token_.boolean;
}

Result<int64_t> Reader::read_int64() {
  RETINUE_TRY(take(NodeKind::kInt64));
  return token_.int64;
}

Result<uint64_t> Reader::read_uint64() {
  RETINUE_TRY(take(NodeKind::kUint64));
  return token_.uint64;
}

Result<double> Reader::read_double() {
  RETINUE_TRY(take(NodeKind::kDouble));
  return token_.real;
}

Result<std::string_view> Reader::read_string() {
  RETINUE_TRY(take(NodeKind::kString));
  return text();
}

Result<void> Reader::begin_list() {
  RETINUE_TRY(take(NodeKind::kList));
  return open('[');
}

Result<void> Reader::begin_map() {
  RETINUE_TRY(take(NodeKind::kMap));
  return open('{');
}

Result<bool> Reader::begin_attributes() {
  RETINUE_CHECK(value_due_ && !token_ready_, "attributes come before their value");
  RETINUE_TRY(check_size());
  if (attributes_read_ || lexer_.peek() != '<') {
    return false;
  }
  token_.offset = lexer_.offset();
  lexer_.take();
  RETINUE_TRY(open('<'));
  return true;
}

Result<bool> Reader::next_item() {
  RETINUE_CHECK(!value_due_ && !scopes_.empty() && scopes_.back() == '[', "not in a list");
  return advance(']');
}

Result<std::optional<std::string_view>> Reader::next_key() {
  RETINUE_CHECK(!value_due_ && !scopes_.empty() && scopes_.back() != '[', "not in a map");
  RETINUE_ASSIGN(bool more, advance(scopes_.back() == '{' ? '}' : '>'));
  if (!more) {
    return std::optional<std::string_view>();
  }
  RETINUE_TRY(lexer_.read_key(token_));
  std::string_view key = text();
  if (lexer_.peek() != '=') {
    return lexer_.unexpected("'='");
  }
  lexer_.take();
  keys_.push_back({key, token_.offset});
  return std::optional(key);
}

Result<void> Reader::skip_value() {
  RETINUE_CHECK(value_due_, "there is no value to skip");
  size_t outer = scopes_.size();
  do {
    RETINUE_TRY(step());
  } while (value_due_ || scopes_.size() > outer);
  return {};
}

Result<std::string_view> Reader::read_raw() {
  RETINUE_TRY(lex());
  size_t start = value_offset_;
  RETINUE_TRY(skip_value());
  return lexer_.bytes_since(start);
}

Result<void> Reader::finish() {
  RETINUE_CHECK(!value_due_ && scopes_.empty(), "the value is not read to its end");
  if (lexer_.peek() != Lexer::kEnd) {
    return lexer_.unexpected("the end of the input");
  }
  return {};
}

Result<void> Reader::check_size() const {
  if (bytes_size_ > options_.bytes_limit) {
    return Error{ErrorCode::kLimitExceeded, fmt::format("YSON of {} bytes; the limit is {}",
                                                        bytes_size_, options_.bytes_limit)};
  }
  return {};
}

// Makes token_ the value that comes next.
Result<void> Reader::lex() {
  RETINUE_CHECK(value_due_, "no value comes next");
  if (token_ready_) {
    return {};
  }
  RETINUE_TRY(check_size());
  lexer_.peek();
  size_t start = lexer_.offset();
  size_t outer = scopes_.size();
  RETINUE_ASSIGN(bool attributes, begin_attributes());
  while (attributes && scopes_.size() > outer) {
    RETINUE_TRY(step());
  }
  RETINUE_TRY(lexer_.read_value(token_));
  value_offset_ = start;
  token_ready_ = true;
  return {};
}

Result<void> Reader::take(NodeKind kind) {
  RETINUE_TRY(lex());
  if (token_.kind != kind) {
    return error_here(
        ErrorCode::kSchemaMismatch,
        fmt::format("expected {}, found {}", node_kind_name(kind), node_kind_name(token_.kind)));
  }
  value_done();
  return {};
}

void Reader::value_done() {
  token_ready_ = false;
  value_due_ = false;
  attributes_read_ = false;
}

// Passes over one scalar, opening bracket, key or separator, so that skipping needs no recursion.
Result<void> Reader::step() {
  if (!value_due_) {
    if (scopes_.back() == '[') {
      RETINUE_TRY(next_item());
    } else {
      RETINUE_TRY(next_key());
    }
    return {};
  }
  if (!token_ready_) {
    RETINUE_ASSIGN(bool attributes, begin_attributes());
    if (attributes) {
      return {};
    }
    RETINUE_TRY(lexer_.read_value(token_));
  }
  value_done();
  switch (token_.kind) {
    case NodeKind::kList: return open('[');
    case NodeKind::kMap: return open('{');
    default: return {};
  }
}

Result<void> Reader::open(char bracket) {
  if (scopes_.size() >= static_cast<size_t>(std::max(options_.depth_limit, 0))) {
    return error_here(ErrorCode::kLimitExceeded,
                      fmt::format("more than {} brackets are open", options_.depth_limit));
  }
  scopes_.push_back(bracket);
  scope_fresh_ = true;
  value_due_ = false;
  if (bracket != '[') {
    keys_.push_back({{}, kScopeMark});
  }
  return {};
}

// Goes past the separator to the next item, or past the closing bracket; false then.
Result<bool> Reader::advance(char closing) {
  int byte = lexer_.peek();
  if (!scope_fresh_ && byte != closing) {
    if (byte != ';') {
      return lexer_.unexpected(fmt::format("';' or '{}'", closing));
    }
    lexer_.take();
    byte = lexer_.peek();
  }
  scope_fresh_ = false;
  if (byte != closing) {
    value_due_ = true;
    return true;
  }
  if (closing != ']') {
    RETINUE_TRY(check_keys());
  }
  lexer_.take();
  scopes_.pop_back();
  value_due_ = attributes_read_ = closing == '>';
  return false;
}

// Checks and forgets the innermost map's keys.
Result<void> Reader::check_keys() {
  auto first = std::find_if(keys_.rbegin(), keys_.rend(), [](const Key& key) {
                 return key.offset == kScopeMark;
               }).base();
  auto repeated = keys_.end();
  if (static_cast<size_t>(keys_.end() - first) <= kFewKeys) {
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
    return lexer_.error_at(repeated->offset, ErrorCode::kInvalidYson, "a key is repeated");
  }
  keys_.erase(first - 1, keys_.end());
  return {};
}

std::string_view Reader::text() {
  if (!token_.escaped) {
    return token_.text;
  }
  auto* bytes = static_cast<char*>(arena_.allocate(token_.text.size(), 1));
  return {bytes, unescape(token_.text, bytes)};
}

}  // namespace retinue::yson
