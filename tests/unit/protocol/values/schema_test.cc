#include "protocol/values/schema.h"

#include <gmock/gmock.h>

#include "protocol/base/limits.h"
#include "tests/unit/protocol/values/random_rows.h"

namespace retinue {
namespace {

using testing::HasSubstr;

Column column(std::string name, ColumnType type = ColumnType::kString) {
  return {.name = std::move(name), .type = type, .required = false, .expression = {}};
}

TEST(ColumnTypeTest, NamesGoBothWays) {
  for (const ColumnType type : kEveryType) {
    EXPECT_EQ(column_type_from_name(column_type_name(type)), type);
  }
  EXPECT_EQ(column_type_name(ColumnType::kBoolean), "boolean");
  EXPECT_EQ(column_type_name(static_cast<ColumnType>(0)), "unknown");
}

TEST(ColumnTypeTest, OtherNamesAreNoType) {
  for (const std::string_view name : {"", "int", "Int64", "int64 ", "utf8", "bool", "unknown"}) {
    EXPECT_EQ(column_type_from_name(name), std::nullopt) << name;
  }
}

TEST(TableSchemaTest, FindsColumnsByName) {
  const TableSchema schema =
      TableSchema::create({column("word"), column("count", ColumnType::kInt64)}).value();
  EXPECT_EQ(schema.size(), 2u);
  EXPECT_EQ(schema.find("count"), ColumnIndex(1));
  EXPECT_EQ(schema.find("Count"), std::nullopt);
  EXPECT_EQ(schema.find(""), std::nullopt);
  EXPECT_EQ(schema[ColumnIndex(0)].name, "word");
}

TEST(TableSchemaTest, MayBeEmpty) {
  EXPECT_EQ(TableSchema::create({}).value(), TableSchema());
}

TEST(TableSchemaTest, RefusesEmptyAndRepeatedNames) {
  const auto nameless = TableSchema::create({column("word"), column("")});
  ASSERT_FALSE(nameless.ok());
  EXPECT_EQ(nameless.error().code, ErrorCode::kSchemaMismatch);
  EXPECT_THAT(nameless.error().message, HasSubstr("column 1"));
  const auto repeated =
      TableSchema::create({column("word"), column("x"), column("word", ColumnType::kInt64)});
  ASSERT_FALSE(repeated.ok());
  EXPECT_EQ(repeated.error().code, ErrorCode::kSchemaMismatch);
  EXPECT_THAT(repeated.error().message, HasSubstr("\"word\""));
}

TEST(TableSchemaTest, BoundsTheNumberOfColumns) {
  std::vector<Column> columns;
  for (size_t i = 0; i < limits::kColumnsLimit; ++i) {
    columns.push_back(column("c" + std::to_string(i)));
  }
  EXPECT_TRUE(TableSchema::create(columns).ok());
  columns.push_back(column("one more"));
  const auto too_many = TableSchema::create(std::move(columns));
  ASSERT_FALSE(too_many.ok());
  EXPECT_EQ(too_many.error().code, ErrorCode::kLimitExceeded);
}

TEST(TableSchemaTest, ResolveExplainsWhatItMisses) {
  const TableSchema schema =
      TableSchema::create({column("word"), column("count", ColumnType::kInt64)}).value();
  EXPECT_EQ(schema.resolve("count", ColumnType::kInt64).value(), ColumnIndex(1));
  const auto absent = schema.resolve("wrod", ColumnType::kString);
  ASSERT_FALSE(absent.ok());
  EXPECT_EQ(absent.error().code, ErrorCode::kSchemaMismatch);
  EXPECT_THAT(absent.error().message, HasSubstr("\"wrod\" (string)"));
  EXPECT_THAT(absent.error().message, HasSubstr("word (string), count (int64)"));
  const auto other_type = schema.resolve("word", ColumnType::kAny);
  ASSERT_FALSE(other_type.ok());
  EXPECT_THAT(other_type.error().message, HasSubstr("\"word\" is string, expected any"));
}

TEST(TableSchemaTest, ResolveListsALongSchemaInPart) {
  std::vector<Column> columns;
  for (int i = 0; i < 20; ++i) {
    columns.push_back(column("c" + std::to_string(i)));
  }
  const TableSchema schema = TableSchema::create(std::move(columns)).value();
  EXPECT_THAT(schema.resolve("x", ColumnType::kAny).error().message, HasSubstr("and 4 more"));
  EXPECT_THAT(TableSchema().resolve("x", ColumnType::kAny).error().message, HasSubstr("none"));
}

}  // namespace
}  // namespace retinue
