#include "protocol/values/key_codec.h"

#include <gmock/gmock.h>

#include <limits>
#include <string>
#include <vector>

#include "tests/unit/protocol/values/random_rows.h"

namespace retinue {
namespace {

using testing::HasSubstr;
using namespace std::string_literals;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr std::span<const ColumnType> kKeyTypes = std::span(kEveryType).first(5);

std::string encoded(const Row& row) {
  std::string bytes;
  for (const Value& value : row) {
    EXPECT_TRUE(append_key_value(bytes, value).ok());
  }
  return bytes;
}

void expect_corrupted(std::string_view bytes, const TableSchema& schema) {
  const auto row = decode_key(bytes, schema);
  ASSERT_FALSE(row.ok());
  EXPECT_EQ(row.error().code, ErrorCode::kDataCorrupted);
  EXPECT_THAT(row.error().message, HasSubstr("encoded key: "));
}

TEST(KeyCodecTest, BytesStay) {
  EXPECT_EQ(encoded({Null{}}), "\x01");
  EXPECT_EQ(encoded({false}), "\x02");
  EXPECT_EQ(encoded({true}), "\x03");
  EXPECT_EQ(encoded({int64_t{0}}), "\x04\x80\0\0\0\0\0\0\0"s);
  EXPECT_EQ(encoded({int64_t{-1}}), "\x04\x7f\xff\xff\xff\xff\xff\xff\xff");
  EXPECT_EQ(encoded({uint64_t{0x0102030405060708}}), "\x05\x01\x02\x03\x04\x05\x06\x07\x08");
  EXPECT_EQ(encoded({1.0}), "\x06\xbf\xf0\0\0\0\0\0\0"s);
  EXPECT_EQ(encoded({-1.0}), "\x06\x40\x0f\xff\xff\xff\xff\xff\xff");
  EXPECT_EQ(encoded({0.0}), "\x06\x80\0\0\0\0\0\0\0"s);
  EXPECT_EQ(encoded({-0.0}), "\x06\x80\0\0\0\0\0\0\0"s);
  EXPECT_EQ(encoded({""s}), "\x07\0\x01"s);
  EXPECT_EQ(encoded({"a\0b\0\0"s}), "\x07"s + "a\0\xff"s + "b\0\xff\0\xff\0\x01"s);
  EXPECT_EQ(encoded({true, Null{}, "x"s}), "\x03\x01\x07x\0\x01"s);
}

TEST(KeyCodecTest, EdgesOfEachTypeAreInOrder) {
  const std::vector<std::vector<Value>> ascending = {
      {Null{}, INT64_MIN, INT64_MIN + 1, int64_t{-256}, int64_t{-1}, int64_t{0}, int64_t{1},
       int64_t{255}, int64_t{256}, INT64_MAX},
      {Null{}, uint64_t{0}, uint64_t{1}, uint64_t{255}, uint64_t{256}, uint64_t{1} << 63,
       UINT64_MAX},
      {Null{}, -kInfinity, std::numeric_limits<double>::lowest(), -1.5, -1.0,
       -std::numeric_limits<double>::min(), -std::numeric_limits<double>::denorm_min(), 0.0,
       std::numeric_limits<double>::denorm_min(), std::numeric_limits<double>::min(), 1.0, 1.5,
       std::numeric_limits<double>::max(), kInfinity},
      {Null{}, false, true},
      {Null{}, ""s, "\0"s, "\0\0"s, "\0\x01"s, "\0\xff"s, "\x01"s, "a"s, "a\0"s, "a\0\xff"s,
       "a\x01"s, "aa"s, "b"s, "\xff"s, "\xff\0"s, "\xff\xff"s},
  };
  for (const std::vector<Value>& values : ascending) {
    for (size_t i = 0; i < values.size(); ++i) {
      for (size_t j = 0; j < values.size(); ++j) {
        EXPECT_EQ(encoded({values[i]}) < encoded({values[j]}), i < j) << i << " " << j;
        // A longer key keeps the order of its first difference.
        EXPECT_EQ(encoded({values[i], "\xff"s}) < encoded({values[j], ""s}), i < j);
      }
    }
  }
}

TEST(KeyCodecTest, RandomRowsCompareByteWiseAsValueWise) {
  const TableSchema schema = schema_of(kKeyTypes);
  RandomRows random(41);
  for (int i = 0; i < 20'000; ++i) {
    const Row left = random.row(schema);
    Row right = random.row(schema);
    // Equal beginnings, so that later columns decide too.
    std::copy_n(left.begin(), random.below(left.size() + 1), right.begin());
    const int bytes = encoded(left).compare(encoded(right));
    ASSERT_EQ(bytes < 0, left < right);
    ASSERT_EQ(bytes > 0, left > right);
  }
}

TEST(KeyCodecTest, DecodesWhatItEncodes) {
  const TableSchema schema = schema_of(kKeyTypes);
  RandomRows random(42);
  for (int i = 0; i < 5'000; ++i) {
    const Row row = random.row(schema);
    const auto decoded = decode_key(encoded(row), schema);
    ASSERT_TRUE(decoded.ok()) << decoded.error().message;
    ASSERT_EQ(*decoded, row);
  }
  EXPECT_EQ(decode_key("", TableSchema()).value(), Row());
}

TEST(KeyCodecTest, ColumnsEncodeAsTheirValues) {
  const TableSchema schema = schema_of(kKeyTypes);
  RandomRows random(43);
  RowBatchBuilder builder(schema);
  std::vector<Row> rows;
  for (int i = 0; i < 500; ++i) {
    rows.push_back(random.row(schema));
    ASSERT_TRUE(append_row(builder, schema, rows.back()).ok());
  }
  const RowBatchView view = builder.view();
  for (uint32_t i = 0; i < rows.size(); ++i) {
    std::string bytes;
    for (const ColumnView& column : view.columns()) {
      ASSERT_TRUE(append_key_value(bytes, column, i).ok());
    }
    ASSERT_EQ(bytes, encoded(rows[i]));
  }
}

TEST(KeyCodecTest, RefusesNaNAndAny) {
  const ColumnType types[] = {ColumnType::kDouble, ColumnType::kAny};
  RowBatchBuilder builder{std::span(types)};
  builder.set_double(ColumnIndex(0), kNaN);
  builder.set_bytes(ColumnIndex(1), "1");
  builder.finish_row();
  builder.finish_row();
  const RowBatchView view = builder.view();
  std::string out = "kept";
  for (const auto& [value, what] :
       {std::pair<Value, std::string>{kNaN, "NaN"}, {-kNaN, "NaN"}, {AnyValue{"1"}, "any"}}) {
    const auto appended = append_key_value(out, value);
    ASSERT_FALSE(appended.ok());
    EXPECT_EQ(appended.error().code, ErrorCode::kSchemaMismatch);
    EXPECT_THAT(appended.error().message, HasSubstr(what));
  }
  EXPECT_EQ(append_key_value(out, view.column(ColumnIndex(0)), 0).error().code,
            ErrorCode::kSchemaMismatch);
  EXPECT_EQ(append_key_value(out, view.column(ColumnIndex(1)), 0).error().code,
            ErrorCode::kSchemaMismatch);
  EXPECT_EQ(append_key_value(out, view.column(ColumnIndex(1)), 1).error().code,
            ErrorCode::kSchemaMismatch)
      << "null in a column of type any";
  EXPECT_EQ(out, "kept");
  EXPECT_TRUE(append_key_value(out, view.column(ColumnIndex(0)), 1).ok());
  EXPECT_EQ(out, "kept\x01");
}

TEST(KeyCodecDeathTest, AppendingNaNIsABug) {
  std::string out;
  EXPECT_DEATH(append_key_double(out, kNaN), "NaN in a key");
}

TEST(DecodeKeyTest, EveryTruncationIsCorruption) {
  const TableSchema schema = schema_of(kKeyTypes);
  const std::string bytes = encoded({int64_t{-5}, uint64_t{5}, 2.5, true, "a\0b\xff"s});
  ASSERT_TRUE(decode_key(bytes, schema).ok());
  for (size_t size = 0; size < bytes.size(); ++size) {
    expect_corrupted(std::string_view(bytes).substr(0, size), schema);
  }
}

TEST(DecodeKeyTest, BytesLeftOverAreCorruption) {
  const TableSchema schema = schema_of(kKeyTypes);
  const std::string bytes = encoded({int64_t{-5}, uint64_t{5}, 2.5, true, "a"s});
  expect_corrupted(bytes + "\x01", schema);
  expect_corrupted(bytes + "\0"s, schema);
  expect_corrupted("\x01", TableSchema());
}

TEST(DecodeKeyTest, TagsOfOtherTypesAreCorruption) {
  const Row values = {int64_t{1}, uint64_t{1}, 1.0, true, "1"s};
  for (size_t column = 0; column < std::size(kEveryType); ++column) {
    const TableSchema schema = schema_of(std::span(kEveryType).subspan(column, 1));
    for (size_t value = 0; value < values.size(); ++value) {
      if (column != value) {
        expect_corrupted(encoded({values[value]}), schema);
      }
    }
    for (const int tag : {0x00, 0x08, 0x7f, 0x80, 0xff}) {
      expect_corrupted(std::string(1, static_cast<char>(tag)) + "\0\0\0\0\0\0\0\0"s, schema);
    }
    EXPECT_EQ(decode_key("\x01", schema).value(), Row{Null{}});
  }
}

TEST(DecodeKeyTest, OtherSpellingsOfAValueAreCorruption) {
  const TableSchema number = schema_of(std::span(kEveryType).subspan(2, 1));
  expect_corrupted("\x06\x7f\xff\xff\xff\xff\xff\xff\xff", number);  // -0.0
  expect_corrupted("\x06\xff\xf8\0\0\0\0\0\0"s, number);             // NaN
  expect_corrupted("\x06\0\x07\xff\xff\xff\xff\xff\xff"s, number);   // -NaN
  EXPECT_EQ(decode_key("\x06\xff\xf0\0\0\0\0\0\0"s, number).value(), Row{kInfinity});
  const TableSchema text = schema_of(std::span(kEveryType).subspan(4, 1));
  expect_corrupted("\x07\0\x02\0\x01"s, text);
  expect_corrupted("\x07\0\0\x01"s, text);
  expect_corrupted("\x07\0\xfe\0\x01"s, text);
  expect_corrupted("\x07"s + "abc"s, text);
  expect_corrupted("\x07"s + "abc\0"s, text);
  expect_corrupted("\x07"s + "abc\0\xff"s, text);
}

TEST(DecodeKeyTest, GarbageIsRefusedOrIsTheEncodingOfWhatItGives) {
  RandomRows random(44);
  static constexpr char kBytes[] = {'\x00', '\x01', '\x02', '\x03', '\x04', '\x05',
                                    '\x06', '\x07', '\x7f', '\x80', '\xff'};
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes(random.below(12), '\0');
    for (char& byte : bytes) {
      byte = kBytes[random.below(std::size(kBytes))];
    }
    const TableSchema schema = schema_of(kKeyTypes.subspan(random.below(5), 1));
    const auto row = decode_key(bytes, schema);
    if (row.ok()) {
      ASSERT_EQ(encoded(*row), bytes);
    } else {
      ASSERT_EQ(row.error().code, ErrorCode::kDataCorrupted);
    }
  }
}

TEST(BigEndianTest, OrdersAndReadsBack) {
  std::string bytes;
  append_big_endian(bytes, uint64_t{0x0102030405060708});
  append_big_endian(bytes, uint32_t{0x090a0b0c});
  EXPECT_EQ(bytes, "\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c");
  EXPECT_EQ(read_big_endian64(bytes.data()), 0x0102030405060708u);
  EXPECT_EQ(read_big_endian32(bytes.data() + 8), 0x090a0b0cu);
  EXPECT_EQ(read_big_endian32(bytes.data() + 1), 0x02030405u);
}

}  // namespace
}  // namespace retinue
