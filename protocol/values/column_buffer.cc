#include "protocol/values/column_buffer.h"

#include <cstring>

namespace retinue {

size_t ColumnBuffer::values_size(uint32_t rows) const {
  if (!is_variable_width(type_)) {
    return fixed_width_bytes(type_, rows);
  }
  uint32_t end;
  std::memcpy(&end, offsets_.data() + size_t{rows} * sizeof end, sizeof end);
  return end;
}

size_t ColumnBuffer::byte_size(uint32_t rows) const {
  return values_size(rows) + (has_nulls_ ? bitmap_bytes(rows) : 0) +
         (is_variable_width(type_) ? size_t{rows} * sizeof(uint32_t) : 0);
}

ColumnBytes ColumnBuffer::bytes(uint32_t rows) const {
  ColumnBytes bytes;
  bytes.type = type_;
  bytes.values = values_.first(values_size(rows));
  if (has_nulls_) {
    bytes.validity = validity_.first(bitmap_bytes(rows));
  }
  if (is_variable_width(type_)) {
    bytes.offsets = offsets_.first((size_t{rows} + 1) * sizeof(uint32_t));
  }
  return bytes;
}

void ColumnBuffer::start_validity() {
  if (!has_nulls_) {
    has_nulls_ = true;
    validity_.truncate(0);
    bitmap_append_run(validity_, 0, true, row_count_);
  }
}

void ColumnBuffer::push_null() {
  start_validity();
  bitmap_push(validity_, row_count_, false);
  if (type_ == ColumnType::kBoolean) {
    bitmap_push(values_, row_count_, false);
  } else if (is_variable_width(type_)) {
    offsets_.append_number(static_cast<uint32_t>(values_.size()));
  } else {
    values_.append_number(uint64_t{0});
  }
  ++row_count_;
}

void ColumnBuffer::push(const ColumnView& from, uint32_t row) {
  if (from.is_null(row)) {
    push_null();
  } else if (type_ == ColumnType::kBoolean) {
    push_boolean(from.boolean_at(row));
  } else if (is_variable_width(type_)) {
    push_bytes(from.bytes_at(row));
  } else {
    push_number(from.uint64_at(row));
  }
}

void ColumnBuffer::append(const ColumnView& from, uint32_t begin, uint32_t end) {
  if (end - begin == 1) {
    return push(from, begin);  // rows that scatter to partitions come one by one
  }
  append_validity(from, begin, end);
  const uint8_t* const values = from.raw().values.data();
  if (type_ == ColumnType::kBoolean) {
    bitmap_append(values_, row_count_, values, begin, end - begin);
  } else if (is_variable_width(type_)) {
    append_offsets(from, begin, end);
    values_.append(values + from.offset_at(begin), from.offset_at(end) - from.offset_at(begin));
    RETINUE_CHECK(values_.size() <= UINT32_MAX, "a column of more than 4 GiB");
  } else {
    values_.append(values + fixed_width_bytes(type_, begin), fixed_width_bytes(type_, end - begin));
  }
  row_count_ += end - begin;
}

void ColumnBuffer::append_validity(const ColumnView& from, uint32_t begin, uint32_t end) {
  const uint8_t* const validity = from.raw().validity.data();
  if (!from.has_nulls() || (!has_nulls_ && bitmap_all_set(validity, begin, end))) {
    if (has_nulls_) {
      bitmap_append_run(validity_, row_count_, true, end - begin);
    }
    return;
  }
  start_validity();
  bitmap_append(validity_, row_count_, validity, begin, end - begin);
}

void ColumnBuffer::append_offsets(const ColumnView& from, uint32_t begin, uint32_t end) {
  // Unsigned, so a shift down wraps and comes out right.
  const uint32_t shift = static_cast<uint32_t>(values_.size()) - from.offset_at(begin);
  const size_t count = end - begin;
  uint8_t* const to = offsets_.extend(count * sizeof(uint32_t));
  const uint8_t* const source = from.raw().offsets.data() + (size_t{begin} + 1) * sizeof(uint32_t);
  for (size_t i = 0; i < count; ++i) {
    uint32_t offset;
    std::memcpy(&offset, source + i * sizeof offset, sizeof offset);
    offset += shift;
    std::memcpy(to + i * sizeof offset, &offset, sizeof offset);
  }
}

void ColumnBuffer::truncate(uint32_t rows) {
  const size_t size = values_size(rows);
  row_count_ = rows;
  if (has_nulls_) {
    bitmap_truncate(validity_, rows);
  }
  if (type_ == ColumnType::kBoolean) {
    bitmap_truncate(values_, rows);
    return;
  }
  values_.truncate(size);
  if (is_variable_width(type_)) {
    offsets_.truncate((size_t{rows} + 1) * sizeof(uint32_t));
  }
}

void ColumnBuffer::clear() {
  has_nulls_ = false;
  row_count_ = 0;
  values_.truncate(0);
  offsets_.truncate(0);
  if (is_variable_width(type_)) {
    offsets_.append_number(uint32_t{0});
  }
}

}  // namespace retinue
