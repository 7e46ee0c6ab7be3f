#include "protocol/frame/wire_values.h"

#include <capnp/message.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "protocol/base/limits.h"
#include "protocol/values/value.h"

namespace retinue {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TableSchema every_type() {
  return TableSchema::create({{"i", ColumnType::kInt64, true, ""},
                              {"u", ColumnType::kUint64, false, "farm_hash(s)"},
                              {"d", ColumnType::kDouble, false, ""},
                              {"b", ColumnType::kBoolean, false, ""},
                              {"s", ColumnType::kString, false, ""},
                              {"a", ColumnType::kAny, false, ""}})
      .value();
}

std::vector<Row> every_shape() {
  return {{int64_t{-1}, uint64_t{7}, 1.5, true, std::string("text"), AnyValue{"#"}},
          {int64_t{0}, Null{}, Null{}, Null{}, Null{}, Null{}},
          {std::numeric_limits<int64_t>::min(), UINT64_MAX, -0.0, false, std::string(),
           AnyValue{"\x02\x02"}}};
}

RowBatchBuilder build(const std::vector<Row>& rows) {
  TableSchema schema = every_type();
  RowBatchBuilder builder(schema);
  for (const Row& row : rows) {
    EXPECT_TRUE(append_row(builder, schema, row).ok());
  }
  return builder;
}

std::vector<Row> rows_of(const RowBatchView& view) {
  std::vector<Row> rows;
  for (uint32_t row = 0; row < view.row_count(); ++row) {
    rows.push_back(row_at(view, row));
  }
  return rows;
}

class WireValues : public testing::Test {
 protected:
  ~WireValues() noexcept override {}

  wire::RowBatch::Builder rows() { return message_.initRoot<wire::RowBatch>(); }

  capnp::MallocMessageBuilder message_;
};

TEST_F(WireValues, RowsKeepEveryTypeAndNull) {
  RowBatchBuilder builder = build(every_shape());
  wire::RowBatch::Builder out = rows();
  write_rows(out, builder);
  Result<RowBatchView> view = read_rows(out.asReader());
  ASSERT_TRUE(view.ok()) << view.error().to_string();
  EXPECT_TRUE(view->check_schema(every_type()).ok());
  EXPECT_EQ(rows_of(*view), every_shape());
  EXPECT_FALSE(out.getColumns()[0].hasValidity());
  EXPECT_TRUE(out.getColumns()[1].hasValidity());
}

TEST_F(WireValues, AViewWritesAsItsBuilder) {
  RowBatchBuilder builder = build(every_shape());
  wire::RowBatch::Builder out = rows();
  write_rows(out, builder.view());
  Result<RowBatchView> view = read_rows(out.asReader());
  ASSERT_TRUE(view.ok()) << view.error().to_string();
  EXPECT_EQ(rows_of(*view), every_shape());
}

TEST_F(WireValues, NoRowsAndNoColumns) {
  wire::RowBatch::Builder out = rows();
  write_rows(out, build({}));
  Result<RowBatchView> none = read_rows(out.asReader());
  ASSERT_TRUE(none.ok()) << none.error().to_string();
  EXPECT_EQ(none->row_count(), 0u);
  EXPECT_EQ(none->column_count(), 6u);
  Result<RowBatchView> untouched = read_rows(rows().asReader());
  ASSERT_TRUE(untouched.ok()) << untouched.error().to_string();
  EXPECT_EQ(untouched->column_count(), 0u);
}

TEST_F(WireValues, OneColumn) {
  RowBatchBuilder builder = build(every_shape());
  auto out = message_.initRoot<wire::ColumnData>();
  write_column(out, builder.column_bytes()[4]);
  Result<RowBatchView> view = read_column(out.asReader(), 3);
  ASSERT_TRUE(view.ok()) << view.error().to_string();
  EXPECT_THAT(rows_of(*view),
              ElementsAre(Row{std::string("text")}, Row{Null{}}, Row{std::string()}));
  EXPECT_FALSE(read_column(out.asReader(), 4).ok());
}

TEST_F(WireValues, RefusesTypesItDoesNotKnow) {
  for (uint16_t number : {0, 7, 65535}) {
    wire::RowBatch::Builder out = rows();
    out.initColumns(1)[0].setType(static_cast<wire::ColumnType>(number));
    Result<RowBatchView> view = read_rows(out.asReader());
    ASSERT_FALSE(view.ok());
    EXPECT_EQ(view.error().code, ErrorCode::kSchemaMismatch);
    EXPECT_THAT(view.error().message, HasSubstr("column 0 has type number"));
  }
}

TEST_F(WireValues, RefusesTooManyColumns) {
  wire::RowBatch::Builder out = rows();
  out.initColumns(limits::kColumnsLimit + 1);
  EXPECT_EQ(read_rows(out.asReader()).error().code, ErrorCode::kLimitExceeded);
  auto schema = message_.initRoot<wire::Schema>();
  schema.initColumns(limits::kColumnsLimit + 1);
  EXPECT_EQ(read_schema(schema.asReader()).error().code, ErrorCode::kLimitExceeded);
}

TEST_F(WireValues, RefusesColumnsThatDoNotFitTheirRows) {
  RowBatchBuilder builder = build(every_shape());
  wire::RowBatch::Builder out = rows();
  write_rows(out, builder);
  for (uint32_t count : {4u, 1000u, UINT32_MAX}) {
    out.setRowCount(count);
    EXPECT_FALSE(read_rows(out.asReader()).ok()) << count;
  }
}

TEST_F(WireValues, SchemasRoundTrip) {
  auto out = message_.initRoot<wire::Schema>();
  write_schema(out, every_type());
  EXPECT_EQ(read_schema(out.asReader()).value(), every_type());
  write_schema(out, TableSchema());
  EXPECT_EQ(read_schema(out.asReader()).value(), TableSchema());
}

TEST_F(WireValues, RefusesBadSchemas) {
  auto out = message_.initRoot<wire::Schema>();
  write_schema(out, every_type());
  out.getColumns()[3].setName("i");
  EXPECT_EQ(read_schema(out.asReader()).error().code, ErrorCode::kSchemaMismatch);
  out.getColumns()[3].setName("b");
  out.getColumns()[3].setType(static_cast<wire::ColumnType>(99));
  Error error = read_schema(out.asReader()).error();
  EXPECT_EQ(error.code, ErrorCode::kSchemaMismatch);
  EXPECT_THAT(error.message, HasSubstr("column 3 has type number 99"));
}

TEST(Numbers, ViewTheDataInPlace) {
  std::vector<uint32_t> small = {1, 2, UINT32_MAX};
  std::vector<int64_t> large = {-1, std::numeric_limits<int64_t>::max()};
  auto small_view = read_u32(as_data(small), 3, "keyIndexes");
  auto large_view = read_i64(as_data(large), 2, "triggers");
  ASSERT_TRUE(small_view.ok() && large_view.ok());
  EXPECT_EQ(small_view->data(), small.data());
  EXPECT_THAT(*small_view, ElementsAre(1, 2, UINT32_MAX));
  EXPECT_THAT(*large_view, ElementsAre(-1, std::numeric_limits<int64_t>::max()));
}

TEST(Numbers, RefuseASizeThatDiffers) {
  std::vector<uint32_t> numbers = {1, 2, 3};
  for (uint32_t count : {0u, 2u, 4u, 0x40000003u}) {
    auto view = read_u32(as_data(numbers), count, "timer 'tick': keyIndexes");
    ASSERT_FALSE(view.ok()) << count;
    EXPECT_EQ(view.error().code, ErrorCode::kProtocolViolation);
    EXPECT_THAT(view.error().message, HasSubstr("timer 'tick': keyIndexes"));
  }
  EXPECT_FALSE(read_i64(as_data(numbers), 1, "triggers").ok());
  EXPECT_FALSE(read_u32(capnp::Data::Reader(), 1, "orders").ok());
}

TEST(Numbers, NoneIsAnEmptyView) {
  auto view = read_u32(capnp::Data::Reader(), 0, "orders");
  ASSERT_TRUE(view.ok());
  EXPECT_TRUE(view->empty());
}

TEST(Numbers, RefuseBytesThatAreNotAligned) {
  alignas(8) kj::byte bytes[24] = {};
  EXPECT_TRUE(read_i64({bytes, 16}, 2, "triggers").ok());
  EXPECT_EQ(read_i64({bytes + 4, 16}, 2, "triggers").error().code, ErrorCode::kProtocolViolation);
  EXPECT_EQ(read_u32({bytes + 2, 16}, 4, "orders").error().code, ErrorCode::kProtocolViolation);
}

TEST(WireErrors, RoundTrip) {
  capnp::MallocMessageBuilder message;
  auto out = message.initRoot<wire::ErrorInfo>();
  write_error(out, {ErrorCode::kUnauthorized, "the token is wrong"}, "set RETINUE_TOKEN");
  EXPECT_EQ(out.getRemedy(), "set RETINUE_TOKEN");
  Error error = read_error(out.asReader());
  EXPECT_EQ(error.code, ErrorCode::kUnauthorized);
  EXPECT_EQ(error.message, "the token is wrong (set RETINUE_TOKEN)");
}

TEST(WireErrors, ACodeOfANewerReleaseKeepsItsNumber) {
  capnp::MallocMessageBuilder message;
  auto out = message.initRoot<wire::ErrorInfo>();
  out.setCode(7777);
  out.setMessage("from the future");
  Error error = read_error(out.asReader());
  EXPECT_EQ(error.code, ErrorCode::kInternal);
  EXPECT_THAT(error.message, HasSubstr("7777"));
  EXPECT_THAT(error.message, HasSubstr("from the future"));
}

TEST(WireErrors, LongTextIsCutBetweenCharacters) {
  std::string text(limits::kErrorTextBytesLimit - 1, 'x');
  capnp::MallocMessageBuilder message;
  auto out = message.initRoot<wire::ErrorInfo>();
  write_error(out, {ErrorCode::kUserCodeFailed, text + "\u00e9 and more"});
  EXPECT_EQ(read_error(out.asReader()).message, text);
  // A peer that does not cut is cut by the reader.
  out.setMessage(text + "\u00e9 and more");
  EXPECT_EQ(read_error(out.asReader()).message, text);
}

}  // namespace
}  // namespace retinue
