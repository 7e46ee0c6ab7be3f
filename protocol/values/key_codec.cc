#include "protocol/values/key_codec.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>

#include "protocol/base/check.h"

namespace retinue {
namespace {

enum Tag : char {
  kNullTag = 0x01,
  kFalseTag = 0x02,
  kTrueTag = 0x03,
  kInt64Tag = 0x04,
  kUint64Tag = 0x05,
  kDoubleTag = 0x06,
  kStringTag = 0x07,
};

constexpr char kEscape = 0x00;
constexpr char kEscapedZero = static_cast<char>(0xff);
constexpr char kStringEnd = 0x01;
constexpr uint64_t kSignBit = uint64_t{1} << 63;

constexpr uint64_t to_big_endian(uint64_t value) {
  return __builtin_bswap64(value);
}

void append_number(std::string& out, Tag tag, uint64_t bits) {
  char encoded[9] = {tag};
  bits = to_big_endian(bits);
  std::memcpy(encoded + 1, &bits, sizeof bits);
  out.append(encoded, sizeof encoded);
}

Error not_a_key(std::string_view reason) {
  return Error{ErrorCode::kSchemaMismatch, fmt::format("{} cannot be part of a key", reason)};
}

Error corrupted(std::string_view what) {
  return Error{ErrorCode::kDataCorrupted, fmt::format("encoded key: {}", what)};
}

// Takes values off the front of the encoded bytes.
class KeyReader {
 public:
  explicit KeyReader(std::string_view bytes) : rest_(bytes) {}

  bool at_end() const { return rest_.empty(); }

  Result<Value> read(ColumnType type) {
    if (rest_.empty()) {
      return corrupted("it ends before its last column");
    }
    const char tag = rest_.front();
    rest_.remove_prefix(1);
    switch (tag) {
      case kNullTag: return Value(Null{});
      case kFalseTag:
      case kTrueTag:
        if (type == ColumnType::kBoolean) {
          return Value(tag == kTrueTag);
        }
        break;
      case kInt64Tag:
      case kUint64Tag:
      case kDoubleTag:
        if (type == number_type(tag)) {
          return read_number(type);
        }
        break;
      case kStringTag:
        if (type == ColumnType::kString) {
          return read_string();
        }
        break;
    }
    return corrupted(fmt::format("tag {:#04x} in a column of type {}", static_cast<uint8_t>(tag),
                                 column_type_name(type)));
  }

 private:
  static ColumnType number_type(char tag) {
    switch (tag) {
      case kInt64Tag: return ColumnType::kInt64;
      case kUint64Tag: return ColumnType::kUint64;
      default: return ColumnType::kDouble;
    }
  }

  Result<Value> read_number(ColumnType type) {
    if (rest_.size() < sizeof(uint64_t)) {
      return corrupted("it ends within a number");
    }
    const uint64_t bits = read_big_endian64(rest_.data());
    rest_.remove_prefix(sizeof bits);
    switch (type) {
      case ColumnType::kInt64: return Value(static_cast<int64_t>(bits ^ kSignBit));
      case ColumnType::kUint64: return Value(bits);
      default: break;
    }
    const uint64_t raw = (bits & kSignBit) != 0 ? bits ^ kSignBit : ~bits;
    const double value = std::bit_cast<double>(raw);
    if (std::isnan(value) || raw == kSignBit) {
      return corrupted("a double that is NaN or -0.0");
    }
    return Value(value);
  }

  Result<Value> read_string() {
    std::string value;
    while (true) {
      const size_t escape = rest_.find(kEscape);
      if (escape == std::string_view::npos || escape + 1 == rest_.size()) {
        return corrupted("it ends within a string");
      }
      const char escaped = rest_[escape + 1];
      value.append(rest_, 0, escape);
      rest_.remove_prefix(escape + 2);
      if (escaped == kStringEnd) {
        return Value(std::move(value));
      }
      if (escaped != kEscapedZero) {
        return corrupted("an unknown escape in a string");
      }
      value.push_back('\0');
    }
  }

  std::string_view rest_;
};

struct KeyAppender {
  std::string& out;

  void operator()(Null) const { append_key_null(out); }
  void operator()(int64_t value) const { append_key_int64(out, value); }
  void operator()(uint64_t value) const { append_key_uint64(out, value); }
  void operator()(double value) const { append_key_double(out, value); }
  void operator()(bool value) const { append_key_boolean(out, value); }
  void operator()(std::string_view value) const { append_key_string(out, value); }
  void operator()(const AnyValue&) const { RETINUE_CHECK(false, "refused before"); }
};

}  // namespace

void append_key_null(std::string& out) {
  out.push_back(kNullTag);
}

void append_key_boolean(std::string& out, bool value) {
  out.push_back(value ? kTrueTag : kFalseTag);
}

void append_key_int64(std::string& out, int64_t value) {
  append_number(out, kInt64Tag, static_cast<uint64_t>(value) ^ kSignBit);
}

void append_key_uint64(std::string& out, uint64_t value) {
  append_number(out, kUint64Tag, value);
}

void append_key_double(std::string& out, double value) {
  RETINUE_CHECK(!std::isnan(value), "NaN in a key");
  const uint64_t bits = std::bit_cast<uint64_t>(value + 0.0);  // -0.0 + 0.0 is 0.0
  append_number(out, kDoubleTag, (bits & kSignBit) != 0 ? ~bits : bits ^ kSignBit);
}

void append_key_string(std::string& out, std::string_view value) {
  out.push_back(kStringTag);
  for (size_t zero; (zero = value.find(kEscape)) != std::string_view::npos;) {
    out.append(value, 0, zero + 1).push_back(kEscapedZero);
    value.remove_prefix(zero + 1);
  }
  constexpr char kEnd[] = {kEscape, kStringEnd};
  out.append(value).append(kEnd, sizeof kEnd);
}

Result<void> append_key_value(std::string& out, const ColumnView& column, uint32_t row) {
  if (column.type() == ColumnType::kAny) {
    return not_a_key("a value of type any");
  }
  if (column.is_null(row)) {
    append_key_null(out);
    return {};
  }
  switch (column.type()) {
    case ColumnType::kInt64: append_key_int64(out, column.int64_at(row)); break;
    case ColumnType::kUint64: append_key_uint64(out, column.uint64_at(row)); break;
    case ColumnType::kDouble:
      if (std::isnan(column.double_at(row))) {
        return not_a_key("NaN");
      }
      append_key_double(out, column.double_at(row));
      break;
    case ColumnType::kBoolean: append_key_boolean(out, column.boolean_at(row)); break;
    case ColumnType::kString: append_key_string(out, column.bytes_at(row)); break;
    case ColumnType::kAny: break;
  }
  return {};
}

Result<void> append_key_value(std::string& out, const Value& value) {
  if (std::holds_alternative<AnyValue>(value)) {
    return not_a_key("a value of type any");
  }
  if (const double* number = std::get_if<double>(&value); number && std::isnan(*number)) {
    return not_a_key("NaN");
  }
  std::visit(KeyAppender{out}, value);
  return {};
}

Result<Row> decode_key(std::string_view bytes, const TableSchema& schema) {
  KeyReader reader(bytes);
  Row row;
  row.reserve(schema.size());
  for (const Column& column : schema.columns()) {
    RETINUE_ASSIGN(row.emplace_back(), reader.read(column.type));
  }
  if (!reader.at_end()) {
    return corrupted("bytes are left over after its last column");
  }
  return row;
}

void append_big_endian(std::string& out, uint64_t value) {
  value = to_big_endian(value);
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void append_big_endian(std::string& out, uint32_t value) {
  value = __builtin_bswap32(value);
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

uint64_t read_big_endian64(const char* bytes) {
  uint64_t value;
  std::memcpy(&value, bytes, sizeof value);
  return to_big_endian(value);
}

uint32_t read_big_endian32(const char* bytes) {
  uint32_t value;
  std::memcpy(&value, bytes, sizeof value);
  return __builtin_bswap32(value);
}

}  // namespace retinue
