#include "worker/json/json_row_parser.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "protocol/base/limits.h"
#include "protocol/yson/writer.h"
#include "worker/json/base64.h"
#include "worker/json/error_text.h"

namespace retinue::worker {
namespace {

namespace ondemand = simdjson::ondemand;

static_assert(JsonRowParser::kPadding >= simdjson::SIMDJSON_PADDING);

std::string_view expectation(ColumnType type) {
  switch (type) {
    case ColumnType::kInt64: return "a whole number that fits int64";
    case ColumnType::kUint64: return "a whole number that fits uint64";
    case ColumnType::kDouble: return "a number (or \"nan\", \"inf\", \"-inf\") that fits a double";
    case ColumnType::kBoolean: return "true or false";
    case ColumnType::kString: return "a string";
    case ColumnType::kAny: return "a JSON value";
  }
  return "a JSON value";
}

// A token as an error shows it. `token` begins at the value and may run on to the next one.
std::string describe(std::string_view token) {
  token = token.substr(0, token.find_last_not_of(" \t\r\n,") + 1);
  switch (token.empty() ? '\0' : token.front()) {
    case '\0': return "nothing";
    case '{': return "an object";
    case '[': return "a list";
    case '"': return quote_text(token.substr(1, token.size() - (token.ends_with('"') ? 2 : 1)));
    default: return token.size() > 40 ? std::string(token.substr(0, 40)) + "…" : std::string(token);
  }
}

// The offset of the first byte that is not part of valid UTF-8.
size_t first_invalid_utf8(std::string_view line) {
  size_t valid = 0;
  for (size_t size = 1; valid + size <= line.size();) {
    if (simdjson::validate_utf8(line.data() + valid, size)) {
      valid += size;
      size = 1;
    } else if (++size > 4) {
      break;
    }
  }
  return valid;
}

std::optional<double> special_double(std::string_view text) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (text == "nan") {
    return std::numeric_limits<double>::quiet_NaN();
  }
  return text == "inf"    ? std::optional(kInfinity)
         : text == "-inf" ? std::optional(-kInfinity)
                          : std::nullopt;
}

}  // namespace

class JsonRowParser::Impl {
 public:
  Impl(const TableSchema& schema, Options options);

  Result<void> parse(std::string_view line, size_t readable, RowBatchBuilder& rows);

 private:
  Result<void> parse_fields(ondemand::document& document, RowBatchBuilder& rows);
  Result<void> parse_field(ondemand::field& field, RowBatchBuilder& rows);
  Result<void> set_value(ColumnIndex column, ondemand::value value, RowBatchBuilder& rows);
  Result<void> set_bytes(ColumnIndex column, std::string_view bytes, const char* where,
                         RowBatchBuilder& rows);
  Result<void> check_required() const;
  // The bytes of {"$base64": "…"}, in decoded_; false when the object is something else.
  bool read_base64(ondemand::value value);
  // Appends any JSON value as binary YSON.
  Result<void> write_yson(ondemand::value value, yson::Writer& writer, int depth);
  Result<void> write_yson_map(ondemand::object object, yson::Writer& writer, int depth);
  Result<void> write_yson_number(ondemand::value value, yson::Writer& writer);
  std::optional<ColumnIndex> find_column(std::string_view name);

  // Errors at a place in the line.
  Error error_at(const char* where, std::string_view what) const;
  Error syntax_error(simdjson::error_code code, const char* where = nullptr) const;
  Error unknown_field(std::string_view name, const char* where) const;
  Error wrong_value(ColumnIndex column, std::string_view token) const;

  const TableSchema schema_;
  const Options options_;
  std::unordered_map<std::string_view, ColumnIndex> columns_by_name_;
  ondemand::parser parser_;
  std::string padded_;  // a copy of a line that lies without padding
  std::string decoded_;
  std::string yson_;
  std::vector<std::string_view> keys_;  // of the objects that write_yson is in
  // Per column, the number of the line that last set it.
  std::vector<uint64_t> set_in_line_;
  uint64_t line_number_ = 0;
  uint32_t next_column_ = 0;  // fields mostly come in the same order
  std::string_view line_;
  ondemand::document document_;
};

JsonRowParser::Impl::Impl(const TableSchema& schema, Options options)
    : schema_(schema), options_(options), set_in_line_(schema.size(), 0) {
  for (uint32_t i = 0; i < schema_.size(); ++i) {
    columns_by_name_.emplace(schema_[ColumnIndex(i)].name, ColumnIndex(i));
  }
}

Result<void> JsonRowParser::Impl::parse(std::string_view line, size_t readable,
                                        RowBatchBuilder& rows) {
  ++line_number_;
  next_column_ = 0;
  if (readable < line.size() + kPadding) {
    padded_.assign(line);
    padded_.resize(line.size() + kPadding);
    line = std::string_view(padded_).substr(0, line.size());
    readable = padded_.size();
  }
  line_ = line;
  if (line.size() > parser_.capacity()) {
    if (const auto failure = parser_.allocate(std::bit_ceil(line.size())); failure) {
      return syntax_error(failure, line.data());
    }
  }
  const simdjson::padded_string_view padded(line.data(), line.size(), readable);
  if (const auto failure = parser_.iterate(padded).get(document_); failure) {
    return syntax_error(failure);
  }
  RETINUE_TRY(parse_fields(document_, rows));
  RETINUE_TRY(check_required());
  rows.finish_row();
  return {};
}

Result<void> JsonRowParser::Impl::parse_fields(ondemand::document& document,
                                               RowBatchBuilder& rows) {
  ondemand::object object;
  if (const auto failure = document.get_object().get(object); failure) {
    if (failure == simdjson::INCORRECT_TYPE) {
      const size_t start = std::min(line_.find_first_not_of(" \t\r\n"), line_.size());
      return error_at(line_.data() + start, fmt::format("expected a JSON object, found {}",
                                                        describe(line_.substr(start))));
    }
    return syntax_error(failure, line_.data() + line_.size());
  }
  for (auto next : object) {
    ondemand::field field;
    if (const auto failure = std::move(next).get(field); failure) {
      return syntax_error(failure);
    }
    RETINUE_TRY(parse_field(field, rows));
  }
  if (const char* after = nullptr; !document.current_location().get(after)) {
    return error_at(after, "expected nothing after the object");
  }
  return {};
}

Result<void> JsonRowParser::Impl::parse_field(ondemand::field& field, RowBatchBuilder& rows) {
  const char* const key_start = reinterpret_cast<const char*>(field.key().raw()) - 1;
  std::string_view name;
  if (const auto failure = field.unescaped_key().get(name); failure) {
    return syntax_error(failure, key_start);
  }
  const auto column = find_column(name);
  if (!column) {
    if (options_.unknown_fields == UnknownFields::kError) {
      return unknown_field(name, key_start);
    }
    // Converted for nothing: what is malformed is refused in ignored fields too.
    yson_.clear();
    yson::Writer writer(yson_);
    return write_yson(field.value(), writer, 1);
  }
  if (std::exchange(set_in_line_[column->value()], line_number_) == line_number_) {
    return error_at(key_start, fmt::format("the field {} is there twice", quote_text(name)));
  }
  return set_value(*column, field.value(), rows);
}

std::optional<ColumnIndex> JsonRowParser::Impl::find_column(std::string_view name) {
  if (next_column_ < schema_.size() && schema_[ColumnIndex(next_column_)].name == name) {
    return ColumnIndex(next_column_++);
  }
  const auto found = columns_by_name_.find(name);
  if (found == columns_by_name_.end()) {
    return std::nullopt;
  }
  next_column_ = found->second.value() + 1;
  return found->second;
}

Result<void> JsonRowParser::Impl::set_value(ColumnIndex column, ondemand::value value,
                                            RowBatchBuilder& rows) {
  const std::string_view token = value.raw_json_token();
  const Column& spec = schema_[column];
  if (token.front() == 'n') {
    bool is_null = false;
    if (value.is_null().get(is_null) || !is_null) {
      return wrong_value(column, token);
    }
    if (spec.required) {
      return error_at(token.data(),
                      fmt::format("field {}: expected {}, found null in a required column",
                                  quote_text(spec.name), expectation(spec.type)));
    }
    return {};  // the builder's default
  }
  switch (spec.type) {
    case ColumnType::kInt64:
      if (int64_t number = 0; !value.get_int64().get(number)) {
        rows.set_int64(column, number);
        return {};
      }
      break;
    case ColumnType::kUint64:
      if (uint64_t number = 0; !value.get_uint64().get(number)) {
        rows.set_uint64(column, number);
        return {};
      }
      break;
    case ColumnType::kBoolean:
      if (bool boolean = false; !value.get_bool().get(boolean)) {
        rows.set_boolean(column, boolean);
        return {};
      }
      break;
    case ColumnType::kDouble: {
      double number = 0;
      std::string_view text;
      if (token.front() != '"') {
        if (!value.get_double().get(number)) {
          rows.set_double(column, number);
          return {};
        }
      } else if (!value.get_string().get(text)) {
        if (const auto special = special_double(text)) {
          rows.set_double(column, *special);
          return {};
        }
      }
      break;
    }
    case ColumnType::kString: {
      std::string_view text;
      if (token.front() == '{') {
        if (read_base64(value)) {
          return set_bytes(column, decoded_, token.data(), rows);
        }
      } else if (const auto failure = value.get_string().get(text); !failure) {
        return set_bytes(column, text, token.data(), rows);
      } else if (failure == simdjson::STRING_ERROR) {
        return syntax_error(failure, token.data());
      }
      break;
    }
    case ColumnType::kAny: {
      yson_.clear();
      yson::Writer writer(yson_);
      RETINUE_TRY(write_yson(value, writer, 1));
      return set_bytes(column, yson_, token.data(), rows);
    }
  }
  return wrong_value(column, token);
}

Result<void> JsonRowParser::Impl::set_bytes(ColumnIndex column, std::string_view bytes,
                                            const char* where, RowBatchBuilder& rows) {
  if (bytes.size() > limits::kValueBytesLimit) {
    return error_at(where, fmt::format("field {}: expected at most {} bytes, found {}",
                                       quote_text(schema_[column].name), limits::kValueBytesLimit,
                                       bytes.size()));
  }
  rows.set_bytes(column, bytes);
  return {};
}

Result<void> JsonRowParser::Impl::check_required() const {
  for (uint32_t i = 0; i < schema_.size(); ++i) {
    const Column& column = schema_[ColumnIndex(i)];
    if (column.required && set_in_line_[i] != line_number_) {
      const size_t end = line_.find_last_of('}');
      return error_at(
          line_.data() + end,
          fmt::format("expected the required field {} ({}), found the end of the object",
                      quote_text(column.name), column_type_name(column.type)));
    }
  }
  return {};
}

bool JsonRowParser::Impl::read_base64(ondemand::value value) {
  ondemand::object object;
  if (value.get_object().get(object)) {
    return false;
  }
  int fields = 0;
  for (auto next : object) {
    ondemand::field field;
    std::string_view key;
    std::string_view text;
    if (std::move(next).get(field) || field.unescaped_key().get(key) || key != "$base64" ||
        ++fields > 1 || field.value().get_string().get(text) || !decode_base64(text, decoded_)) {
      return false;
    }
  }
  return fields == 1;
}

Result<void> JsonRowParser::Impl::write_yson(ondemand::value value, yson::Writer& writer,
                                             int depth) {
  const std::string_view token = value.raw_json_token();
  ondemand::json_type type{};
  if (const auto failure = value.type().get(type); failure) {
    return syntax_error(failure, token.data());
  }
  if (depth > limits::kYsonDepthLimit) {
    return error_at(token.data(),
                    fmt::format("nested deeper than {} levels", limits::kYsonDepthLimit));
  }
  simdjson::error_code failure = simdjson::SUCCESS;
  switch (type) {
    case ondemand::json_type::array: {
      ondemand::array array;
      if ((failure = value.get_array().get(array)) != simdjson::SUCCESS) {
        break;
      }
      writer.begin_list();
      for (auto next : array) {
        ondemand::value item;
        if (const auto item_failure = std::move(next).get(item); item_failure) {
          return syntax_error(item_failure);
        }
        RETINUE_TRY(write_yson(item, writer, depth + 1));
      }
      writer.end_list();
      return {};
    }
    case ondemand::json_type::object: {
      ondemand::object object;
      if ((failure = value.get_object().get(object)) != simdjson::SUCCESS) {
        break;
      }
      return write_yson_map(object, writer, depth);
    }
    case ondemand::json_type::number: return write_yson_number(value, writer);
    case ondemand::json_type::string: {
      std::string_view text;
      if ((failure = value.get_string().get(text)) == simdjson::SUCCESS) {
        writer.string(text);
      }
      break;
    }
    case ondemand::json_type::boolean: {
      bool boolean = false;
      if ((failure = value.get_bool().get(boolean)) == simdjson::SUCCESS) {
        writer.boolean(boolean);
      }
      break;
    }
    case ondemand::json_type::null: {
      bool is_null = false;
      if ((failure = value.is_null().get(is_null)) == simdjson::SUCCESS) {
        writer.entity();
      }
      break;
    }
  }
  return failure ? Result<void>(syntax_error(failure, token.data())) : Result<void>();
}

Result<void> JsonRowParser::Impl::write_yson_map(ondemand::object object, yson::Writer& writer,
                                                 int depth) {
  const size_t first_key = keys_.size();
  const char* object_start = nullptr;
  writer.begin_map();
  for (auto next : object) {
    ondemand::field field;
    if (const auto failure = std::move(next).get(field); failure) {
      keys_.resize(first_key);
      return syntax_error(failure);
    }
    const char* const key_start = reinterpret_cast<const char*>(field.key().raw()) - 1;
    object_start = object_start == nullptr ? key_start : object_start;
    std::string_view key;
    if (const auto failure = field.unescaped_key().get(key); failure) {
      keys_.resize(first_key);
      return syntax_error(failure, key_start);
    }
    keys_.push_back(key);
    writer.key(key);
    if (auto written = write_yson(field.value(), writer, depth + 1); !written) {
      keys_.resize(first_key);
      return written;
    }
  }
  writer.end_map();
  const auto first = keys_.begin() + static_cast<std::ptrdiff_t>(first_key);
  std::sort(first, keys_.end());
  const auto repeated = std::adjacent_find(first, keys_.end());
  const bool is_repeated = repeated != keys_.end();
  const std::string_view repeated_key = is_repeated ? *repeated : std::string_view();
  keys_.resize(first_key);
  if (is_repeated) {
    return error_at(object_start,
                    fmt::format("the key {} is there twice", quote_text(repeated_key)));
  }
  return {};
}

Result<void> JsonRowParser::Impl::write_yson_number(ondemand::value value, yson::Writer& writer) {
  const std::string_view token = value.raw_json_token();
  ondemand::number number;
  if (value.get_number().get(number)) {
    return error_at(token.data(), fmt::format("expected a number that fits int64, uint64 or a "
                                              "double, found {}",
                                              describe(token)));
  }
  switch (number.get_number_type()) {
    case ondemand::number_type::signed_integer: writer.int64(number.get_int64()); break;
    case ondemand::number_type::unsigned_integer: writer.uint64(number.get_uint64()); break;
    case ondemand::number_type::floating_point_number: writer.real(number.get_double()); break;
  }
  return {};
}

Error JsonRowParser::Impl::error_at(const char* where, std::string_view what) const {
  const auto offset = where == nullptr ? 0 : where - line_.data();
  const auto size = static_cast<std::ptrdiff_t>(line_.size());
  return {ErrorCode::kInvalidRecord,
          fmt::format("column {}: {}", std::clamp<std::ptrdiff_t>(offset, 0, size) + 1, what)};
}

Error JsonRowParser::Impl::syntax_error(simdjson::error_code code, const char* where) const {
  switch (code) {
    case simdjson::EMPTY: return error_at(line_.data(), "expected a JSON object, found nothing");
    case simdjson::UTF8_ERROR:
      return error_at(line_.data() + first_invalid_utf8(line_), "expected valid UTF-8");
    case simdjson::UNCLOSED_STRING:
      return error_at(line_.data() + line_.size(), "expected a closing double quote");
    case simdjson::UNESCAPED_CHARS: {
      const auto control = std::find_if(line_.begin(), line_.end(), [](char c) {
        return static_cast<uint8_t>(c) < 0x20 && c != '\t' && c != '\r' && c != '\n';
      });
      return error_at(control == line_.end() ? line_.data() : &*control,
                      "expected control characters to be escaped in a string");
    }
    case simdjson::INCOMPLETE_ARRAY_OR_OBJECT:
      return error_at(line_.data() + line_.size(), "expected a closing }, found the end");
    case simdjson::STRING_ERROR: return error_at(where, "expected valid escapes in a string");
    case simdjson::DEPTH_ERROR: return error_at(where, "nested too deep");
    default: break;
  }
  ondemand::document& document = const_cast<ondemand::document&>(document_);
  if (where == nullptr && document.current_location().get(where)) {
    where = line_.data() + line_.size();
  }
  return error_at(where, fmt::format("expected valid JSON ({})", simdjson::error_message(code)));
}

Error JsonRowParser::Impl::unknown_field(std::string_view name, const char* where) const {
  std::vector<std::string_view> known;
  for (const Column& column : schema_.columns()) {
    known.push_back(column.name);
  }
  return error_at(where, fmt::format("expected only the schema's fields, found {}{}",
                                     quote_text(name), did_you_mean(name, known)));
}

Error JsonRowParser::Impl::wrong_value(ColumnIndex column, std::string_view token) const {
  const Column& spec = schema_[column];
  return error_at(token.data(),
                  fmt::format("field {}: expected {}, found {}", quote_text(spec.name),
                              expectation(spec.type), describe(token)));
}

JsonRowParser::JsonRowParser(const TableSchema& schema, Options options)
    : impl_(std::make_unique<Impl>(schema, options)) {}
JsonRowParser::~JsonRowParser() = default;
JsonRowParser::JsonRowParser(JsonRowParser&&) noexcept = default;
JsonRowParser& JsonRowParser::operator=(JsonRowParser&&) noexcept = default;

Result<void> JsonRowParser::parse(std::string_view line, size_t readable, RowBatchBuilder& rows) {
  auto parsed = impl_->parse(line, readable, rows);
  if (!parsed) {
    rows.abandon_row();
  }
  return parsed;
}

}  // namespace retinue::worker
