#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "protocol/values/row_batch.h"
#include "protocol/values/value.h"
#include "tests/unit/protocol/values/random_rows.h"

namespace retinue {
namespace {

constexpr ColumnIndex kInt(0), kUint(1), kDouble(2), kBool(3), kText(4), kAny(5);

RowBatchBuilder builder_of_every_type() {
  return RowBatchBuilder(std::span<const ColumnType>(kEveryType));
}

// What the builder lays out passes the checks of outside bytes.
void expect_opens(const RowBatchBuilder& builder) {
  const auto opened = RowBatchView::open(builder.row_count(), builder.column_bytes());
  ASSERT_TRUE(opened.ok()) << opened.error().message;
  EXPECT_EQ(opened->byte_size(), builder.byte_size());
  EXPECT_EQ(builder.view().byte_size(), builder.byte_size());
  for (uint32_t row = 0; row < builder.row_count(); ++row) {
    EXPECT_EQ(row_at(*opened, row), row_at(builder.view(), row));
  }
}

TEST(RowBatchBuilderTest, HoldsEveryType) {
  RowBatchBuilder builder = builder_of_every_type();
  builder.set_int64(kInt, INT64_MIN);
  builder.set_uint64(kUint, UINT64_MAX);
  builder.set_double(kDouble, -0.5);
  builder.set_boolean(kBool, true);
  builder.set_bytes(kText, std::string_view("a\0b", 3));
  builder.set_bytes(kAny, "{}");
  builder.finish_row();
  expect_opens(builder);
  EXPECT_EQ(row_at(builder.view(), 0),
            (Row{INT64_MIN, UINT64_MAX, -0.5, true, std::string("a\0b", 3), AnyValue{"{}"}}));
  const RowBatchView view = builder.view();
  for (const ColumnView& column : view.columns()) {
    EXPECT_FALSE(column.has_nulls());
    EXPECT_TRUE(column.raw().validity.empty());
  }
}

TEST(RowBatchBuilderTest, ColumnsNotSetAreNullAndHoldNothing) {
  RowBatchBuilder builder = builder_of_every_type();
  builder.finish_row();
  expect_opens(builder);
  const RowBatchView view = builder.view();
  for (const ColumnView& column : view.columns()) {
    EXPECT_TRUE(column.is_null(0));
  }
  EXPECT_EQ(view.column(kInt).int64_at(0), 0);
  EXPECT_EQ(view.column(kUint).uint64_at(0), 0u);
  EXPECT_EQ(view.column(kDouble).double_at(0), 0.0);
  EXPECT_FALSE(view.column(kBool).boolean_at(0));
  EXPECT_EQ(view.column(kText).bytes_at(0), "");
  EXPECT_EQ(view.column(kAny).bytes_at(0), "");
}

TEST(RowBatchBuilderTest, EmptyStringsAreNotNull) {
  RowBatchBuilder builder = builder_of_every_type();
  builder.set_bytes(kText, "");
  builder.set_bytes(kAny, std::string_view());
  builder.finish_row();
  const RowBatchView view = builder.view();
  EXPECT_FALSE(view.column(kText).is_null(0));
  EXPECT_FALSE(view.column(kAny).is_null(0));
  EXPECT_EQ(view.column(kText).bytes_at(0), "");
  EXPECT_NE(view.column(kText).bytes_at(0).data(), nullptr);
}

TEST(RowBatchBuilderTest, NoRows) {
  RowBatchBuilder builder = builder_of_every_type();
  EXPECT_TRUE(builder.empty());
  EXPECT_EQ(builder.byte_size(), 0u);
  expect_opens(builder);
  EXPECT_EQ(builder.view().row_count(), 0u);
  EXPECT_EQ(RowBatchBuilder().view().column_count(), 0u);
}

TEST(RowBatchBuilderTest, NoColumnsStillCountsRows) {
  RowBatchBuilder builder;
  builder.finish_row();
  builder.finish_row();
  EXPECT_EQ(builder.row_count(), 2u);
  expect_opens(builder);
}

TEST(RowBatchBuilderTest, NullsMayComeLate) {
  for (uint32_t first_null = 0; first_null < 20; ++first_null) {
    RowBatchBuilder builder = builder_of_every_type();
    for (uint32_t row = 0; row < 20; ++row) {
      if (row != first_null) {
        builder.set_boolean(kBool, true);
        builder.set_int64(kInt, row);
      }
      builder.finish_row();
    }
    expect_opens(builder);
    const RowBatchView view = builder.view();
    for (uint32_t row = 0; row < 20; ++row) {
      EXPECT_EQ(view.column(kBool).is_null(row), row == first_null);
      EXPECT_EQ(view.column(kInt).is_null(row), row == first_null);
      EXPECT_EQ(view.column(kBool).boolean_at(row), row != first_null);
    }
  }
}

TEST(RowBatchBuilderTest, KeepsNaN) {
  RowBatchBuilder builder(std::span<const ColumnType>(kEveryType).subspan(2, 1));
  builder.set_double(ColumnIndex(0), std::numeric_limits<double>::quiet_NaN());
  builder.finish_row();
  EXPECT_TRUE(std::isnan(builder.view().column(ColumnIndex(0)).double_at(0)));
}

TEST(RowBatchBuilderTest, AbandonsARow) {
  const TableSchema schema = every_type_schema();
  RandomRows random(11);
  for (uint32_t kept = 0; kept < 20; ++kept) {
    RowBatchBuilder builder(schema);
    std::vector<Row> rows;
    for (uint32_t row = 0; row < kept; ++row) {
      rows.push_back(random.row(schema));
      ASSERT_TRUE(append_row(builder, schema, rows.back()).ok());
    }
    builder.set_boolean(kBool, true);
    builder.set_bytes(kText, "abandoned");
    builder.set_int64(kInt, -1);
    EXPECT_EQ(builder.row_count(), kept);
    expect_opens(builder);  // the row under construction does not show
    builder.abandon_row();
    rows.push_back(Row(6, Null{}));
    builder.finish_row();
    expect_opens(builder);
    for (uint32_t row = 0; row <= kept; ++row) {
      EXPECT_EQ(row_at(builder.view(), row), rows[row]);
    }
  }
}

TEST(RowBatchBuilderTest, ClearForgetsRowsAndNulls) {
  const TableSchema schema = every_type_schema();
  RowBatchBuilder builder(schema);
  RandomRows random(12);
  for (int round = 0; round < 5; ++round) {
    std::vector<Row> rows;
    for (uint32_t row = 0; row < 50; ++row) {
      rows.push_back(random.row(schema));
      ASSERT_TRUE(append_row(builder, schema, rows.back()).ok());
    }
    builder.set_int64(kInt, 1);  // and a row that is not finished
    for (uint32_t row = 0; row < 50; ++row) {
      ASSERT_EQ(row_at(builder.view(), row), rows[row]);
    }
    builder.clear();
    EXPECT_TRUE(builder.empty());
    EXPECT_EQ(builder.byte_size(), 0u);
    expect_opens(builder);
    EXPECT_TRUE(std::ranges::none_of(builder.view().columns(), &ColumnView::has_nulls));
  }
}

TEST(RowBatchBuilderTest, CopiesAreIndependent) {
  const TableSchema schema = every_type_schema();
  RowBatchBuilder builder(schema);
  builder.set_bytes(kText, "one");
  builder.finish_row();
  const RowBatchBuilder copy = builder;
  builder.clear();
  builder.set_bytes(kText, "two");
  builder.finish_row();
  EXPECT_EQ(copy.view().column(kText).bytes_at(0), "one");
}

TEST(RowBatchBuilderTest, HoldsAMillionRows) {
  constexpr uint32_t kRows = 1u << 20;
  RowBatchBuilder builder = builder_of_every_type();
  for (uint32_t row = 0; row < kRows; ++row) {
    builder.set_boolean(kBool, row % 3 == 0);
    builder.set_int64(kInt, row);
    builder.set_bytes(kText, row % 2 == 0 ? "ab" : "");
    builder.finish_row();
  }
  const RowBatchView view = RowBatchView::open(kRows, builder.column_bytes()).value();
  for (const uint32_t row : {0u, 1u, kRows / 2, kRows - 2, kRows - 1}) {
    EXPECT_EQ(view.column(kInt).int64_at(row), row);
    EXPECT_EQ(view.column(kBool).boolean_at(row), row % 3 == 0);
    EXPECT_EQ(view.column(kText).bytes_at(row), row % 2 == 0 ? "ab" : "");
    EXPECT_TRUE(view.column(kAny).is_null(row));
  }
}

TEST(RowBatchBuilderDeathTest, MisuseIsABug) {
  RowBatchBuilder builder = builder_of_every_type();
  EXPECT_DEATH(builder.set_int64(kUint, 1), "another type");
  EXPECT_DEATH(builder.set_bytes(kInt, "x"), "another type");
  EXPECT_DEATH(builder.set_int64(ColumnIndex(6), 1), "no such column");
  EXPECT_DEATH(builder.set_bytes(ColumnIndex(6), ""), "no such column");
  builder.set_int64(kInt, 1);
  EXPECT_DEATH(builder.set_int64(kInt, 2), "set twice");
  EXPECT_DEATH(builder.append_rows(RowBatchView(), 0, 0), "under construction");
  builder.finish_row();
  const RowBatchView view = builder.view();
  RowBatchBuilder other = builder_of_every_type();
  EXPECT_DEATH(other.append_rows(view, 0, 2), "past the end");
  EXPECT_DEATH(other.append_rows(view, 1, 0), "past the end");
  RowBatchBuilder narrow(std::span<const ColumnType>(kEveryType).first(1));
  EXPECT_DEATH(narrow.append_rows(view, 0, 1), "more columns");
  const ColumnType reversed[] = {ColumnType::kAny,    ColumnType::kString, ColumnType::kBoolean,
                                 ColumnType::kDouble, ColumnType::kUint64, ColumnType::kInt64};
  RowBatchBuilder differing{std::span(reversed)};
  EXPECT_DEATH(differing.append_rows(view, 0, 1), "other column types");
}

}  // namespace
}  // namespace retinue
