#include "protocol/values/value.h"

#include <gmock/gmock.h>

#include "tests/unit/protocol/values/random_rows.h"

namespace retinue {
namespace {

using testing::HasSubstr;

TEST(ValueTest, RowsComeBackAsTheyWent) {
  const TableSchema schema = every_type_schema();
  RandomRows random(31);
  RowBatchBuilder builder(schema);
  std::vector<Row> rows;
  for (uint32_t i = 0; i < 200; ++i) {
    rows.push_back(random.row(schema));
    ASSERT_TRUE(append_row(builder, schema, rows.back()).ok());
  }
  for (uint32_t i = 0; i < 200; ++i) {
    EXPECT_EQ(row_at(builder.view(), i), rows[i]);
  }
}

TEST(ValueTest, EveryTypeFitsItsColumnOnly) {
  const TableSchema schema = every_type_schema();
  const Row values = {int64_t{1}, uint64_t{1}, 1.0, true, std::string("1"), AnyValue{"1"}};
  for (size_t column = 0; column < schema.size(); ++column) {
    for (size_t value = 0; value < values.size(); ++value) {
      Row row(schema.size(), Null{});
      row[column] = values[value];
      RowBatchBuilder builder(schema);
      const auto appended = append_row(builder, schema, row);
      EXPECT_EQ(appended.ok(), column == value);
      EXPECT_EQ(builder.row_count(), column == value ? 1u : 0u);
      if (!appended.ok()) {
        EXPECT_EQ(appended.error().code, ErrorCode::kSchemaMismatch);
        EXPECT_THAT(appended.error().message,
                    HasSubstr("column \"" + schema.columns()[column].name + "\" is"));
      }
    }
  }
}

TEST(ValueTest, ARefusedRowLeavesNothingBehind) {
  const TableSchema schema = every_type_schema();
  RowBatchBuilder builder(schema);
  Row row = {int64_t{1}, uint64_t{2}, 3.0, true, std::string("5"), std::string("no yson")};
  EXPECT_FALSE(append_row(builder, schema, row).ok());
  row.back() = AnyValue{"6"};
  ASSERT_TRUE(append_row(builder, schema, row).ok());
  EXPECT_EQ(row_at(builder.view(), 0), row);
}

TEST(ValueTest, RefusesRowsOfAnotherWidth) {
  const TableSchema schema = every_type_schema();
  RowBatchBuilder builder(schema);
  EXPECT_THAT(append_row(builder, schema, Row(5, Null{})).error().message,
              HasSubstr("5 values, the schema has 6"));
  EXPECT_FALSE(append_row(builder, schema, Row(7, Null{})).ok());
}

TEST(ValueTest, RefusesNullInARequiredColumn) {
  const TableSchema schema =
      TableSchema::create(
          {{.name = "id", .type = ColumnType::kInt64, .required = true, .expression = {}}})
          .value();
  RowBatchBuilder builder(schema);
  EXPECT_THAT(append_row(builder, schema, {Null{}}).error().message, HasSubstr("\"id\""));
  EXPECT_TRUE(append_row(builder, schema, {int64_t{0}}).ok());
}

}  // namespace
}  // namespace retinue
