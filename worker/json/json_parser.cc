#include "worker/json/json_parser.h"

#include <fmt/format.h>
#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <vector>

#include "worker/json/byte_order_mark.h"
#include "worker/json/error_text.h"

namespace retinue::worker {
namespace {

using yson::List;
using yson::Map;
using yson::Node;

constexpr unsigned kParseFlags = rapidjson::kParseIterativeFlag | rapidjson::kParseCommentsFlag |
                                 rapidjson::kParseValidateEncodingFlag |
                                 rapidjson::kParseNumbersAsStringsFlag;

Error error_at(std::string_view text, size_t offset, std::string_view what,
               ErrorCode code = ErrorCode::kInvalidJson) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const size_t newline = before.rfind('\n');
  const std::string_view in_line =
      newline == std::string_view::npos ? before : before.substr(newline + 1);
  const auto column = 1 + std::count_if(in_line.begin(), in_line.end(), [](char byte) {
                        return (static_cast<uint8_t>(byte) & 0xc0) != 0x80;
                      });
  return {code, fmt::format("line {}, column {}: {}", line, column, what)};
}

// Where the string starts whose closing quote is text[end - 1].
size_t string_start(std::string_view text, size_t end) {
  for (size_t start = end - 1; start > 0;) {
    --start;
    size_t backslashes = 0;
    while (backslashes < start && text[start - 1 - backslashes] == '\\') {
      ++backslashes;
    }
    if (text[start] == '"' && backslashes % 2 == 0) {
      return start;
    }
  }
  return 0;
}

// Builds the tree from the reader's events. A handler that returns false has left its complaint in
// `failure` and where it is in `failure_offset`.
class TreeBuilder : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, TreeBuilder> {
 public:
  TreeBuilder(const rapidjson::MemoryStream& stream, std::string_view text, int depth_limit)
      : stream_(stream), text_(text), depth_limit_(static_cast<size_t>(depth_limit)) {}

  bool Null() { return add(yson::Entity{}); }
  bool Bool(bool value) { return add(value); }
  bool String(const char* bytes, rapidjson::SizeType size, bool) {
    return add(std::string_view(bytes, size));
  }
  bool RawNumber(const char* bytes, rapidjson::SizeType size, bool);
  bool StartObject() { return open(true); }
  bool StartArray() { return open(false); }
  bool Key(const char* bytes, rapidjson::SizeType size, bool);
  bool EndObject(rapidjson::SizeType);
  bool EndArray(rapidjson::SizeType) { return close(std::move(open_.back().list)); }

  Node take_root() { return std::move(root_); }
  const std::string& failure() const { return failure_; }
  ErrorCode failure_code() const { return failure_code_; }
  size_t failure_offset() const { return failure_offset_; }

 private:
  struct Container {
    bool is_map = false;
    Map map;
    List list;
    std::vector<size_t> key_ends;  // offsets just past each key of `map`
  };

  bool fail(size_t offset, std::string what, ErrorCode code = ErrorCode::kInvalidJson) {
    failure_code_ = code;
    failure_offset_ = offset;
    failure_ = std::move(what);
    return false;
  }
  bool open(bool is_map);
  bool close(Node node) {
    open_.pop_back();
    return add(std::move(node));
  }
  bool add(Node node);

  const rapidjson::MemoryStream& stream_;
  const std::string_view text_;
  const size_t depth_limit_;
  std::vector<Container> open_;
  Node root_;
  std::string failure_;
  ErrorCode failure_code_ = ErrorCode::kInvalidJson;
  size_t failure_offset_ = 0;
};

bool TreeBuilder::add(Node node) {
  if (open_.empty()) {
    root_ = std::move(node);
  } else if (open_.back().is_map) {
    open_.back().map.back().value = std::move(node);
  } else {
    open_.back().list.push_back(std::move(node));
  }
  return true;
}

bool TreeBuilder::open(bool is_map) {
  if (open_.size() >= depth_limit_) {
    return fail(stream_.Tell(), fmt::format("nested deeper than {} levels", depth_limit_),
                ErrorCode::kLimitExceeded);
  }
  open_.emplace_back().is_map = is_map;
  return true;
}

bool TreeBuilder::RawNumber(const char* bytes, rapidjson::SizeType size, bool) {
  const std::string_view number(bytes, size);
  const char* const end = bytes + size;
  std::errc failure;
  if (number.find_first_of(".eE") != std::string_view::npos) {
    double value = 0;
    failure = std::from_chars(bytes, end, value).ec;
    if (failure == std::errc{}) {
      return add(value);
    }
  } else if (int64_t value = 0; std::from_chars(bytes, end, value).ec == std::errc{}) {
    return add(value);
  } else {
    uint64_t unsigned_value = 0;
    failure = std::from_chars(bytes, end, unsigned_value).ec;
    if (failure == std::errc{}) {
      return add(unsigned_value);
    }
  }
  return fail(stream_.Tell() - size, fmt::format("the number {} is out of range", number));
}

bool TreeBuilder::Key(const char* bytes, rapidjson::SizeType size, bool) {
  Container& container = open_.back();
  container.map.push_back({std::string(bytes, size), Node()});
  container.key_ends.push_back(stream_.Tell());
  return true;
}

bool TreeBuilder::EndObject(rapidjson::SizeType) {
  Container& container = open_.back();
  std::vector<size_t> order(container.map.size());
  for (size_t i = 0; i < order.size(); ++i) {
    order[i] = i;
  }
  const auto key = [&](size_t i) -> const std::string& { return container.map[i].key; };
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return key(a) < key(b); });
  const auto repeated = std::adjacent_find(order.begin(), order.end(),
                                           [&](size_t a, size_t b) { return key(a) == key(b); });
  if (repeated != order.end()) {
    const size_t second = *(repeated + 1);
    return fail(string_start(text_, container.key_ends[second]),
                fmt::format("the key {} is there twice", quote_text(key(second))));
  }
  return close(std::move(container.map));
}

std::string_view expectation(rapidjson::ParseErrorCode code) {
  switch (code) {
    case rapidjson::kParseErrorDocumentEmpty: return "expected a value";
    case rapidjson::kParseErrorDocumentRootNotSingular: return "expected nothing after the value";
    case rapidjson::kParseErrorValueInvalid: return "expected a value";
    case rapidjson::kParseErrorObjectMissName: return "expected a key in double quotes";
    case rapidjson::kParseErrorObjectMissColon: return "expected : after the key";
    case rapidjson::kParseErrorObjectMissCommaOrCurlyBracket: return "expected , or }";
    case rapidjson::kParseErrorArrayMissCommaOrSquareBracket: return "expected , or ]";
    case rapidjson::kParseErrorStringUnicodeEscapeInvalidHex:
      return "expected four hexadecimal digits after \\u";
    case rapidjson::kParseErrorStringUnicodeSurrogateInvalid:
      return "expected a whole surrogate pair in \\u escapes";
    case rapidjson::kParseErrorStringEscapeInvalid:
      return "expected a known escape, and control characters escaped, in a string";
    case rapidjson::kParseErrorStringMissQuotationMark: return "expected a closing double quote";
    case rapidjson::kParseErrorStringInvalidEncoding: return "expected UTF-8";
    case rapidjson::kParseErrorNumberTooBig: return "expected a number that fits a double";
    case rapidjson::kParseErrorNumberMissFraction: return "expected digits after the decimal point";
    case rapidjson::kParseErrorNumberMissExponent: return "expected digits in the exponent";
    default: return "expected valid JSON";
  }
}

Error syntax_error(std::string_view text, size_t offset, rapidjson::ParseErrorCode code) {
  if (offset >= text.size()) {
    return error_at(text, text.size(),
                    fmt::format("{}, found the end of the text", expectation(code)));
  }
  const char found = text[offset];
  const size_t last = text.substr(0, offset).find_last_not_of(" \t\r\n");
  if ((found == '}' || found == ']') && last != std::string_view::npos && text[last] == ',') {
    return error_at(text, last, fmt::format("remove the comma before the closing {}", found));
  }
  size_t size = 1;
  while (size < 4 && offset + size < text.size() &&
         (static_cast<uint8_t>(text[offset + size]) & 0xc0) == 0x80) {
    ++size;
  }
  return error_at(
      text, offset,
      fmt::format("{}, found {}", expectation(code), quote_text(text.substr(offset, size))));
}

}  // namespace

Result<Node> parse_json(std::string_view text, const JsonParseOptions& options) {
  if (text.size() > options.bytes_limit) {
    return error_at(text, options.bytes_limit,
                    fmt::format("the text is larger than {} bytes", options.bytes_limit),
                    ErrorCode::kLimitExceeded);
  }
  if (text.substr(0, kByteOrderMark.size()) == kByteOrderMark) {
    text.remove_prefix(kByteOrderMark.size());
  }
  rapidjson::MemoryStream stream(text.data(), text.size());
  TreeBuilder builder(stream, text, options.depth_limit);
  rapidjson::Reader reader;
  const rapidjson::ParseResult result = reader.Parse<kParseFlags>(stream, builder);
  if (result.Code() == rapidjson::kParseErrorTermination) {
    return error_at(text, builder.failure_offset(), builder.failure(), builder.failure_code());
  }
  if (result.IsError()) {
    return syntax_error(text, result.Offset(), result.Code());
  }
  // The reader takes a zero byte for the end.
  if (stream.Tell() < text.size()) {
    return syntax_error(text, stream.Tell(), rapidjson::kParseErrorDocumentRootNotSingular);
  }
  return builder.take_root();
}

}  // namespace retinue::worker
