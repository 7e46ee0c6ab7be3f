// A batch of any bytes opens or is refused; one that opens can be read, copied and opened again.
#include <fuzzer/FuzzedDataProvider.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "protocol/base/check.h"
#include "protocol/values/farm_hash.h"
#include "protocol/values/key_codec.h"
#include "protocol/values/row_batch.h"
#include "protocol/values/value.h"

namespace retinue {
namespace {

struct Parts {
  ColumnType type;
  std::vector<uint8_t> validity;
  std::vector<uint8_t> values;
  std::vector<uint8_t> offsets;
};

std::vector<uint8_t> take(FuzzedDataProvider& input, size_t expected) {
  // Mostly of the right size, or nothing would ever open.
  const bool other = input.ConsumeIntegralInRange(0, 31) == 0;
  std::vector<uint8_t> bytes =
      input.ConsumeBytes<uint8_t>(other ? input.ConsumeIntegralInRange<size_t>(0, 64) : expected);
  if (!other) {
    bytes.resize(expected);
  }
  return bytes;
}

std::vector<uint8_t> take_offsets(FuzzedDataProvider& input, uint32_t rows, size_t& end) {
  std::vector<uint8_t> bytes((size_t{rows} + 1) * sizeof(uint32_t));
  uint32_t offset = 0;
  for (uint32_t row = 1; row <= rows; ++row) {
    const auto step = input.ConsumeIntegral<uint8_t>();
    offset = step == 255 ? input.ConsumeIntegral<uint32_t>() : offset + step % 8;
    std::memcpy(bytes.data() + row * sizeof offset, &offset, sizeof offset);
  }
  end = offset % 4096;
  return bytes;
}

Parts take_column(FuzzedDataProvider& input, uint32_t rows) {
  Parts parts;
  parts.type = static_cast<ColumnType>(input.ConsumeIntegralInRange(0, 7));
  if (input.ConsumeBool()) {
    parts.validity = take(input, bitmap_bytes(rows));
  }
  if (is_variable_width(parts.type)) {
    size_t end = 0;
    parts.offsets = take_offsets(input, rows, end);
    parts.values = take(input, end);
  } else {
    parts.values = take(input, fixed_width_bytes(parts.type, rows));
    parts.offsets = take(input, 0);
  }
  // Values under nulls are refused; let most batches pass that.
  if (!parts.validity.empty() && input.ConsumeBool()) {
    std::ranges::fill(parts.validity, uint8_t{0xff});
  }
  return parts;
}

// Every value of one row, in one string that tells all rows apart.
std::string described(const RowBatchView& view, uint32_t row, uint32_t columns) {
  std::string text;
  for (uint32_t i = 0; i < columns; ++i) {
    if (i >= view.column_count()) {
      append_key_null(text);
      continue;
    }
    const ColumnView& column = view.column(ColumnIndex(i));
    if (column.is_null(row)) {
      append_key_null(text);
    } else if (is_variable_width(column.type())) {
      append_key_string(text, column.bytes_at(row));
    } else if (column.type() == ColumnType::kBoolean) {
      append_key_boolean(text, column.boolean_at(row));
    } else {
      append_key_uint64(text, column.uint64_at(row));
    }
  }
  return text;
}

void check_null_values(const RowBatchView& view) {
  for (const ColumnView& column : view.columns()) {
    for (uint32_t row = 0; row < view.row_count(); ++row) {
      if (!column.is_null(row)) {
        continue;
      }
      if (is_variable_width(column.type())) {
        RETINUE_CHECK(column.bytes_at(row).empty());
      } else if (column.type() == ColumnType::kBoolean) {
        RETINUE_CHECK(!column.boolean_at(row));
      } else {
        RETINUE_CHECK(column.uint64_at(row) == 0);
      }
    }
  }
}

void check_hash_and_key(const RowBatchView& view) {
  for (const ColumnView& column : view.columns()) {
    for (uint32_t row = 0; row < view.row_count(); ++row) {
      std::string key;
      if (append_key_value(key, column, row).ok()) {
        FarmHasher hasher;
        hasher.add(column, row);
        (void)hasher.finish();
      }
    }
  }
}

// Appends pieces in bulk and row by row, and compares.
void check_append(const RowBatchView& view, FuzzedDataProvider& input) {
  std::vector<ColumnType> types;
  for (const ColumnView& column : view.columns()) {
    types.push_back(column.type());
  }
  types.resize(types.size() + input.ConsumeIntegralInRange<size_t>(0, 2), ColumnType::kBoolean);
  const auto width = static_cast<uint32_t>(types.size());
  RowBatchBuilder bulk{std::span<const ColumnType>(types)};
  std::vector<std::string> expected;
  for (int piece = input.ConsumeIntegralInRange(1, 8); piece > 0; --piece) {
    const auto begin = input.ConsumeIntegralInRange<uint32_t>(0, view.row_count());
    const auto end = input.ConsumeIntegralInRange<uint32_t>(begin, view.row_count());
    bulk.append_rows(view, begin, end);
    for (uint32_t row = begin; row < end; ++row) {
      expected.push_back(described(view, row, width));
    }
    if (input.ConsumeBool()) {
      bulk.abandon_row();
    }
  }
  const auto opened = RowBatchView::open(bulk.row_count(), bulk.column_bytes());
  RETINUE_CHECK(opened.ok());
  RETINUE_CHECK(opened->row_count() == expected.size());
  RETINUE_CHECK(opened->byte_size() == bulk.byte_size());
  for (uint32_t row = 0; row < opened->row_count(); ++row) {
    RETINUE_CHECK(described(*opened, row, width) == expected[row]);
  }
}

}  // namespace
}  // namespace retinue

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace retinue;
  FuzzedDataProvider input(data, size);
  const auto rows = input.ConsumeIntegralInRange<uint32_t>(0, 100);
  std::vector<Parts> parts;
  for (int i = input.ConsumeIntegralInRange(0, 4); i > 0; --i) {
    parts.push_back(take_column(input, rows));
  }
  std::vector<ColumnBytes> columns;
  for (const Parts& part : parts) {
    columns.push_back({part.type, part.validity, part.values, part.offsets});
  }
  const auto view = RowBatchView::open(rows, columns);
  if (!view.ok()) {
    RETINUE_CHECK(view.error().code == ErrorCode::kSchemaMismatch ||
                  view.error().code == ErrorCode::kLimitExceeded);
    return 0;
  }
  check_null_values(*view);
  check_hash_and_key(*view);
  check_append(*view, input);
  return 0;
}
