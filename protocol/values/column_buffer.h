// ColumnBuffer: one column of a RowBatchBuilder, growing row by row or by many rows at once.
#pragma once

#include <cstdint>
#include <string_view>

#include "protocol/base/check.h"
#include "protocol/values/bitmap.h"
#include "protocol/values/byte_buffer.h"
#include "protocol/values/column_view.h"
#include "protocol/values/schema.h"

namespace retinue {

// Invariant: null rows have value 0, false or "".
class ColumnBuffer {
 public:
  explicit ColumnBuffer(ColumnType type) : type_(type) { clear(); }

  ColumnType type() const { return type_; }
  bool has_nulls() const { return has_nulls_; }
  uint32_t row_count() const { return row_count_; }
  size_t byte_size(uint32_t rows) const;
  // Of the first `rows` rows. Borrows the buffer until it changes.
  ColumnBytes bytes(uint32_t rows) const;

  // Precondition of each: the column has that type.
  template <typename T>
  void push_number(T value) {
    push_valid();
    values_.append_number(value);
  }
  void push_boolean(bool value) {
    bitmap_push(values_, row_count_, value);
    push_valid();
  }
  void push_bytes(std::string_view value) {
    push_valid();
    values_.append(value.data(), value.size());
    RETINUE_CHECK(values_.size() <= UINT32_MAX, "a column of more than 4 GiB");
    offsets_.append_number(static_cast<uint32_t>(values_.size()));
  }

  void push_null();

  // Rows [begin, end) of a column of this type.
  void append(const ColumnView& from, uint32_t begin, uint32_t end);
  // Precondition: `rows` <= row_count().
  void truncate(uint32_t rows);
  void clear();

 private:
  void push_valid() {
    if (has_nulls_) [[unlikely]] {
      bitmap_push(validity_, row_count_, true);
    }
    ++row_count_;
  }
  void push(const ColumnView& from, uint32_t row);
  void append_validity(const ColumnView& from, uint32_t begin, uint32_t end);
  void start_validity();
  void append_offsets(const ColumnView& from, uint32_t begin, uint32_t end);
  size_t values_size(uint32_t rows) const;

  ColumnType type_;
  bool has_nulls_ = false;
  uint32_t row_count_ = 0;
  ByteBuffer validity_;  // one bit a row, kept only once has_nulls_
  ByteBuffer values_;
  ByteBuffer offsets_;  // kString and kAny: row_count_ + 1 numbers, the last values_.size()
};

}  // namespace retinue
