#include "protocol/values/schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_set>

#include "protocol/base/limits.h"

namespace retinue {
namespace {

struct TypeName {
  ColumnType type;
  std::string_view name;
};

constexpr std::array kTypeNames = {
    TypeName{ColumnType::kInt64, "int64"},   TypeName{ColumnType::kUint64, "uint64"},
    TypeName{ColumnType::kDouble, "double"}, TypeName{ColumnType::kBoolean, "boolean"},
    TypeName{ColumnType::kString, "string"}, TypeName{ColumnType::kAny, "any"},
};

// "word (string), count (int64)", of a schema that may be long.
std::string list_columns(std::span<const Column> columns) {
  constexpr size_t kListedMax = 16;
  std::string list;
  for (const Column& column : columns.first(std::min(columns.size(), kListedMax))) {
    list += fmt::format("{}{} ({})", list.empty() ? "" : ", ", column.name,
                        column_type_name(column.type));
  }
  if (columns.size() > kListedMax) {
    list += fmt::format(" and {} more", columns.size() - kListedMax);
  }
  return list.empty() ? "none" : list;
}

}  // namespace

std::string_view column_type_name(ColumnType type) {
  for (const auto& [known, name] : kTypeNames) {
    if (known == type) {
      return name;
    }
  }
  return "unknown";
}

std::optional<ColumnType> column_type_from_name(std::string_view name) {
  for (const TypeName& entry : kTypeNames) {
    if (entry.name == name) {
      return entry.type;
    }
  }
  return std::nullopt;
}

Result<TableSchema> TableSchema::create(std::vector<Column> columns) {
  if (columns.size() > limits::kColumnsLimit) {
    return Error{ErrorCode::kLimitExceeded, fmt::format("a schema of {} columns, the limit is {}",
                                                        columns.size(), limits::kColumnsLimit)};
  }
  std::unordered_set<std::string_view> names;
  for (const Column& column : columns) {
    if (column.name.empty()) {
      return Error{ErrorCode::kSchemaMismatch, fmt::format("column {} has no name", names.size())};
    }
    if (!names.insert(column.name).second) {
      return Error{ErrorCode::kSchemaMismatch,
                   fmt::format("column \"{}\" is declared twice", column.name)};
    }
  }
  return TableSchema(std::move(columns));
}

std::optional<ColumnIndex> TableSchema::find(std::string_view name) const {
  for (uint32_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i].name == name) {
      return ColumnIndex(i);
    }
  }
  return std::nullopt;
}

Result<ColumnIndex> TableSchema::resolve(std::string_view name, ColumnType type) const {
  const std::optional<ColumnIndex> index = find(name);
  if (!index) {
    return Error{ErrorCode::kSchemaMismatch,
                 fmt::format("no column \"{}\" ({}) among the columns: {}", name,
                             column_type_name(type), list_columns(columns_))};
  }
  if ((*this)[*index].type != type) {
    return Error{ErrorCode::kSchemaMismatch,
                 fmt::format("column \"{}\" is {}, expected {}; the columns: {}", name,
                             column_type_name((*this)[*index].type), column_type_name(type),
                             list_columns(columns_))};
  }
  return *index;
}

}  // namespace retinue
