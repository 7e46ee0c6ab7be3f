#include "companion_sdk/cpp/input.h"

#include <fmt/format.h>

#include "companion_sdk/cpp/exceptions.h"
#include "protocol/yson/parser.h"

namespace retinue::companion {

bool Cell::is_null() const {
  if (column_.value() < rows_.column_count()) {
    return rows_.column(column_).is_null(row_);
  }
  if (column_.value() < schema_.size()) {
    return true;  // written before the stream had this column
  }
  throw SchemaError(fmt::format("\"{}\" has {} columns, there is no column {}", table_,
                                schema_.size(), column_.value()));
}

const ColumnView& Cell::open(ColumnType type) const {
  if (is_null()) {
    throw SchemaError(fmt::format("\"{}\": column \"{}\" is null here; ask for a std::optional",
                                  table_, schema_[column_].name));
  }
  const ColumnView& column = rows_.column(column_);
  if (column.type() != type) {
    throw SchemaError(fmt::format("\"{}\": column \"{}\" is {}, not {}", table_,
                                  schema_[column_].name, column_type_name(column.type()),
                                  column_type_name(type)));
  }
  return column;
}

void Cell::read(std::string_view& value) const {
  const bool is_any = column_.value() < schema_.size() && schema_[column_].type == ColumnType::kAny;
  value = open(is_any ? ColumnType::kAny : ColumnType::kString).bytes_at(row_);
}

void Cell::read(std::string& value) const {
  value = as<std::string_view>();
}

void Cell::read(yson::Node& value) const {
  auto node = yson::parse(open(ColumnType::kAny).bytes_at(row_));
  if (!node) {
    throw SchemaError(fmt::format("\"{}\": column \"{}\": {}", table_, schema_[column_].name,
                                  node.error().message));
  }
  value = std::move(node).value();
}

ColumnIndex find_column(const TableSchema& schema, std::string_view table, std::string_view name) {
  if (const auto column = schema.find(name)) {
    return *column;
  }
  std::string names;
  for (const Column& column : schema.columns()) {
    names += names.empty() ? "" : ", ";
    names += column.name;
  }
  throw SchemaError(fmt::format("\"{}\" has no column \"{}\"; it has {}", table, name,
                                names.empty() ? "none" : names));
}

}  // namespace retinue::companion
