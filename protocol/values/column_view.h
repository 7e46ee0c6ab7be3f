// ColumnView: one column of rows, read in place.
//
// Borrows: the bytes of the column. They may lie at any address.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "protocol/values/bitmap.h"
#include "protocol/values/schema.h"

namespace retinue {

static_assert(std::endian::native == std::endian::little, "columns are used in place");

// The bytes of one column as they came, before anything about them was checked.
struct ColumnBytes {
  ColumnType type = ColumnType::kString;
  std::span<const uint8_t> validity;  // empty: every row is present
  std::span<const uint8_t> values;
  std::span<const uint8_t> offsets;  // kString and kAny only
};

// One checked column. Null rows have value 0, false or "".
class ColumnView {
 public:
  ColumnType type() const { return raw_.type; }
  bool has_nulls() const { return validity_ != nullptr; }
  bool is_null(uint32_t row) const { return validity_ != nullptr && !bitmap_get(validity_, row); }

  int64_t int64_at(uint32_t row) const { return load<int64_t>(row); }
  uint64_t uint64_at(uint32_t row) const { return load<uint64_t>(row); }
  double double_at(uint32_t row) const { return load<double>(row); }
  bool boolean_at(uint32_t row) const { return bitmap_get(values_, row); }
  // kString and kAny.
  std::string_view bytes_at(uint32_t row) const {
    const uint32_t begin = offset_at(row);
    return {reinterpret_cast<const char*>(values_) + begin, offset_at(row + 1) - begin};
  }
  // Where the bytes of `row` begin; row_count is the end of the last. kString and kAny.
  uint32_t offset_at(uint32_t row) const {
    uint32_t offset;
    std::memcpy(&offset, offsets_ + size_t{row} * sizeof offset, sizeof offset);
    return offset;
  }

  // Bytes of rows [begin, end), as limits and queues count them.
  size_t byte_size(uint32_t begin, uint32_t end) const;

  // The column as it lies, for bulk copies.
  const ColumnBytes& raw() const { return raw_; }

 private:
  friend class RowBatchView;
  friend class RowBatchBuilder;

  explicit ColumnView(const ColumnBytes& bytes)
      : validity_(bytes.validity.empty() ? nullptr : bytes.validity.data()),
        values_(bytes.values.empty() ? kNoBytes : bytes.values.data()),
        offsets_(bytes.offsets.data()),
        raw_(bytes) {}

  template <typename T>
  T load(uint32_t row) const {
    T value;
    std::memcpy(&value, values_ + size_t{row} * sizeof(T), sizeof value);
    return value;
  }

  // Empty strings point here rather than nowhere, which memcpy and others refuse.
  static constexpr uint8_t kNoBytes[1] = {};

  const uint8_t* validity_;
  const uint8_t* values_;
  const uint8_t* offsets_;
  ColumnBytes raw_;
};

}  // namespace retinue
