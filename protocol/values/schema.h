// Table schemas: the ordered, typed columns of a stream, a key or an external-state row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/base/result.h"
#include "protocol/base/strong_type.h"

namespace retinue {

// Values are on the wire and on disk: never renumber.
enum class ColumnType : uint8_t {
  kInt64 = 1,
  kUint64 = 2,
  kDouble = 3,
  kBoolean = 4,
  kString = 5,  // bytes; UTF-8 is the user's affair
  kAny = 6,     // binary YSON
};

// "int64", "uint64", "double", "boolean", "string", "any".
std::string_view column_type_name(ColumnType type);
std::optional<ColumnType> column_type_from_name(std::string_view name);
// kString and kAny have offsets and bytes; the others have a fixed width.
constexpr bool is_variable_width(ColumnType type) {
  return type == ColumnType::kString || type == ColumnType::kAny;
}
// Bytes of the values of `rows` rows. Precondition: not a variable-width type.
constexpr size_t fixed_width_bytes(ColumnType type, uint32_t rows) {
  return type == ColumnType::kBoolean ? (size_t{rows} + 7) / 8 : size_t{rows} * 8;
}

// A column's place in its schema. Resolve a name to it once, not once a row.
using ColumnIndex = StrongNumber<struct ColumnIndexTag, uint32_t>;

struct Column {
  std::string name;
  ColumnType type = ColumnType::kString;
  bool required = false;   // null is refused
  std::string expression;  // "farm_hash(word)": computed by the worker; empty for a plain column

  friend bool operator==(const Column&, const Column&) = default;
};

// Invariants: names are unique and not empty; at most limits::kColumnsLimit columns.
class TableSchema {
 public:
  TableSchema() = default;
  // Errors: kSchemaMismatch for an empty or repeated name, kLimitExceeded for too many columns.
  static Result<TableSchema> create(std::vector<Column> columns);

  std::span<const Column> columns() const { return columns_; }
  size_t size() const { return columns_.size(); }
  const Column& operator[](ColumnIndex index) const { return columns_[index.value()]; }

  std::optional<ColumnIndex> find(std::string_view name) const;
  // As find, but the error names the column, its wanted type and the columns there are.
  Result<ColumnIndex> resolve(std::string_view name, ColumnType type) const;

  friend bool operator==(const TableSchema&, const TableSchema&) = default;

 private:
  explicit TableSchema(std::vector<Column> columns) : columns_(std::move(columns)) {}

  std::vector<Column> columns_;
};

}  // namespace retinue
