#include "protocol/values/farm_hash.h"

#include <farmhash.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "protocol/values/value.h"
#include "tests/unit/protocol/values/random_rows.h"

namespace retinue {
namespace {

uint64_t fingerprint_of(const Value& value) {
  if (const auto* number = std::get_if<int64_t>(&value)) {
    return fingerprint(static_cast<uint64_t>(*number));
  }
  if (const auto* number = std::get_if<uint64_t>(&value)) {
    return fingerprint(*number);
  }
  if (const auto* number = std::get_if<double>(&value)) {
    return fingerprint(std::bit_cast<uint64_t>(*number));
  }
  if (const auto* flag = std::get_if<bool>(&value)) {
    return fingerprint(uint64_t{*flag});
  }
  return fingerprint(std::string_view(std::get<std::string>(value)));
}

struct Adder {
  FarmHasher& hasher;
  void operator()(Null) const { hasher.add_null(); }
  void operator()(int64_t value) const { hasher.add_int64(value); }
  void operator()(uint64_t value) const { hasher.add_uint64(value); }
  void operator()(double value) const { hasher.add_double(value); }
  void operator()(bool value) const { hasher.add_boolean(value); }
  void operator()(const std::string& value) const { hasher.add_string(value); }
  void operator()(const AnyValue&) const { FAIL(); }
};

uint64_t hash_of(const Row& row) {
  FarmHasher hasher;
  for (const Value& value : row) {
    std::visit(Adder{hasher}, value);
  }
  return hasher.finish().value();
}

struct Vector {
  Row row;
  std::vector<uint64_t> fingerprints;
  uint64_t hash;
};

// Published stability vectors of YTsaurus.
TEST(FarmHashTest, MatchesTheVectors) {
  const Vector vectors[] = {
      {{int64_t{12345678}, uint64_t{42}},
       {18329046069279503950u, 17355217915646310598u},
       16453323425893019626u},
      {{uint64_t{12345678}, true},
       {18329046069279503950u, 10105606910506535461u},
       10502610411105654667u},
      {{42.0, std::string("0")},
       {6259286942292166412u, 15198969275252572735u},
       12125805494429148155u},
      {{false, std::string()}, {0u, 11160318154034397263u}, 10248854568006048452u},
      {{std::string("abc"), int64_t{-1000000}},
       {2640714258260161385u, 13952380479379003069u},
       9998489714118868374u},
  };
  for (const Vector& vector : vectors) {
    for (size_t i = 0; i < vector.row.size(); ++i) {
      EXPECT_EQ(fingerprint_of(vector.row[i]), vector.fingerprints[i]);
    }
    EXPECT_EQ(hash_of(vector.row), vector.hash);
  }
  EXPECT_EQ(hash_of({uint64_t{456}}), 2044001940267648219u);
}

TEST(FarmHashTest, NullZeroAndFalseAreAlike) {
  EXPECT_EQ(fingerprint(uint64_t{0}), 0u);
  const uint64_t zero = hash_of({Null{}});
  for (const Value& value :
       {Value(int64_t{0}), Value(uint64_t{0}), Value(0.0), Value(-0.0), Value(false)}) {
    EXPECT_EQ(hash_of({value}), zero);
  }
  EXPECT_NE(hash_of({std::string()}), zero);
  EXPECT_NE(hash_of({std::numeric_limits<double>::denorm_min()}), zero);
}

TEST(FarmHashTest, OrderAndNumberOfValuesCount) {
  EXPECT_EQ(hash_of({}), 0xdeadc0deu);
  EXPECT_NE(hash_of({int64_t{1}, int64_t{2}}), hash_of({int64_t{2}, int64_t{1}}));
  EXPECT_NE(hash_of({Null{}}), hash_of({Null{}, Null{}}));
}

TEST(FarmHashTest, StringsOfEveryLengthAreFingerprint64) {
  std::mt19937 random(51);
  std::string bytes;
  for (size_t length = 0; length <= 1000; ++length) {
    EXPECT_EQ(fingerprint(std::string_view(bytes)),
              NAMESPACE_FOR_HASH_FUNCTIONS::Fingerprint64(bytes.data(), bytes.size()))
        << length;
    bytes.push_back(static_cast<char>(random()));
  }
  EXPECT_EQ(fingerprint(std::string_view()), fingerprint(std::string_view("")));
}

TEST(FarmHashTest, ColumnsHashAsTheirValues) {
  const TableSchema schema = schema_of(std::span(kEveryType).first(5));
  RandomRows random(52);
  RowBatchBuilder builder(schema);
  std::vector<Row> rows;
  for (int i = 0; i < 500; ++i) {
    rows.push_back(random.row(schema));
    ASSERT_TRUE(append_row(builder, schema, rows.back()).ok());
  }
  const RowBatchView view = builder.view();
  for (uint32_t i = 0; i < rows.size(); ++i) {
    FarmHasher hasher;
    for (const ColumnView& column : view.columns()) {
      hasher.add(column, i);
    }
    ASSERT_EQ(hasher.finish().value(), hash_of(rows[i]));
  }
}

TEST(FarmHashDeathTest, AnyHasNoHash) {
  const ColumnType types[] = {ColumnType::kAny};
  RowBatchBuilder builder{std::span(types)};
  builder.set_bytes(ColumnIndex(0), "1");
  builder.finish_row();
  const RowBatchView view = builder.view();
  FarmHasher hasher;
  EXPECT_DEATH(hasher.add(view.column(ColumnIndex(0)), 0), "type any");
}

}  // namespace
}  // namespace retinue
