#include "protocol/values/value.h"

#include <fmt/format.h>

#include <array>

namespace retinue {
namespace {

Value value_at(const ColumnView& column, uint32_t row) {
  if (column.is_null(row)) {
    return Null{};
  }
  switch (column.type()) {
    case ColumnType::kInt64: return column.int64_at(row);
    case ColumnType::kUint64: return column.uint64_at(row);
    case ColumnType::kDouble: return column.double_at(row);
    case ColumnType::kBoolean: return column.boolean_at(row);
    case ColumnType::kString: return std::string(column.bytes_at(row));
    case ColumnType::kAny: return AnyValue{std::string(column.bytes_at(row))};
  }
  return Null{};
}

// In the order of Value's alternatives; Null, the first, fits every type.
constexpr std::array kTypes = {ColumnType::kInt64,   ColumnType::kUint64, ColumnType::kDouble,
                               ColumnType::kBoolean, ColumnType::kString, ColumnType::kAny};

Result<void> check_value(const Column& column, const Value& value) {
  if (std::holds_alternative<Null>(value)) {
    return column.required
               ? Error{ErrorCode::kSchemaMismatch,
                       fmt::format("column \"{}\" is required, found null", column.name)}
               : Result<void>{};
  }
  const ColumnType type = kTypes[value.index() - 1];
  if (type != column.type) {
    return Error{ErrorCode::kSchemaMismatch,
                 fmt::format("column \"{}\" is {}, found a value of type {}", column.name,
                             column_type_name(column.type), column_type_name(type))};
  }
  return {};
}

struct ValueSetter {
  RowBatchBuilder& builder;
  ColumnIndex column;

  void operator()(Null) const {}
  void operator()(int64_t value) const { builder.set_int64(column, value); }
  void operator()(uint64_t value) const { builder.set_uint64(column, value); }
  void operator()(double value) const { builder.set_double(column, value); }
  void operator()(bool value) const { builder.set_boolean(column, value); }
  void operator()(const std::string& value) const { builder.set_bytes(column, value); }
  void operator()(const AnyValue& value) const { builder.set_bytes(column, value.yson); }
};

}  // namespace

Row row_at(const RowBatchView& view, uint32_t row) {
  Row values;
  values.reserve(view.column_count());
  for (const ColumnView& column : view.columns()) {
    values.push_back(value_at(column, row));
  }
  return values;
}

Result<void> append_row(RowBatchBuilder& builder, const TableSchema& schema, const Row& row) {
  if (row.size() != schema.size()) {
    return Error{
        ErrorCode::kSchemaMismatch,
        fmt::format("a row of {} values, the schema has {} columns", row.size(), schema.size())};
  }
  for (uint32_t i = 0; i < row.size(); ++i) {
    RETINUE_TRY(check_value(schema[ColumnIndex(i)], row[i]));
  }
  for (uint32_t i = 0; i < row.size(); ++i) {
    std::visit(ValueSetter{builder, ColumnIndex(i)}, row[i]);
  }
  builder.finish_row();
  return {};
}

}  // namespace retinue
