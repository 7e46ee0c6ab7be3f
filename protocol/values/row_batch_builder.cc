#include "protocol/base/check.h"
#include "protocol/values/row_batch.h"

namespace retinue {

RowBatchBuilder::RowBatchBuilder(const TableSchema& schema) {
  columns_.reserve(schema.size());
  for (const Column& column : schema.columns()) {
    columns_.emplace_back(column.type);
  }
}

RowBatchBuilder::RowBatchBuilder(std::span<const ColumnType> types) {
  columns_.reserve(types.size());
  for (const ColumnType type : types) {
    columns_.emplace_back(type);
  }
}

ColumnBuffer& RowBatchBuilder::prepare(ColumnIndex column, ColumnType type) {
  RETINUE_CHECK(column.value() < columns_.size(), "no such column");
  ColumnBuffer& buffer = columns_[column.value()];
  RETINUE_CHECK(buffer.type() == type, "a value of another type than the column's");
  RETINUE_CHECK(buffer.row_count() == row_count_, "a column set twice in one row");
  ++columns_set_;
  return buffer;
}

void RowBatchBuilder::set_int64(ColumnIndex column, int64_t value) {
  prepare(column, ColumnType::kInt64).push_number(value);
}

void RowBatchBuilder::set_uint64(ColumnIndex column, uint64_t value) {
  prepare(column, ColumnType::kUint64).push_number(value);
}

void RowBatchBuilder::set_double(ColumnIndex column, double value) {
  prepare(column, ColumnType::kDouble).push_number(value);
}

void RowBatchBuilder::set_boolean(ColumnIndex column, bool value) {
  prepare(column, ColumnType::kBoolean).push_boolean(value);
}

void RowBatchBuilder::set_bytes(ColumnIndex column, std::string_view value) {
  RETINUE_CHECK(column.value() < columns_.size(), "no such column");
  const bool is_any = columns_[column.value()].type() == ColumnType::kAny;
  prepare(column, is_any ? ColumnType::kAny : ColumnType::kString).push_bytes(value);
}

void RowBatchBuilder::finish_row() {
  if (columns_set_ != columns_.size()) {
    for (ColumnBuffer& column : columns_) {
      if (column.row_count() == row_count_) {
        column.append_nulls(1);
      }
    }
  }
  ++row_count_;
  columns_set_ = 0;
}

void RowBatchBuilder::abandon_row() {
  for (ColumnBuffer& column : columns_) {
    column.truncate(row_count_);
  }
  columns_set_ = 0;
}

void RowBatchBuilder::append_rows(const RowBatchView& view, uint32_t begin, uint32_t end) {
  RETINUE_CHECK(begin <= end && end <= view.row_count(), "rows past the end of a batch");
  RETINUE_CHECK(columns_set_ == 0, "rows appended while a row is under construction");
  RETINUE_CHECK(view.column_count() <= columns_.size(), "a batch of more columns");
  for (uint32_t i = 0; i < columns_.size(); ++i) {
    if (i >= view.column_count()) {
      columns_[i].append_nulls(end - begin);
      continue;
    }
    const ColumnView& column = view.column(ColumnIndex(i));
    RETINUE_CHECK(column.type() == columns_[i].type(), "a batch of other column types");
    columns_[i].append(column, begin, end);
  }
  row_count_ += end - begin;
}

void RowBatchBuilder::clear() {
  for (ColumnBuffer& column : columns_) {
    column.clear();
  }
  row_count_ = 0;
  columns_set_ = 0;
}

size_t RowBatchBuilder::byte_size() const {
  size_t size = 0;
  for (const ColumnBuffer& column : columns_) {
    size += column.byte_size(row_count_);
  }
  return size;
}

RowBatchView RowBatchBuilder::view() const {
  RowBatchView view;
  view.row_count_ = row_count_;
  view.columns_.reserve(columns_.size());
  for (const ColumnBuffer& column : columns_) {
    view.columns_.push_back(ColumnView(column.bytes(row_count_)));
  }
  return view;
}

std::vector<ColumnBytes> RowBatchBuilder::column_bytes() const {
  std::vector<ColumnBytes> bytes;
  bytes.reserve(columns_.size());
  for (const ColumnBuffer& column : columns_) {
    bytes.push_back(column.bytes(row_count_));
  }
  return bytes;
}

}  // namespace retinue
