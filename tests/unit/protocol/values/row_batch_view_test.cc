#include <gmock/gmock.h>

#include <cstring>
#include <string>
#include <vector>

#include "protocol/base/limits.h"
#include "protocol/values/row_batch.h"
#include "protocol/values/value.h"

namespace retinue {
namespace {

using testing::HasSubstr;

using Bytes = std::vector<uint8_t>;

// The three parts of a column, to be spoilt.
struct Parts {
  ColumnType type;
  Bytes validity;
  Bytes values;
  Bytes offsets;

  ColumnBytes bytes() const { return {type, validity, values, offsets}; }
};

template <typename T>
Bytes packed(const std::vector<T>& numbers) {
  Bytes bytes(numbers.size() * sizeof(T));
  if (!bytes.empty()) {
    std::memcpy(bytes.data(), numbers.data(), bytes.size());
  }
  return bytes;
}

Parts numbers(const std::vector<uint64_t>& values) {
  return {ColumnType::kUint64, {}, packed(values), {}};
}

Parts strings(std::string_view bytes, const std::vector<uint32_t>& offsets) {
  return {ColumnType::kString, {}, Bytes(bytes.begin(), bytes.end()), packed(offsets)};
}

Result<RowBatchView> open(uint32_t rows, const Parts& column) {
  const ColumnBytes bytes[] = {column.bytes()};
  return RowBatchView::open(rows, bytes);
}

void expect_mismatch(uint32_t rows, const Parts& column, std::string_view what) {
  const auto view = open(rows, column);
  ASSERT_FALSE(view.ok()) << what;
  EXPECT_EQ(view.error().code, ErrorCode::kSchemaMismatch);
  EXPECT_THAT(view.error().message, HasSubstr("column 0: "));
  EXPECT_THAT(view.error().message, HasSubstr(std::string(what)));
}

void expect_limit(const Result<RowBatchView>& view) {
  ASSERT_FALSE(view.ok());
  EXPECT_EQ(view.error().code, ErrorCode::kLimitExceeded) << view.error().message;
}

Column column(std::string name, ColumnType type, bool required = false) {
  return {.name = std::move(name), .type = type, .required = required, .expression = {}};
}

TEST(RowBatchViewTest, ReadsInPlaceAtAnyAddress) {
  for (size_t shift = 0; shift < 8; ++shift) {
    const auto shifted = [&](const Bytes& bytes) {
      Bytes moved(shift, 0xee);
      moved.insert(moved.end(), bytes.begin(), bytes.end());
      return moved;
    };
    const Bytes validity = shifted({0b101});
    const Bytes values = shifted(packed<int64_t>({-1, 0, INT64_MIN}));
    const Bytes text = shifted({'a', 'b', 'c'});
    const Bytes offsets = shifted(packed<uint32_t>({0, 1, 1, 3}));
    const auto rest = [&](const Bytes& bytes) {
      return std::span<const uint8_t>(bytes).subspan(shift);
    };
    const ColumnBytes columns[] = {
        {ColumnType::kInt64, rest(validity), rest(values), {}},
        {ColumnType::kString, rest(validity), rest(text), rest(offsets)},
    };
    const auto view = RowBatchView::open(3, columns);
    ASSERT_TRUE(view.ok()) << view.error().message;
    EXPECT_EQ(row_at(*view, 0), (Row{int64_t{-1}, std::string("a")}));
    EXPECT_EQ(row_at(*view, 1), (Row{Null{}, Null{}}));
    EXPECT_EQ(row_at(*view, 2), (Row{INT64_MIN, std::string("bc")}));
    EXPECT_EQ(view->columns()[0].int64_at(1), 0);
    EXPECT_EQ(view->columns()[1].bytes_at(1), "");
  }
}

TEST(RowBatchViewTest, OpensNoRowsAndNoColumns) {
  EXPECT_EQ(RowBatchView::open(0, {}).value().column_count(), 0u);
  EXPECT_EQ(RowBatchView::open(5, {}).value().row_count(), 5u);
  EXPECT_TRUE(open(0, numbers({})).ok());
  EXPECT_TRUE(open(0, strings("", {0})).ok());
  EXPECT_TRUE(open(0, {ColumnType::kBoolean, {}, {}, {}}).ok());
  EXPECT_EQ(open(0, strings("", {0})).value().byte_size(), 0u);
}

TEST(RowBatchViewTest, RefusesWrongSizes) {
  expect_mismatch(2, numbers({1}), "values take 8 bytes, expected 16");
  expect_mismatch(2, numbers({1, 2, 3}), "values take 24 bytes, expected 16");
  expect_mismatch(0, numbers({1}), "values take 8 bytes, expected 0");
  Parts ragged = numbers({1, 2});
  ragged.values.pop_back();
  expect_mismatch(2, ragged, "values take 15 bytes, expected 16");
  expect_mismatch(8, {ColumnType::kBoolean, {}, {1, 1}, {}}, "expected 1");
  expect_mismatch(9, {ColumnType::kBoolean, {}, {1}, {}}, "expected 2");
  expect_mismatch(9, {ColumnType::kBoolean, {0xff}, {1, 1}, {}}, "validity bits take 1 bytes");
  expect_mismatch(1, {ColumnType::kBoolean, {0xff, 0xff}, {1}, {}}, "validity bits take 2 bytes");
  expect_mismatch(0, {ColumnType::kBoolean, {0xff}, {}, {}}, "validity bits take 1 bytes");
}

TEST(RowBatchViewTest, RefusesWrongOffsets) {
  expect_mismatch(1, strings("a", {}), "offsets take 0 bytes, expected 8");
  expect_mismatch(0, strings("", {}), "offsets take 0 bytes, expected 4");
  expect_mismatch(1, strings("a", {0, 1, 1}), "offsets take 12 bytes, expected 8");
  expect_mismatch(2, strings("abc", {1, 2, 3}), "do not begin with 0");
  expect_mismatch(0, strings("a", {1}), "do not begin with 0");
  expect_mismatch(2, strings("abc", {0, 4, 3}), "go back");
  expect_mismatch(3, strings("abc", {0, 2, 1, 3}), "go back");
  expect_mismatch(2, strings("abc", {0, UINT32_MAX, 3}), "go back");
  expect_mismatch(2, strings("abc", {0, 1, 4}), "end at 4, but it has 3 bytes");
  expect_mismatch(2, strings("abc", {0, 1, 2}), "end at 2, but it has 3 bytes");
  expect_mismatch(0, strings("abc", {0}), "end at 0, but it has 3 bytes");
  expect_mismatch(1, strings("", {0, UINT32_MAX}), "end at 4294967295");
  Parts fixed = numbers({1});
  fixed.offsets = packed<uint32_t>({0, 8});
  expect_mismatch(1, fixed, "offsets take 8 bytes, expected 0");
}

TEST(RowBatchViewTest, RefusesOffsetsThatWrapAround) {
  // Every step is short, and the last offset is right.
  std::vector<uint32_t> offsets = {0};
  const uint32_t step = 1u << 24;
  for (uint32_t i = 1; i <= 256; ++i) {
    offsets.push_back(i * step);
  }
  ASSERT_EQ(offsets.back(), 0u);
  expect_mismatch(256, strings("", offsets), "go back");
}

TEST(RowBatchViewTest, RefusesUnknownTypes) {
  for (const int type : {0, 7, 255}) {
    expect_mismatch(0, {static_cast<ColumnType>(type), {}, {}, {}},
                    std::to_string(type) + " is not a type");
  }
}

TEST(RowBatchViewTest, RefusesValuesUnderNulls) {
  for (uint32_t row = 0; row < 20; ++row) {
    Parts fixed = numbers(std::vector<uint64_t>(20, 0));
    fixed.validity = Bytes(3, 0);
    EXPECT_TRUE(open(20, fixed).ok());
    fixed.values[row * 8 + row % 8] = 0x80;
    expect_mismatch(20, fixed, "a null row has a value");
    fixed.validity[row / 8] = static_cast<uint8_t>(1 << (row % 8));
    EXPECT_TRUE(open(20, fixed).ok());

    Parts boolean = {ColumnType::kBoolean, Bytes(3, 0), Bytes(3, 0), {}};
    boolean.values[row / 8] = static_cast<uint8_t>(1 << (row % 8));
    expect_mismatch(20, boolean, "a null row has a value");
    boolean.validity = boolean.values;
    EXPECT_TRUE(open(20, boolean).ok());
  }
  Parts text = strings("ab", {0, 1, 2});
  text.validity = {0b01};
  expect_mismatch(2, text, "a null row has a value");
  text.validity = {0b11};
  EXPECT_TRUE(open(2, text).ok());
}

TEST(RowBatchViewTest, IgnoresBitsPastTheLastRow) {
  const Parts column = {ColumnType::kBoolean, {0b11111001}, {0b11110001}, {}};
  const auto view = open(3, column);
  ASSERT_TRUE(view.ok()) << view.error().message;
  EXPECT_EQ(row_at(*view, 0), Row{true});
  EXPECT_EQ(row_at(*view, 1), Row{Null{}});
  EXPECT_EQ(row_at(*view, 2), Row{Null{}});
}

TEST(RowBatchViewTest, NamesTheColumnByItsNumber) {
  const Parts good = numbers({1});
  const Parts bad = numbers({1, 2});
  const ColumnBytes columns[] = {good.bytes(), good.bytes(), bad.bytes()};
  EXPECT_THAT(RowBatchView::open(1, columns).error().message, HasSubstr("column 2: "));
}

TEST(RowBatchViewTest, BoundsRows) {
  const uint32_t limit = limits::kRowBatchRowsLimit;
  EXPECT_TRUE(RowBatchView::open(limit, {}).ok());
  expect_limit(RowBatchView::open(limit + 1, {}));
  expect_limit(RowBatchView::open(UINT32_MAX, {}));
  Parts column = {ColumnType::kString, {}, {}, Bytes((size_t{limit} + 1) * 4, 0)};
  EXPECT_TRUE(open(limit, column).ok());
  column.offsets.resize(column.offsets.size() + 4);
  expect_limit(open(limit + 1, column));
}

TEST(RowBatchViewTest, BoundsColumns) {
  const std::vector<ColumnBytes> columns(limits::kColumnsLimit + 1,
                                         ColumnBytes{ColumnType::kInt64, {}, {}, {}});
  EXPECT_TRUE(RowBatchView::open(0, std::span(columns).first(limits::kColumnsLimit)).ok());
  expect_limit(RowBatchView::open(0, columns));
}

TEST(RowBatchViewTest, BoundsBytes) {
  const Bytes large(limits::kValueBytesLimit + 1, 'x');
  const auto size = static_cast<uint32_t>(limits::kValueBytesLimit);
  EXPECT_TRUE(
      open(1,
           {ColumnType::kString, {}, {large.begin(), large.end() - 1}, packed<uint32_t>({0, size})})
          .ok());
  expect_limit(open(1, {ColumnType::kString, {}, large, packed<uint32_t>({0, size + 1})}));

  // Five times the same 16 MiB are over the limit of a batch, whoever owns them.
  const Bytes offsets = packed<uint32_t>({0, size});
  const ColumnBytes column = {ColumnType::kAny, {}, std::span(large).first(size), offsets};
  const std::vector<ColumnBytes> columns(5, column);
  EXPECT_TRUE(RowBatchView::open(1, std::span(columns).first(3)).ok());
  expect_limit(RowBatchView::open(1, columns));
}

TEST(RowBatchViewTest, CountsBytesOfARange) {
  Parts text = strings("abcdef", {0, 1, 3, 6});
  text.validity = {0b111};
  const Parts fixed = numbers({1, 2, 3});
  const Parts boolean = {ColumnType::kBoolean, {}, {0b101}, {}};
  const ColumnBytes columns[] = {text.bytes(), fixed.bytes(), boolean.bytes()};
  const RowBatchView view = RowBatchView::open(3, columns).value();
  EXPECT_EQ(view.byte_size(), (1 + 12 + 6) + 24 + 1u);
  EXPECT_EQ(view.byte_size(1, 2), (1 + 4 + 2) + 8 + 1u);
  EXPECT_EQ(view.byte_size(2, 2), 0u);
}

TEST(CheckSchemaTest, AcceptsTheSchemaAndALongerOne) {
  const Parts part = numbers({1});
  const RowBatchView view = open(1, part).value();
  const Column count = column("count", ColumnType::kUint64, true);
  EXPECT_TRUE(view.check_schema(TableSchema::create({count}).value()).ok());
  const Column added = column("added", ColumnType::kString);
  EXPECT_TRUE(view.check_schema(TableSchema::create({count, added}).value()).ok());
}

TEST(CheckSchemaTest, NamesTheColumnThatDiffers) {
  const Parts part = numbers({1});
  const ColumnBytes columns[] = {part.bytes(), part.bytes()};
  const RowBatchView view = RowBatchView::open(1, columns).value();
  const auto checked = [&](std::vector<Column> schema) {
    const auto result = view.check_schema(TableSchema::create(std::move(schema)).value());
    EXPECT_FALSE(result.ok());
    EXPECT_EQ(result.error().code, ErrorCode::kSchemaMismatch);
    return result.error().message;
  };
  EXPECT_THAT(checked({column("a", ColumnType::kUint64)}), HasSubstr("2 columns"));
  EXPECT_THAT(checked({column("a", ColumnType::kUint64), column("b", ColumnType::kInt64)}),
              HasSubstr("\"b\" is uint64, expected int64"));
  EXPECT_THAT(checked({column("a", ColumnType::kUint64), column("b", ColumnType::kUint64),
                       column("c", ColumnType::kUint64, true)}),
              HasSubstr("\"c\" is required"));
}

TEST(CheckSchemaTest, RefusesNullsInARequiredColumnOnly) {
  Parts part = numbers({1, 0});
  part.validity = {0b01};
  const RowBatchView with_null = open(2, part).value();
  EXPECT_TRUE(
      with_null.check_schema(TableSchema::create({column("a", ColumnType::kUint64)}).value()).ok());
  const TableSchema required =
      TableSchema::create({column("a", ColumnType::kUint64, true)}).value();
  EXPECT_THAT(with_null.check_schema(required).error().message, HasSubstr("\"a\" is required"));
  part.validity = {0b11};
  EXPECT_TRUE(open(2, part).value().check_schema(required).ok()) << "validity without a null";
  EXPECT_TRUE(RowBatchView().check_schema(required).ok()) << "no rows, no nulls";
}

}  // namespace
}  // namespace retinue
