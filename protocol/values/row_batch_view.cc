#include <fmt/format.h>

#include <algorithm>

#include "protocol/base/limits.h"
#include "protocol/values/row_batch.h"

namespace retinue {
namespace {

Error mismatch(uint32_t column, std::string_view what) {
  return Error{ErrorCode::kSchemaMismatch, fmt::format("column {}: {}", column, what)};
}

Result<void> check_size(uint32_t column, std::string_view part, size_t size, size_t expected) {
  if (size == expected) {
    return {};
  }
  return mismatch(column, fmt::format("its {} take {} bytes, expected {}", part, size, expected));
}

// Offsets begin with 0, never go back and end with the bytes they point into.
Result<void> check_offsets(uint32_t column, const ColumnView& view, uint32_t rows) {
  bool monotonic = view.offset_at(0) == 0;
  uint32_t longest = 0;
  uint32_t begin = 0;
  for (uint32_t row = 0; row < rows; ++row) {
    const uint32_t end = view.offset_at(row + 1);
    monotonic &= begin <= end;
    longest = std::max(longest, end - begin);
    begin = end;
  }
  if (!monotonic) {
    return mismatch(column, "its offsets do not begin with 0, or go back");
  }
  if (begin != view.raw().values.size()) {
    return mismatch(column, fmt::format("its offsets end at {}, but it has {} bytes of values",
                                        begin, view.raw().values.size()));
  }
  if (longest > limits::kValueBytesLimit) {
    return Error{ErrorCode::kLimitExceeded,
                 fmt::format("column {}: a value of {} bytes, the limit is {}", column, longest,
                             limits::kValueBytesLimit)};
  }
  return {};
}

Result<void> check_nulls(uint32_t column, const ColumnView& view, uint32_t rows) {
  const uint8_t* const validity = view.raw().validity.data();
  // The bits or bytes that are not 0 under any null.
  uint64_t leftover = 0;
  if (view.type() == ColumnType::kBoolean) {
    for (uint32_t i = 0; i < rows / 8; ++i) {
      leftover |= view.raw().values[i] & ~validity[i];
    }
    for (uint32_t row = rows / 8 * 8; row < rows; ++row) {
      leftover |= uint64_t{view.boolean_at(row) && view.is_null(row)};
    }
  } else {
    for (uint32_t row = 0; row < rows; ++row) {
      const uint64_t value = is_variable_width(view.type())
                                 ? view.offset_at(row + 1) - view.offset_at(row)
                                 : view.uint64_at(row);
      leftover |= value & (uint64_t{bitmap_get(validity, row)} - 1);
    }
  }
  if (leftover != 0) {
    return mismatch(column, "a null row has a value; nulls hold 0, false or no bytes");
  }
  return {};
}

Result<void> check_column(uint32_t column, const ColumnView& view, uint32_t rows) {
  const ColumnBytes& bytes = view.raw();
  if (bytes.type < ColumnType::kInt64 || bytes.type > ColumnType::kAny) {
    return mismatch(column, fmt::format("{} is not a type", static_cast<int>(bytes.type)));
  }
  if (!bytes.validity.empty()) {
    RETINUE_TRY(check_size(column, "validity bits", bytes.validity.size(), bitmap_bytes(rows)));
  }
  if (is_variable_width(bytes.type)) {
    RETINUE_TRY(
        check_size(column, "offsets", bytes.offsets.size(), (size_t{rows} + 1) * sizeof(uint32_t)));
    RETINUE_TRY(check_offsets(column, view, rows));
  } else {
    RETINUE_TRY(check_size(column, "offsets", bytes.offsets.size(), 0));
    RETINUE_TRY(
        check_size(column, "values", bytes.values.size(), fixed_width_bytes(bytes.type, rows)));
  }
  return view.has_nulls() ? check_nulls(column, view, rows) : Result<void>{};
}

bool has_null(const ColumnView& column, uint32_t rows) {
  return column.has_nulls() && !bitmap_all_set(column.raw().validity.data(), 0, rows);
}

}  // namespace

Result<RowBatchView> RowBatchView::open(uint32_t row_count, std::span<const ColumnBytes> columns) {
  const auto too_large = [](std::string_view what, size_t size, size_t limit) {
    return Error{ErrorCode::kLimitExceeded,
                 fmt::format("a row batch of {} {}, the limit is {}", size, what, limit)};
  };
  if (row_count > limits::kRowBatchRowsLimit) {
    return too_large("rows", row_count, limits::kRowBatchRowsLimit);
  }
  if (columns.size() > limits::kColumnsLimit) {
    return too_large("columns", columns.size(), limits::kColumnsLimit);
  }
  size_t size = 0;
  for (const ColumnBytes& bytes : columns) {
    size += bytes.validity.size() + bytes.values.size() + bytes.offsets.size();
  }
  if (size > limits::kRowBatchBytesLimit) {
    return too_large("bytes", size, limits::kRowBatchBytesLimit);
  }
  RowBatchView view;
  view.row_count_ = row_count;
  view.columns_.reserve(columns.size());
  for (const ColumnBytes& bytes : columns) {
    const ColumnView column(bytes);
    RETINUE_TRY(check_column(view.column_count(), column, row_count));
    view.columns_.push_back(column);
  }
  return view;
}

Result<void> RowBatchView::check_schema(const TableSchema& schema) const {
  if (columns_.size() > schema.size()) {
    return Error{ErrorCode::kSchemaMismatch, fmt::format("rows of {} columns, the schema has {}",
                                                         columns_.size(), schema.size())};
  }
  for (uint32_t i = 0; i < schema.size(); ++i) {
    const Column& expected = schema[ColumnIndex(i)];
    const bool present = i < columns_.size();
    if (present && columns_[i].type() != expected.type) {
      return Error{
          ErrorCode::kSchemaMismatch,
          fmt::format("column \"{}\" is {}, expected {}", expected.name,
                      column_type_name(columns_[i].type()), column_type_name(expected.type))};
    }
    if (expected.required && row_count_ != 0 && (!present || has_null(columns_[i], row_count_))) {
      return Error{ErrorCode::kSchemaMismatch,
                   fmt::format("column \"{}\" is required, but has nulls", expected.name)};
    }
  }
  return {};
}

size_t RowBatchView::byte_size(uint32_t begin, uint32_t end) const {
  size_t size = 0;
  for (const ColumnView& column : columns_) {
    size += column.byte_size(begin, end);
  }
  return size;
}

}  // namespace retinue
