#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "protocol/values/row_batch.h"
#include "protocol/values/value.h"
#include "tests/unit/protocol/values/random_rows.h"

namespace retinue {
namespace {

std::vector<Row> rows_of(const RowBatchView& view) {
  std::vector<Row> rows;
  for (uint32_t row = 0; row < view.row_count(); ++row) {
    rows.push_back(row_at(view, row));
  }
  return rows;
}

RowBatchBuilder built(const TableSchema& schema, const std::vector<Row>& rows) {
  RowBatchBuilder builder(schema);
  for (const Row& row : rows) {
    EXPECT_TRUE(append_row(builder, schema, row).ok());
  }
  return builder;
}

std::vector<Row> random_rows(const TableSchema& schema, uint32_t count, RandomRows& random) {
  std::vector<Row> rows;
  for (uint32_t i = 0; i < count; ++i) {
    rows.push_back(random.row(schema));
  }
  return rows;
}

void expect_holds(const RowBatchBuilder& builder, const std::vector<Row>& expected) {
  const auto opened = RowBatchView::open(builder.row_count(), builder.column_bytes());
  ASSERT_TRUE(opened.ok()) << opened.error().message;
  ASSERT_EQ(rows_of(*opened), expected);
  ASSERT_EQ(opened->byte_size(), builder.byte_size());
}

// From every bit of a byte to every bit of a byte, with and without nulls on either side.
TEST(AppendRowsTest, EqualsAppendingRowByRowAtEveryBitOffset) {
  const TableSchema schema = every_type_schema();
  for (const auto& [source_nulls, target_nulls] :
       {std::pair{0.0, 0.0}, {0.3, 0.0}, {0.0, 0.3}, {0.3, 0.3}, {1.0, 0.0}, {0.0, 1.0}}) {
    RandomRows from(21, source_nulls);
    RandomRows to(22, target_nulls);
    const std::vector<Row> source = random_rows(schema, 40, from);
    const RowBatchBuilder source_builder = built(schema, source);
    const RowBatchView view = source_builder.view();
    for (uint32_t before = 0; before < 9; ++before) {
      const std::vector<Row> target = random_rows(schema, before, to);
      for (uint32_t begin = 0; begin < 9; ++begin) {
        for (const uint32_t count : {0u, 1u, 2u, 7u, 8u, 9u, 16u, 31u}) {
          RowBatchBuilder builder = built(schema, target);
          builder.append_rows(view, begin, begin + count);
          std::vector<Row> expected = target;
          expected.insert(expected.end(), source.begin() + begin, source.begin() + begin + count);
          expect_holds(builder, expected);
        }
      }
    }
  }
}

TEST(AppendRowsTest, ManyRandomPieces) {
  const TableSchema schema = every_type_schema();
  RandomRows random(23, 0.05);
  const std::vector<Row> source = random_rows(schema, 1000, random);
  const RowBatchBuilder source_builder = built(schema, source);
  const RowBatchView view = source_builder.view();
  RowBatchBuilder builder(schema);
  for (int round = 0; round < 3; ++round) {
    std::vector<Row> expected;
    for (int piece = 0; piece < 40; ++piece) {
      const auto begin = static_cast<uint32_t>(random.below(source.size() + 1));
      const auto end = begin + static_cast<uint32_t>(random.below(source.size() - begin + 1));
      builder.append_rows(view, begin, end);
      expected.insert(expected.end(), source.begin() + begin, source.begin() + end);
      if (random.chance(0.5)) {
        expected.push_back(random.row(schema));
        ASSERT_TRUE(append_row(builder, schema, expected.back()).ok());
      }
      if (random.chance(0.5)) {
        builder.set_bytes(ColumnIndex(4), "abandoned");
        builder.abandon_row();
      }
    }
    expect_holds(builder, expected);
    builder.clear();
  }
}

TEST(AppendRowsTest, ColumnsThatAnOlderRevisionLacksAreNull) {
  const TableSchema schema = every_type_schema();
  RandomRows random(24);
  for (size_t width = 0; width <= std::size(kEveryType); ++width) {
    const TableSchema older = schema_of(std::span(kEveryType).first(width));
    const std::vector<Row> source = random_rows(older, 30, random);
    const RowBatchBuilder source_builder = built(older, source);
    RowBatchBuilder builder = built(schema, random_rows(schema, 5, random));
    std::vector<Row> expected = rows_of(builder.view());
    builder.append_rows(source_builder.view(), 3, 25);
    for (size_t i = 3; i < 25; ++i) {
      expected.push_back(source[i]);
      expected.back().resize(schema.size(), Null{});
    }
    expect_holds(builder, expected);
  }
}

TEST(AppendRowsTest, RowsWithoutNullsNeedNoValidity) {
  const TableSchema schema = schema_of({kEveryType, 1});
  const RowBatchBuilder source =
      built(schema, {Row{int64_t{1}}, Row{Null{}}, Row{int64_t{3}}, Row{int64_t{4}}});
  RowBatchBuilder builder(schema);
  builder.append_rows(source.view(), 2, 4);
  builder.append_row(source.view(), 0);
  EXPECT_FALSE(builder.view().column(ColumnIndex(0)).has_nulls());
  builder.append_row(source.view(), 1);
  EXPECT_TRUE(builder.view().column(ColumnIndex(0)).has_nulls());
  expect_holds(builder, {Row{int64_t{3}}, Row{int64_t{4}}, Row{int64_t{1}}, Row{Null{}}});
}

TEST(AppendRowsTest, TakesBytesAtAnyAddressAndIgnoresBitsPastTheLastRow) {
  const uint8_t offsets[] = {0xee, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 3, 0, 0, 0};
  const uint8_t text[] = {'x', 'y', 'z'};
  const uint8_t validity[] = {0b11111101};
  const uint8_t bits[] = {0b11111001};
  const ColumnBytes columns[] = {
      {ColumnType::kString, validity, text, std::span(offsets).subspan(1)},
      {ColumnType::kBoolean, validity, bits, {}},
  };
  const RowBatchView view = RowBatchView::open(3, columns).value();
  const ColumnType types[] = {ColumnType::kString, ColumnType::kBoolean};
  RowBatchBuilder builder{std::span(types)};
  builder.append_rows(view, 0, 3);
  builder.append_rows(view, 1, 3);
  builder.finish_row();
  const std::vector<Row> expected = {{std::string("x"), true},   {Null{}, Null{}},
                                     {std::string("yz"), false}, {Null{}, Null{}},
                                     {std::string("yz"), false}, {Null{}, Null{}}};
  expect_holds(builder, expected);
}

}  // namespace
}  // namespace retinue
