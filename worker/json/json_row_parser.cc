#include "worker/json/json_row_parser.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "protocol/base/limits.h"
#include "worker/json/base64.h"
#include "worker/json/error_text.h"
#include "worker/json/json_line.h"
#include "worker/json/json_to_yson.h"

namespace retinue::worker {
namespace {

namespace ondemand = simdjson::ondemand;

std::string_view expectation(ColumnType type) {
  switch (type) {
    case ColumnType::kInt64: return "a whole number that fits int64";
    case ColumnType::kUint64: return "a whole number that fits uint64";
    case ColumnType::kDouble: return "a number that fits a double, or \"nan\", \"inf\" or \"-inf\"";
    case ColumnType::kBoolean: return "true or false";
    case ColumnType::kString: return "a string, or {\"$base64\": \"…\"}";
    case ColumnType::kAny: return "a JSON value";
  }
  return "a JSON value";
}

std::optional<double> special_double(std::string_view text) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (text == "nan") {
    return std::numeric_limits<double>::quiet_NaN();
  }
  if (text == "inf") {
    return kInfinity;
  }
  return text == "-inf" ? std::optional(-kInfinity) : std::nullopt;
}

}  // namespace

class JsonRowParser::Impl {
 public:
  Impl(const TableSchema& schema, Options options);

  Result<void> parse(std::string_view text, size_t readable, RowBatchBuilder& rows);

 private:
  Result<void> parse_fields(RowBatchBuilder& rows);
  Result<void> parse_field(ondemand::field& field, RowBatchBuilder& rows);
  std::optional<ColumnIndex> find_column(std::string_view name);
  Result<void> set_value(ColumnIndex column, ondemand::value value, RowBatchBuilder& rows);
  // These say whether the value fits; if not, nothing is set.
  bool set_number(ColumnIndex column, ondemand::value value, RowBatchBuilder& rows) const;
  bool set_double(ColumnIndex column, ondemand::value value, RowBatchBuilder& rows) const;
  Result<void> set_string(ColumnIndex column, ondemand::value value, RowBatchBuilder& rows);
  Result<void> set_bytes(ColumnIndex column, std::string_view bytes, const char* where,
                         RowBatchBuilder& rows) const;
  // Puts the bytes of {"$base64": "…"} into decoded_; false when the object is something else.
  bool read_base64(ondemand::value value);
  Result<void> check_required() const;

  Error unknown_field(std::string_view name, const char* where) const;
  Error wrong_value(ColumnIndex column, std::string_view token) const;

  const TableSchema schema_;
  const Options options_;
  std::unordered_map<std::string_view, ColumnIndex> columns_by_name_;
  JsonLine line_;
  JsonToYson to_yson_{line_};
  std::string decoded_;
  // Per column, the number of the line that last had it.
  std::vector<uint64_t> seen_in_line_;
  uint64_t line_number_ = 0;
  uint32_t next_column_ = 0;  // fields mostly come in the schema's order
};

JsonRowParser::Impl::Impl(const TableSchema& schema, Options options)
    : schema_(schema), options_(options), seen_in_line_(schema.size(), 0) {
  for (uint32_t i = 0; i < schema_.size(); ++i) {
    columns_by_name_.emplace(schema_[ColumnIndex(i)].name, ColumnIndex(i));
  }
}

Result<void> JsonRowParser::Impl::parse(std::string_view text, size_t readable,
                                        RowBatchBuilder& rows) {
  ++line_number_;
  next_column_ = 0;
  RETINUE_TRY(line_.open(text, readable));
  RETINUE_TRY(parse_fields(rows));
  RETINUE_TRY(check_required());
  rows.finish_row();
  return {};
}

Result<void> JsonRowParser::Impl::parse_fields(RowBatchBuilder& rows) {
  ondemand::object object;
  if (const auto failure = line_.document().get_object().get(object); failure) {
    if (failure != simdjson::INCORRECT_TYPE) {
      return line_.syntax_error(failure);
    }
    const std::string_view text = line_.text();
    const size_t start = std::min(text.find_first_not_of(" \t\r\n"), text.size());
    return line_.error_at(text.data() + start, fmt::format("expected a JSON object, found {}",
                                                           describe_token(text.substr(start))));
  }
  for (auto next : object) {
    ondemand::field field;
    if (const auto failure = std::move(next).get(field); failure) {
      return line_.syntax_error(failure);
    }
    RETINUE_TRY(parse_field(field, rows));
  }
  if (const char* after = nullptr; !line_.document().current_location().get(after)) {
    return line_.error_at(after, "expected nothing after the object");
  }
  return {};
}

Result<void> JsonRowParser::Impl::parse_field(ondemand::field& field, RowBatchBuilder& rows) {
  const char* const where = key_start(field);
  std::string_view name;
  if (const auto failure = field.unescaped_key().get(name); failure) {
    return line_.syntax_error(failure, where);
  }
  const auto column = find_column(name);
  if (!column) {
    if (options_.unknown_fields == UnknownFields::kError) {
      return unknown_field(name, where);
    }
    // Converted for nothing: what is malformed is refused in ignored fields too.
    RETINUE_TRY(to_yson_.convert(field.value()));
    return {};
  }
  if (std::exchange(seen_in_line_[column->value()], line_number_) == line_number_) {
    return line_.error_at(where, fmt::format("the field {} is there twice", quote_text(name)));
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
      return line_.error_at(token.data(),
                            fmt::format("field {}: expected {}, found null in a required column",
                                        quote_text(spec.name), expectation(spec.type)));
    }
    return {};  // a column that is not set is null
  }
  if (spec.type == ColumnType::kAny) {
    RETINUE_ASSIGN(const std::string_view yson, to_yson_.convert(value));
    return set_bytes(column, yson, token.data(), rows);
  }
  if (spec.type == ColumnType::kString) {
    return set_string(column, value, rows);
  }
  return set_number(column, value, rows) ? Result<void>() : wrong_value(column, token);
}

bool JsonRowParser::Impl::set_number(ColumnIndex column, ondemand::value value,
                                     RowBatchBuilder& rows) const {
  switch (schema_[column].type) {
    case ColumnType::kInt64: {
      int64_t number = 0;
      if (value.get_int64().get(number)) {
        return false;
      }
      rows.set_int64(column, number);
      return true;
    }
    case ColumnType::kUint64: {
      uint64_t number = 0;
      if (value.get_uint64().get(number)) {
        return false;
      }
      rows.set_uint64(column, number);
      return true;
    }
    case ColumnType::kBoolean: {
      bool boolean = false;
      if (value.get_bool().get(boolean)) {
        return false;
      }
      rows.set_boolean(column, boolean);
      return true;
    }
    default: return set_double(column, value, rows);
  }
}

bool JsonRowParser::Impl::set_double(ColumnIndex column, ondemand::value value,
                                     RowBatchBuilder& rows) const {
  if (value.raw_json_token().front() != '"') {
    double number = 0;
    if (value.get_double().get(number)) {
      return false;
    }
    rows.set_double(column, number);
    return true;
  }
  std::string_view text;
  if (value.get_string().get(text)) {
    return false;
  }
  const auto special = special_double(text);
  if (special) {
    rows.set_double(column, *special);
  }
  return special.has_value();
}

Result<void> JsonRowParser::Impl::set_string(ColumnIndex column, ondemand::value value,
                                             RowBatchBuilder& rows) {
  const std::string_view token = value.raw_json_token();
  if (token.front() == '{') {
    return read_base64(value) ? set_bytes(column, decoded_, token.data(), rows)
                              : wrong_value(column, token);
  }
  std::string_view text;
  const auto failure = value.get_string().get(text);
  if (failure == simdjson::STRING_ERROR) {
    return line_.syntax_error(failure, token.data());
  }
  return failure ? wrong_value(column, token) : set_bytes(column, text, token.data(), rows);
}

Result<void> JsonRowParser::Impl::set_bytes(ColumnIndex column, std::string_view bytes,
                                            const char* where, RowBatchBuilder& rows) const {
  if (bytes.size() > limits::kValueBytesLimit) {
    return line_.error_at(where, fmt::format("field {}: expected at most {} bytes, found {}",
                                             quote_text(schema_[column].name),
                                             limits::kValueBytesLimit, bytes.size()));
  }
  rows.set_bytes(column, bytes);
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

Result<void> JsonRowParser::Impl::check_required() const {
  for (uint32_t i = 0; i < schema_.size(); ++i) {
    const Column& column = schema_[ColumnIndex(i)];
    if (column.required && seen_in_line_[i] != line_number_) {
      const size_t end = line_.text().find_last_of('}');
      return line_.error_at(
          line_.text().data() + end,
          fmt::format("expected the required field {} ({}), found the end of the object",
                      quote_text(column.name), column_type_name(column.type)));
    }
  }
  return {};
}

Error JsonRowParser::Impl::unknown_field(std::string_view name, const char* where) const {
  std::vector<std::string_view> known;
  for (const Column& column : schema_.columns()) {
    known.push_back(column.name);
  }
  return line_.error_at(where, fmt::format("expected a field of the schema, found {}{}",
                                           quote_text(name), did_you_mean(name, known)));
}

Error JsonRowParser::Impl::wrong_value(ColumnIndex column, std::string_view token) const {
  const Column& spec = schema_[column];
  return line_.error_at(token.data(),
                        fmt::format("field {}: expected {}, found {}", quote_text(spec.name),
                                    expectation(spec.type), describe_token(token)));
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
