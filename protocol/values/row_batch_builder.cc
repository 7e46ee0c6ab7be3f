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

void RowBatchBuilder::finish_row() {
  if (columns_set_ != columns_.size()) {
    for (ColumnBuffer& column : columns_) {
      if (column.row_count() == row_count_) {
        column.push_null();
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
      for (uint32_t row = begin; row < end; ++row) {
        columns_[i].push_null();
      }
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
