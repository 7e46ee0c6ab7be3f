#include "worker/spec/schema_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "protocol/base/limits.h"
#include "worker/json/error_text.h"
#include "worker/spec/expression.h"
#include "worker/spec/object_reader.h"

namespace retinue::worker {
namespace {

using yson::Node;

constexpr std::array kTypes = {
    Choice<ColumnType>{"int64", ColumnType::kInt64},
    Choice<ColumnType>{"uint64", ColumnType::kUint64},
    Choice<ColumnType>{"double", ColumnType::kDouble},
    Choice<ColumnType>{"boolean", ColumnType::kBoolean},
    Choice<ColumnType>{"string", ColumnType::kString},
    Choice<ColumnType>{"any", ColumnType::kAny},
};

Column read_column(const Node& node, const std::string& path, Problems& problems) {
  const ObjectReader reader(node, path, kColumnFields, problems);
  Column column;
  reader.require("name", "the column's name");
  reader.read_text("name", column.name);
  reader.require("type", "the column's type");
  reader.read_choice<ColumnType>("type", column.type, kTypes);
  reader.read_boolean("required", column.required);
  reader.read_text("expression", column.expression);
  if (column.name.size() > limits::kNameBytesLimit) {
    problems.add(reader.path_of("name"), fmt::format("expected at most {} bytes, found {}",
                                                     limits::kNameBytesLimit, column.name.size()));
  }
  return column;
}

std::vector<Column> read_columns(const Node& node, const std::string& path, Problems& problems) {
  std::vector<Column> columns;
  if (!node.is_list() || node.as_list().empty()) {
    problems.add_unexpected(path, "a list of columns, at least one", node);
    return columns;
  }
  if (node.as_list().size() > limits::kColumnsLimit) {
    problems.add(path, fmt::format("expected at most {} columns, found {}", limits::kColumnsLimit,
                                   node.as_list().size()));
    return columns;
  }
  std::set<std::string> names;
  for (const Node& child : node.as_list()) {
    const std::string column_path = child_path(path, columns.size());
    const Column& column = columns.emplace_back(read_column(child, column_path, problems));
    if (!column.name.empty() && !names.insert(column.name).second) {
      problems.add(child_path(column_path, "name"),
                   fmt::format("the column {} is there twice", quote_text(column.name)));
    }
  }
  return columns;
}

void check_expression(const std::vector<Column>& columns, size_t index, const std::string& path,
                      Problems& problems) {
  if (index > 0) {
    problems.add(child_path(path, "expression"),
                 "expected only the first key column to have an expression");
    return;
  }
  if (columns[0].type != ColumnType::kUint64) {
    problems.add(child_path(path, "type"),
                 fmt::format("expected \"uint64\" for a column with a hash expression, found {}",
                             quote_text(column_type_name(columns[0].type))));
  }
  const auto expression = parse_hash_expression(columns[0].expression);
  if (!expression) {
    problems.add(child_path(path, "expression"), expression.error().message);
    return;
  }
  std::vector<std::string_view> plain;
  for (const Column& column : columns) {
    if (column.expression.empty()) {
      plain.push_back(column.name);
    }
  }
  for (const std::string& name : expression->columns) {
    if (std::find(plain.begin(), plain.end(), name) == plain.end()) {
      problems.add(child_path(path, "expression"),
                   fmt::format("expected farm_hash of plain columns of this group_by_schema, found "
                               "{}{}",
                               quote_text(name), did_you_mean(name, plain)));
    }
  }
}

}  // namespace

StreamSpec read_stream(const Node& node, const std::string& path, Problems& problems) {
  const size_t problems_before = problems.count();
  const ObjectReader reader(node, path, kStreamFields, problems);
  const Node* const schema = reader.require("schema", "a list of columns");
  if (schema == nullptr) {
    return {};
  }
  const std::string schema_path = reader.path_of("schema");
  std::vector<Column> columns = read_columns(*schema, schema_path, problems);
  for (size_t i = 0; i < columns.size(); ++i) {
    if (!columns[i].expression.empty()) {
      problems.add(child_path(child_path(schema_path, i), "expression"),
                   "expected none in a stream: only group_by_schema has a computed column");
    }
  }
  if (problems.count() > problems_before) {
    return {};
  }
  return {TableSchema::create(std::move(columns)).value()};
}

TableSchema read_group_by_schema(const Node& node, const std::string& path, Problems& problems) {
  const size_t problems_before = problems.count();
  std::vector<Column> columns = read_columns(node, path, problems);
  size_t plain = 0;
  for (size_t i = 0; i < columns.size(); ++i) {
    columns[i].required = true;
    const std::string column_path = child_path(path, i);
    if (!columns[i].expression.empty()) {
      check_expression(columns, i, column_path, problems);
      continue;
    }
    ++plain;
    if (columns[i].type == ColumnType::kAny) {
      problems.add(child_path(column_path, "type"),
                   "expected a type that can be a key, found \"any\"");
    }
  }
  if (problems.count() == problems_before && plain == 0) {
    problems.add(path, "expected at least one column without an expression");
  }
  if (problems.count() > problems_before) {
    return {};
  }
  return TableSchema::create(std::move(columns)).value();
}

}  // namespace retinue::worker
