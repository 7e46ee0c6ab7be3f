// RowBatch: rows laid out as one vector a column, with a validity bitmap where a column has nulls.
//
// RowBatchView reads a batch in place, wherever its bytes lie (a frame, a stored block, a builder).
// RowBatchBuilder makes one. Fixed-width values are little-endian; booleans and validity are
// bitmaps, bit i of byte i / 8, least significant first; strings are row_count + 1 uint32 offsets
// and bytes.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "protocol/base/check.h"
#include "protocol/base/result.h"
#include "protocol/values/column_buffer.h"
#include "protocol/values/column_view.h"
#include "protocol/values/schema.h"

namespace retinue {

// Borrows: the bytes it was opened on.
class RowBatchView {
 public:
  RowBatchView() = default;
  // Checks the layout: widths, monotonic offsets inside the bytes, empty values under nulls,
  // limits. O(rows) only for strings and columns with nulls. Errors: kSchemaMismatch with the
  // column's number, kLimitExceeded.
  static Result<RowBatchView> open(uint32_t row_count, std::span<const ColumnBytes> columns);

  // Checks the column count, types and required columns against a schema. The error names the
  // column. A batch may have fewer columns than `schema`, as one written under an older revision
  // has; reading a column past its end is the caller's affair (column_count()).
  Result<void> check_schema(const TableSchema& schema) const;

  uint32_t row_count() const { return row_count_; }
  uint32_t column_count() const { return static_cast<uint32_t>(columns_.size()); }
  std::span<const ColumnView> columns() const { return columns_; }
  // Precondition: the index is below column_count().
  const ColumnView& column(ColumnIndex index) const { return columns_[index.value()]; }

  // Bytes of rows [begin, end), as limits and queues count them.
  size_t byte_size(uint32_t begin, uint32_t end) const;
  size_t byte_size() const { return byte_size(0, row_count_); }

 private:
  friend class RowBatchBuilder;

  uint32_t row_count_ = 0;
  std::vector<ColumnView> columns_;
};

// Appends rows; every buffer is reused after clear().
//
//   builder.set_bytes(word, "a");
//   builder.set_int64(count, 1);
//   builder.finish_row();           // columns not set are null
//
// Invariant: rows appended through append_rows have the builder's column types.
class RowBatchBuilder {
 public:
  RowBatchBuilder() = default;
  explicit RowBatchBuilder(const TableSchema& schema);
  explicit RowBatchBuilder(std::span<const ColumnType> types);

  // Precondition of every setter: the column has that type, and was not set since finish_row().
  void set_int64(ColumnIndex column, int64_t value) {
    prepare(column, ColumnType::kInt64).push_number(value);
  }
  void set_uint64(ColumnIndex column, uint64_t value) {
    prepare(column, ColumnType::kUint64).push_number(value);
  }
  void set_double(ColumnIndex column, double value) {
    prepare(column, ColumnType::kDouble).push_number(value);
  }
  void set_boolean(ColumnIndex column, bool value) {
    prepare(column, ColumnType::kBoolean).push_boolean(value);
  }
  // kString and kAny.
  void set_bytes(ColumnIndex column, std::string_view value) {
    prepare(column, ColumnType::kString, ColumnType::kAny).push_bytes(value);
  }
  void finish_row();
  // Forgets what was set since the last finish_row().
  void abandon_row();

  // Copies rows [begin, end) of `view`. Columns that the view lacks (an older revision) become
  // null.
  void append_rows(const RowBatchView& view, uint32_t begin, uint32_t end);
  void append_row(const RowBatchView& view, uint32_t row) { append_rows(view, row, row + 1); }
  void clear();

  uint32_t row_count() const { return row_count_; }
  size_t byte_size() const;
  bool empty() const { return row_count_ == 0; }

  // Borrows this builder's buffers: valid until the next non-const call.
  RowBatchView view() const;
  // The bytes of the columns, for writing them out.
  std::vector<ColumnBytes> column_bytes() const;

 private:
  ColumnBuffer& prepare(ColumnIndex column, ColumnType type) { return prepare(column, type, type); }
  // The column, checked to be of one of the types and not yet set in this row.
  ColumnBuffer& prepare(ColumnIndex column, ColumnType type, ColumnType other_type) {
    RETINUE_CHECK(column.value() < columns_.size(), "no such column");
    ColumnBuffer& buffer = columns_[column.value()];
    RETINUE_CHECK(buffer.type() == type || buffer.type() == other_type,
                  "a value of another type than the column's");
    RETINUE_CHECK(buffer.row_count() == row_count_, "a column set twice in one row");
    ++columns_set_;
    return buffer;
  }

  uint32_t row_count_ = 0;
  size_t columns_set_ = 0;  // in the row under construction
  std::vector<ColumnBuffer> columns_;
};

}  // namespace retinue
