// Any bytes decode to the one row that encodes to them, or are refused; keys compare as rows do.
#include <fuzzer/FuzzedDataProvider.h>

#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "protocol/base/check.h"
#include "protocol/values/key_codec.h"

namespace retinue {
namespace {

TableSchema take_schema(FuzzedDataProvider& input) {
  std::vector<Column> columns;
  for (int i = input.ConsumeIntegralInRange(0, 4); i > 0; --i) {
    columns.push_back({.name = "c" + std::to_string(i),
                       .type = static_cast<ColumnType>(input.ConsumeIntegralInRange(1, 6)),
                       .required = input.ConsumeBool(),
                       .expression = {}});
  }
  return TableSchema::create(std::move(columns)).value();
}

Value take_value(FuzzedDataProvider& input, ColumnType type) {
  if (input.ConsumeIntegralInRange(0, 7) == 0) {
    return Null{};
  }
  switch (type) {
    case ColumnType::kInt64: return input.ConsumeIntegral<int64_t>();
    case ColumnType::kUint64: return input.ConsumeIntegral<uint64_t>();
    case ColumnType::kDouble: return std::bit_cast<double>(input.ConsumeIntegral<uint64_t>());
    case ColumnType::kBoolean: return input.ConsumeBool();
    case ColumnType::kString: return input.ConsumeRandomLengthString(16);
    case ColumnType::kAny: return AnyValue{input.ConsumeRandomLengthString(4)};
  }
  return Null{};
}

Result<std::string> encode(const Row& row) {
  std::string bytes;
  for (const Value& value : row) {
    RETINUE_TRY(append_key_value(bytes, value));
  }
  return bytes;
}

void check_decode(std::string_view bytes, const TableSchema& schema) {
  const auto row = decode_key(bytes, schema);
  if (row.ok()) {
    RETINUE_CHECK(encode(*row).value() == bytes);
  } else {
    RETINUE_CHECK(row.error().code == ErrorCode::kDataCorrupted);
  }
}

void check_order(FuzzedDataProvider& input, const TableSchema& schema) {
  Row left;
  Row right;
  for (const Column& column : schema.columns()) {
    left.push_back(take_value(input, column.type));
    right.push_back(input.ConsumeBool() ? left.back() : take_value(input, column.type));
  }
  const auto left_bytes = encode(left);
  const auto right_bytes = encode(right);
  if (!left_bytes.ok() || !right_bytes.ok()) {
    return;  // NaN or any
  }
  RETINUE_CHECK(decode_key(*left_bytes, schema).value() == left);
  RETINUE_CHECK((*left_bytes < *right_bytes) == (left < right));
  RETINUE_CHECK((*left_bytes == *right_bytes) == (left == right));
}

}  // namespace
}  // namespace retinue

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace retinue;
  FuzzedDataProvider input(data, size);
  const TableSchema schema = take_schema(input);
  if (input.ConsumeBool()) {
    check_order(input, schema);
  } else {
    check_decode(input.ConsumeRemainingBytesAsString(), schema);
  }
  return 0;
}
