#include "worker/stream/key_extractor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "protocol/base/limits.h"
#include "protocol/values/farm_hash.h"
#include "protocol/values/key_codec.h"

namespace retinue::worker {
namespace {

using ::testing::HasSubstr;

Column column(std::string name, ColumnType type, std::string expression = "") {
  return {.name = std::move(name),
          .type = type,
          .required = false,
          .expression = std::move(expression)};
}

TableSchema schema(std::vector<Column> columns) {
  return TableSchema::create(std::move(columns)).value();
}

const TableSchema kStream =
    schema({column("user", ColumnType::kString), column("site", ColumnType::kInt64),
            column("rate", ColumnType::kDouble), column("extra", ColumnType::kAny),
            column("late", ColumnType::kString)});

RowBatchBuilder one_row(const Row& row, const TableSchema& row_schema = kStream) {
  RowBatchBuilder builder(row_schema);
  EXPECT_TRUE(append_row(builder, row_schema, row).ok());
  return builder;
}

std::string key_of(const KeyExtractor& extractor, const RowBatchBuilder& rows) {
  std::string key = "prefix";
  const RowBatchView view = rows.view();
  const auto appended = extractor.append_key(key, extractor.hash(view, 0), view, 0);
  EXPECT_TRUE(appended.ok()) << appended.error().to_string();
  return key.substr(6);
}

const Row kRow = {std::string("ann"), int64_t{-3}, 0.5, Null(), std::string("x")};

TEST(KeyExtractor, HashExpressionNamesWhatIsHashed) {
  const TableSchema key =
      schema({column("hash", ColumnType::kUint64, "farm_hash(user)"),
              column("site", ColumnType::kInt64), column("user", ColumnType::kString)});
  const KeyExtractor extractor = KeyExtractor::create(key, kStream).value();
  const RowBatchBuilder rows = one_row(kRow);
  FarmHasher hasher;
  hasher.add_string("ann");
  const KeyHash hash = hasher.finish();
  EXPECT_EQ(extractor.hash(rows.view(), 0), hash);

  std::string expected;
  append_big_endian(expected, hash.value());
  append_key_int64(expected, -3);
  append_key_string(expected, "ann");
  EXPECT_EQ(key_of(extractor, rows), expected);
  EXPECT_EQ(stored_key(key, {int64_t{-3}, std::string("ann")}).value(), expected);

  RowBatchBuilder key_rows(key);
  extractor.append_key_row(key_rows, hash, rows.view(), 0);
  EXPECT_EQ(row_at(key_rows.view(), 0), (Row{hash.value(), int64_t{-3}, std::string("ann")}));
  EXPECT_EQ(plain_key_schema(key).size(), 2u);
  EXPECT_EQ(decode_key(expected.substr(8), plain_key_schema(key)).value(),
            (Row{int64_t{-3}, std::string("ann")}));
}

TEST(KeyExtractor, WithoutAnExpressionEveryColumnIsHashed) {
  const TableSchema key =
      schema({column("site", ColumnType::kInt64), column("user", ColumnType::kString)});
  const KeyExtractor extractor = KeyExtractor::create(key, kStream).value();
  FarmHasher hasher;
  hasher.add_int64(-3);
  hasher.add_string("ann");
  const RowBatchBuilder rows = one_row(kRow);
  EXPECT_EQ(extractor.hash(rows.view(), 0), hasher.finish());
  RowBatchBuilder key_rows(key);
  extractor.append_key_row(key_rows, hasher.finish(), rows.view(), 0);
  EXPECT_EQ(row_at(key_rows.view(), 0), (Row{int64_t{-3}, std::string("ann")}));
}

TEST(KeyExtractor, NullsAreValues) {
  const TableSchema key =
      schema({column("user", ColumnType::kString), column("site", ColumnType::kInt64)});
  const KeyExtractor extractor = KeyExtractor::create(key, kStream).value();
  const RowBatchBuilder rows = one_row({Null(), int64_t{0}, Null(), Null(), Null()});
  FarmHasher hasher;
  hasher.add_null();
  hasher.add_int64(0);
  EXPECT_EQ(extractor.hash(rows.view(), 0), hasher.finish());
  EXPECT_EQ(key_of(extractor, rows), stored_key(key, {Null(), int64_t{0}}).value());
  EXPECT_NE(key_of(extractor, rows),
            key_of(extractor, one_row({std::string(), int64_t{0}, Null(), Null(), Null()})));
}

TEST(KeyExtractor, ColumnsThatAnOlderRevisionLacksAreNull) {
  const TableSchema key =
      schema({column("hash", ColumnType::kUint64, "farm_hash(late, user)"),
              column("user", ColumnType::kString), column("late", ColumnType::kString)});
  const KeyExtractor extractor = KeyExtractor::create(key, kStream).value();
  const TableSchema old = schema({column("user", ColumnType::kString)});
  const RowBatchBuilder rows = one_row({std::string("ann")}, old);
  const RowBatchBuilder same = one_row({std::string("ann"), Null(), Null(), Null(), Null()});
  EXPECT_EQ(key_of(extractor, rows), key_of(extractor, same));
  RowBatchBuilder key_rows(key);
  const KeyHash hash = extractor.hash(rows.view(), 0);
  extractor.append_key_row(key_rows, hash, rows.view(), 0);
  EXPECT_EQ(row_at(key_rows.view(), 0), (Row{hash.value(), std::string("ann"), Null()}));
}

TEST(KeyExtractor, NanIsNoKey) {
  const TableSchema key = schema({column("rate", ColumnType::kDouble)});
  const KeyExtractor extractor = KeyExtractor::create(key, kStream).value();
  Row row = kRow;
  row[2] = std::nan("");
  const RowBatchBuilder rows = one_row(row);
  std::string out;
  const auto appended = extractor.append_key(out, KeyHash(1), rows.view(), 0);
  ASSERT_FALSE(appended.ok());
  EXPECT_EQ(appended.error().code, ErrorCode::kSchemaMismatch);
  EXPECT_EQ(extractor.check_keys(rows.view()).error().code, ErrorCode::kSchemaMismatch);
  EXPECT_TRUE(extractor.check_keys(one_row(kRow).view()).ok());
  EXPECT_TRUE(
      extractor
          .check_keys(
              one_row({std::string("a")}, schema({column("user", ColumnType::kString)})).view())
          .ok());
  EXPECT_FALSE(stored_key(key, {std::nan("")}).ok());
  // Both zeros are one key.
  EXPECT_EQ(stored_key(key, {-0.0}).value(), stored_key(key, {0.0}).value());
}

TEST(KeyExtractor, AKeyOverTheLimitIsRefused) {
  const TableSchema key =
      schema({column("user", ColumnType::kString), column("late", ColumnType::kString)});
  const KeyExtractor extractor = KeyExtractor::create(key, kStream).value();
  const auto check = [&](size_t user_bytes, size_t late_bytes, char filler = 'x') {
    const RowBatchBuilder rows = one_row(
        {std::string(user_bytes, filler), Null(), Null(), Null(), std::string(late_bytes, filler)});
    return extractor.check_keys(rows.view());
  };
  constexpr size_t kHalf = limits::kKeyBytesLimit / 2;
  EXPECT_TRUE(check(kHalf, kHalf - 100).ok());
  const auto refused = check(kHalf, kHalf);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kLimitExceeded);
  EXPECT_THAT(refused.error().message, HasSubstr("message 0: its key"));
  EXPECT_FALSE(check(kHalf, 0, '\0').ok()) << "zeros are escaped";
}

TEST(KeyExtractor, RefusesStreamsThatLackTheKey) {
  const auto expect_refused = [](std::vector<Column> key, const std::string& message) {
    const auto extractor = KeyExtractor::create(schema(std::move(key)), kStream);
    ASSERT_FALSE(extractor.ok());
    EXPECT_EQ(extractor.error().code, ErrorCode::kSchemaMismatch);
    EXPECT_THAT(extractor.error().message, HasSubstr(message));
  };
  expect_refused({column("nobody", ColumnType::kString)}, "nobody");
  expect_refused({column("site", ColumnType::kUint64)}, "site");
  expect_refused(
      {column("hash", ColumnType::kUint64, "farm_hash(gone)"), column("user", ColumnType::kString)},
      "the key's hash is taken of column \"gone\"");
  expect_refused({column("hash", ColumnType::kUint64, "farm_hash(extra)"),
                  column("user", ColumnType::kString)},
                 "\"extra\"");
}

TEST(KeyExtractor, AStoredKeyNeedsEveryColumn) {
  const TableSchema key =
      schema({column("user", ColumnType::kString), column("site", ColumnType::kInt64)});
  EXPECT_EQ(stored_key(key, {std::string("ann")}).error().code, ErrorCode::kSchemaMismatch);
  EXPECT_EQ(stored_key(key, {int64_t{1}, int64_t{1}}).error().code, ErrorCode::kSchemaMismatch);
}

}  // namespace
}  // namespace retinue::worker
