// Random rows that lean towards the edges: limits of numbers, 0x00 and 0xff in strings, nulls.
#pragma once

#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "protocol/values/schema.h"
#include "protocol/values/value.h"

namespace retinue {

class RandomRows {
 public:
  explicit RandomRows(uint32_t seed, double null_share = 0.2)
      : random_(seed), null_share_(null_share) {}

  uint64_t below(uint64_t limit) { return random_() % limit; }
  bool chance(double share) { return std::uniform_real_distribution<>()(random_) < share; }

  Value value(ColumnType type) {
    if (chance(null_share_)) {
      return Null{};
    }
    switch (type) {
      case ColumnType::kInt64: return static_cast<int64_t>(bits());
      case ColumnType::kUint64: return bits();
      case ColumnType::kDouble: return number();
      case ColumnType::kBoolean: return chance(0.5);
      case ColumnType::kString: return bytes();
      case ColumnType::kAny: return AnyValue{bytes()};
    }
    return Null{};
  }

  Row row(const TableSchema& schema) {
    Row row;
    for (const Column& column : schema.columns()) {
      row.push_back(value(column.type));
    }
    return row;
  }

 private:
  uint64_t bits() {
    static constexpr uint64_t kEdges[] = {
        0, 1, 2, 255, 256, UINT32_MAX, INT64_MAX, uint64_t{1} << 63, UINT64_MAX, UINT64_MAX - 1};
    return chance(0.5) ? kEdges[below(std::size(kEdges))] : random_() >> below(64);
  }

  double number() {
    using Limits = std::numeric_limits<double>;
    static constexpr double kEdges[] = {0.0,
                                        -0.0,
                                        1.0,
                                        -1.0,
                                        Limits::min(),
                                        -Limits::min(),
                                        Limits::denorm_min(),
                                        -Limits::denorm_min(),
                                        Limits::max(),
                                        Limits::lowest(),
                                        Limits::infinity(),
                                        -Limits::infinity()};
    return chance(0.5) ? kEdges[below(std::size(kEdges))]
                       : std::uniform_real_distribution<>(-1e3, 1e3)(random_);
  }

  std::string bytes() {
    static constexpr char kBytes[] = {'\x00', '\x01', 'a', '\xfe', '\xff'};
    std::string bytes(below(6), '\0');
    for (char& byte : bytes) {
      byte = kBytes[below(std::size(kBytes))];
    }
    return bytes;
  }

  std::mt19937_64 random_;
  double null_share_;
};

inline constexpr ColumnType kEveryType[] = {ColumnType::kInt64,  ColumnType::kUint64,
                                            ColumnType::kDouble, ColumnType::kBoolean,
                                            ColumnType::kString, ColumnType::kAny};

// One column of each of `types`, named after its type.
inline TableSchema schema_of(std::span<const ColumnType> types) {
  std::vector<Column> columns;
  for (const ColumnType type : types) {
    columns.push_back({.name = std::string(column_type_name(type)),
                       .type = type,
                       .required = false,
                       .expression = {}});
  }
  return TableSchema::create(std::move(columns)).value();
}
inline TableSchema every_type_schema() {
  return schema_of(kEveryType);
}

}  // namespace retinue
