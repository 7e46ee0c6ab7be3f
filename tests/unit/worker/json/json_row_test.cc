// JsonRowParser and JsonRowWriter, each by itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/base/limits.h"
#include "protocol/yson/parser.h"
#include "protocol/yson/writer.h"
#include "tests/unit/worker/json/random_values.h"
#include "worker/json/json_row_parser.h"
#include "worker/json/json_row_writer.h"

namespace retinue::worker {
namespace {

using namespace std::string_literals;
using testing::HasSubstr;
using yson::List;
using yson::Map;
using yson::Node;

Column column(std::string name, ColumnType type, bool required = false) {
  return {.name = std::move(name), .type = type, .required = required, .expression = ""};
}

// One of every type, none required.
TableSchema all_types() {
  return TableSchema::create({column("i", ColumnType::kInt64), column("u", ColumnType::kUint64),
                              column("d", ColumnType::kDouble), column("b", ColumnType::kBoolean),
                              column("s", ColumnType::kString), column("a", ColumnType::kAny)})
      .value();
}

TableSchema one_column(ColumnType type, bool required = false) {
  return TableSchema::create({column("x", type, required)}).value();
}

Row parse_row(const TableSchema& schema, std::string_view line,
              JsonRowParser::Options options = {}) {
  JsonRowParser parser(schema, options);
  RowBatchBuilder rows(schema);
  const auto parsed = parser.parse(line, rows);
  EXPECT_TRUE(parsed.ok()) << line << ": " << (parsed ? "" : parsed.error().message);
  return parsed ? row_at(rows.view(), 0) : Row{};
}

std::string parse_error(const TableSchema& schema, std::string_view line,
                        JsonRowParser::Options options = {}) {
  JsonRowParser parser(schema, options);
  RowBatchBuilder rows(schema);
  const auto parsed = parser.parse(line, rows);
  EXPECT_EQ(rows.row_count(), parsed.ok() ? 1u : 0u);
  if (parsed) {
    return "parsed";
  }
  EXPECT_EQ(parsed.error().code, ErrorCode::kInvalidRecord);
  // The builder is as it was: it takes another row.
  EXPECT_TRUE(rows.empty());
  rows.finish_row();
  EXPECT_EQ(rows.row_count(), 1u);
  return parsed.error().message;
}

std::string write_row(const TableSchema& schema, const Row& row) {
  RowBatchBuilder rows(schema);
  EXPECT_TRUE(append_row(rows, schema, row).ok());
  std::string out;
  const auto written = JsonRowWriter(schema).append(rows.view(), 0, out);
  EXPECT_TRUE(written.ok());
  return out;
}

TEST(JsonRowParser, ReadsEveryType) {
  const Row row = parse_row(
      all_types(),
      R"({"i":-1,"u":18446744073709551615,"d":1.5,"b":true,"s":"é\n","a":{"k":[1,2.0,null]}})");
  ASSERT_EQ(row.size(), 6u);
  EXPECT_EQ(row[0], Value(int64_t{-1}));
  EXPECT_EQ(row[1], Value(UINT64_MAX));
  EXPECT_EQ(row[2], Value(1.5));
  EXPECT_EQ(row[3], Value(true));
  EXPECT_EQ(row[4], Value("é\n"));
  EXPECT_EQ(std::get<AnyValue>(row[5]).yson,
            yson::to_string(Map{{"k", List{1, 2.0, yson::Entity{}}}}));
}

TEST(JsonRowParser, OrderBlanksAndEscapedKeysDoNotMatter) {
  const Row row = parse_row(all_types(), " { \"\\u0073\" : \"x\" ,\t\"i\" : 2 } \r\n");
  EXPECT_EQ(row[0], Value(int64_t{2}));
  EXPECT_EQ(row[4], Value("x"));
  EXPECT_EQ(row[1], Value(Null{}));
}

TEST(JsonRowParser, NullAndAbsentAreNull) {
  const Row nulls(6, Null{});
  EXPECT_EQ(parse_row(all_types(), "{}"), nulls);
  EXPECT_EQ(parse_row(all_types(), R"({"i":null,"u":null,"d":null,"b":null,"s":null,"a":null})"),
            nulls);
}

TEST(JsonRowParser, DoublesTakeWholeNumbersAndNames) {
  const TableSchema schema = one_column(ColumnType::kDouble);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(parse_row(schema, R"({"x":7})")[0], Value(7.0));
  EXPECT_EQ(parse_row(schema, R"({"x":"inf"})")[0], Value(kInfinity));
  EXPECT_EQ(parse_row(schema, R"({"x":"-inf"})")[0], Value(-kInfinity));
  EXPECT_TRUE(same_value(parse_row(schema, R"({"x":"nan"})")[0],
                         Value(std::numeric_limits<double>::quiet_NaN())));
  EXPECT_TRUE(same_value(parse_row(schema, R"({"x":-0.0})")[0], Value(-0.0)));
}

TEST(JsonRowParser, StringsTakeBase64) {
  const TableSchema schema = one_column(ColumnType::kString);
  EXPECT_EQ(parse_row(schema, R"({"x":{"$base64":"/wA="}})")[0], Value("\xff\0"s));
  EXPECT_EQ(parse_row(schema, R"({"x":{"$base64":""}})")[0], Value(""));
  EXPECT_EQ(parse_row(schema, R"({"x":"a\u0000b"})")[0], Value("a\0b"s));
}

TEST(JsonRowParser, IgnoresUnknownFieldsOnDemand) {
  const JsonRowParser::Options ignore{.unknown_fields = JsonRowParser::UnknownFields::kIgnore};
  const TableSchema schema = one_column(ColumnType::kInt64);
  const Row row = parse_row(schema, R"({"y":{"x":[1,{"x":2}]},"x":3,"z":"x","y":0})", ignore);
  EXPECT_EQ(row[0], Value(int64_t{3}));
  EXPECT_THAT(parse_error(schema, R"({"y":tru,"x":3})", ignore), HasSubstr("column 6: "));
  EXPECT_THAT(parse_error(schema, R"({"y":[1,},"x":3})", ignore), HasSubstr("column "));
}

struct Bad {
  ColumnType type;
  std::string_view line;
  std::string_view message;
};

class JsonRowError : public testing::TestWithParam<Bad> {};

TEST_P(JsonRowError, NamesColumnExpectedAndFound) {
  EXPECT_EQ(parse_error(one_column(GetParam().type, true), GetParam().line), GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    Types, JsonRowError,
    testing::Values(
        Bad{ColumnType::kInt64, R"({"x":1.0})",
            "column 6: field \"x\": expected a whole number that fits int64, found 1.0"},
        Bad{ColumnType::kInt64, R"({"x":1e3})",
            "column 6: field \"x\": expected a whole number that fits int64, found 1e3"},
        Bad{ColumnType::kInt64, R"({"x":"1"})",
            "column 6: field \"x\": expected a whole number that fits int64, found \"1\""},
        Bad{ColumnType::kInt64, R"({"x": 9223372036854775808 })",
            "column 7: field \"x\": expected a whole number that fits int64, found "
            "9223372036854775808"},
        Bad{ColumnType::kInt64, R"({"x":-9223372036854775809})",
            "column 6: field \"x\": expected a whole number that fits int64, found "
            "-9223372036854775809"},
        Bad{ColumnType::kInt64, R"({"x":01})",
            "column 6: field \"x\": expected a whole number that fits int64, found 01"},
        Bad{ColumnType::kInt64, R"({"x":true})",
            "column 6: field \"x\": expected a whole number that fits int64, found true"},
        Bad{ColumnType::kInt64, R"({"x":[1]})",
            "column 6: field \"x\": expected a whole number that fits int64, found a list"},
        Bad{ColumnType::kInt64, R"({"x":null})",
            "column 6: field \"x\": expected a whole number that fits int64, found null in a "
            "required column"},
        Bad{ColumnType::kInt64, R"({"x":nul})",
            "column 6: field \"x\": expected a whole number that fits int64, found nul"},
        Bad{ColumnType::kUint64, R"({"x":-1})",
            "column 6: field \"x\": expected a whole number that fits uint64, found -1"},
        Bad{ColumnType::kUint64, R"({"x":18446744073709551616})",
            "column 6: field \"x\": expected a whole number that fits uint64, found "
            "18446744073709551616"},
        Bad{ColumnType::kDouble, R"({"x":1e400})",
            "column 6: field \"x\": expected a number that fits a double, or \"nan\", \"inf\" or "
            "\"-inf\", found 1e400"},
        Bad{ColumnType::kDouble, R"({"x":"NaN"})",
            "column 6: field \"x\": expected a number that fits a double, or \"nan\", \"inf\" or "
            "\"-inf\", found \"NaN\""},
        Bad{ColumnType::kBoolean, R"({"x":1})",
            "column 6: field \"x\": expected true or false, found 1"},
        Bad{ColumnType::kBoolean, R"({"x":truf})",
            "column 6: field \"x\": expected true or false, found truf"},
        Bad{ColumnType::kString, R"({"x":5})",
            "column 6: field \"x\": expected a string, or {\"$base64\": \"…\"}, found 5"},
        Bad{ColumnType::kString, R"({"x":{}})",
            "column 6: field \"x\": expected a string, or {\"$base64\": \"…\"}, found an object"},
        Bad{ColumnType::kString, R"({"x":{"$base64":"/w"}})",
            "column 6: field \"x\": expected a string, or {\"$base64\": \"…\"}, found an object"},
        Bad{ColumnType::kString, R"({"x":{"$base64":"","y":1}})",
            "column 6: field \"x\": expected a string, or {\"$base64\": \"…\"}, found an object"},
        Bad{ColumnType::kString, R"({"x":{"$base64":"","$base64":""}})",
            "column 6: field \"x\": expected a string, or {\"$base64\": \"…\"}, found an object"},
        Bad{ColumnType::kString, R"({"x":"\ud800"})",
            "column 6: expected valid escapes in the string"},
        Bad{ColumnType::kString, R"({"x":"\q"})", "column 6: expected valid escapes in the string"},
        Bad{ColumnType::kAny, R"({"x":{"a":1,"a":2}})",
            "column 6: the key \"a\" is there twice in this object"},
        Bad{ColumnType::kAny, R"({"x":[123456789012345678901]})",
            "column 7: expected a whole number that fits int64 or uint64, found "
            "123456789012345678901; as a double, which would lose digits, it is written with .0"},
        Bad{ColumnType::kAny, R"({"x":[1e999]})",
            "column 7: expected a number that fits a double, found 1e999"},
        Bad{ColumnType::kInt64, "\xef\xbb\xbf{}",
            "column 1: expected a JSON object, found \"\\xef\\xbb\\xbf{}\""}));

INSTANTIATE_TEST_SUITE_P(
    Shapes, JsonRowError,
    testing::Values(
        Bad{ColumnType::kInt64, "", "column 1: expected a JSON object, found nothing"},
        Bad{ColumnType::kInt64, "  ", "column 1: expected a JSON object, found nothing"},
        Bad{ColumnType::kInt64, "7", "column 1: expected a JSON object, found 7"},
        Bad{ColumnType::kInt64, " [1]", "column 2: expected a JSON object, found a list"},
        Bad{ColumnType::kInt64, "null", "column 1: expected a JSON object, found null"},
        Bad{ColumnType::kInt64, R"({"x":1)", "column 7: expected a closing }, found the end"},
        Bad{ColumnType::kInt64, R"({"x":1} 2)", "column 10: expected a closing }, found the end"},
        Bad{ColumnType::kInt64, R"({"x":1}{"x":2})", "column 8: expected nothing after the object"},
        Bad{ColumnType::kInt64, R"({"x":1}})", "column 8: expected nothing after the object"},
        Bad{ColumnType::kInt64, R"({"x":1,"x":2})", "column 8: the field \"x\" is there twice"},
        Bad{ColumnType::kInt64, R"({"x":null,"x":2})",
            "column 6: field \"x\": expected a whole number that fits int64, found null in a "
            "required column"},
        Bad{ColumnType::kInt64, "{}",
            "column 2: expected the required field \"x\" (int64), found the end of the object"},
        Bad{ColumnType::kInt64, R"({"y":1})",
            "column 2: expected a field of the schema, found \"y\""},
        Bad{ColumnType::kInt64, R"({"xx":1,"x":1})",
            "column 2: expected a field of the schema, found \"xx\" (did you mean \"x\"?)"},
        Bad{ColumnType::kString, "{\"x\":\"ab\xff\"}", "column 9: expected valid UTF-8"},
        Bad{ColumnType::kString, "{\"x\":\"a\x01\"}",
            "column 8: expected control characters in strings to be escaped"},
        Bad{ColumnType::kString, R"({"x":"a})", "column 9: expected a closing double quote"}));

TEST(JsonRowParser, MalformedObjectsAreRefusedSomewhere) {
  for (const std::string_view line :
       {R"({"x":1,})", R"({"x" 1})", R"({"x":})", R"({"x":1 "y":2})", R"({x:1})", R"({1:1})",
        R"({"x":1]})", R"({"x"})", R"({,"x":1})", R"({"x":1;})", R"({"x":1}//c)", R"({"x":+1})"}) {
    EXPECT_THAT(parse_error(one_column(ColumnType::kAny), line), HasSubstr("column ")) << line;
  }
}

TEST(JsonRowParser, AnyIsNestedAsDeepAsYsonMayBe) {
  const TableSchema schema = one_column(ColumnType::kAny);
  const auto nested = [](int depth) {
    return "{\"x\":" + std::string(static_cast<size_t>(depth), '[') +
           std::string(static_cast<size_t>(depth), ']') + "}";
  };
  const Row row = parse_row(schema, nested(limits::kYsonDepthLimit));
  EXPECT_TRUE(yson::validate(std::get<AnyValue>(row[0]).yson).ok());
  EXPECT_EQ(parse_error(schema, nested(limits::kYsonDepthLimit + 1)),
            "column 262: nested deeper than 256 levels");
  EXPECT_THAT(parse_error(schema, nested(100'000)), HasSubstr("nested"));
}

TEST(JsonRowParser, ValuesHaveALimit) {
  // Each 1 of the JSON takes 3 bytes of YSON.
  std::string line = "{\"x\":[1";
  while (line.size() < limits::kValueBytesLimit * 3 / 4) {
    line += ",1";
  }
  line += "]}";
  EXPECT_THAT(parse_error(one_column(ColumnType::kAny), line),
              HasSubstr("column 6: field \"x\": expected at most 16777216 bytes, found "));
}

TEST(JsonRowParser, ReadsInPlaceWhenTheBufferAllows) {
  const TableSchema schema = one_column(ColumnType::kInt64);
  JsonRowParser parser(schema);
  RowBatchBuilder rows(schema);
  std::string buffer = "{\"x\":1}\n{\"x\":22}\n{\"x\":3\n}}}}";
  buffer.append(JsonRowParser::kPadding, '}');
  const std::string_view text = buffer;
  ASSERT_TRUE(parser.parse(text.substr(0, 7), text.size(), rows).ok());
  ASSERT_TRUE(parser.parse(text.substr(8, 8), text.size() - 8, rows).ok());
  // What follows the line is no part of it.
  EXPECT_FALSE(parser.parse(text.substr(17, 6), text.size() - 17, rows).ok());
  ASSERT_EQ(rows.row_count(), 2u);
  EXPECT_EQ(row_at(rows.view(), 1)[0], Value(int64_t{22}));
}

TEST(JsonRowParser, GoesOnAfterErrors) {
  const TableSchema schema = all_types();
  JsonRowParser parser(schema);
  RowBatchBuilder rows(schema);
  EXPECT_FALSE(parser.parse(R"({"s":"kept?","i":1.5})", rows).ok());
  EXPECT_TRUE(parser.parse(R"({"i":1})", rows).ok());
  EXPECT_FALSE(parser.parse(R"({"a":{"b":1,"c":[}})", rows).ok());
  EXPECT_TRUE(parser.parse(R"({"a":{"b":1,"c":[]}})", rows).ok());
  ASSERT_EQ(rows.row_count(), 2u);
  EXPECT_EQ(row_at(rows.view(), 0)[4], Value(Null{}));
  EXPECT_EQ(row_at(rows.view(), 0)[0], Value(int64_t{1}));
}

TEST(JsonRowWriter, WritesColumnsInTheSchemasOrder) {
  Row row = {int64_t{-1}, uint64_t{2}, 3.0,
             false,       "a\"\n",     AnyValue{yson::to_string(List{1, Map{{"k", "v"}}})}};
  EXPECT_EQ(
      write_row(all_types(), row),
      "{\"i\":-1,\"u\":2,\"d\":3.0,\"b\":false,\"s\":\"a\\\"\\n\",\"a\":[1,{\"k\":\"v\"}]}\n");
  EXPECT_EQ(write_row(all_types(), Row(6, Null{})),
            "{\"i\":null,\"u\":null,\"d\":null,\"b\":null,\"s\":null,\"a\":null}\n");
  EXPECT_EQ(write_row(one_column(ColumnType::kString), {"\xff\0"s}),
            "{\"x\":{\"$base64\":\"/wA=\"}}\n");
}

TEST(JsonRowWriter, ColumnsOfANewerSchemaAreNull) {
  RowBatchBuilder rows(one_column(ColumnType::kInt64));
  rows.set_int64(ColumnIndex(0), 1);
  rows.finish_row();
  const TableSchema newer =
      TableSchema::create({column("x", ColumnType::kInt64), column("y", ColumnType::kAny)}).value();
  std::string out;
  ASSERT_TRUE(JsonRowWriter(newer).append(rows.view(), 0, out).ok());
  EXPECT_EQ(out, "{\"x\":1,\"y\":null}\n");
}

TEST(JsonRowWriter, InvalidYsonIsAnErrorAndWritesNothing) {
  const TableSchema schema = all_types();
  RowBatchBuilder rows(schema);
  rows.set_int64(ColumnIndex(0), 1);
  rows.set_bytes(ColumnIndex(5), "{");
  rows.finish_row();
  std::string out = "before";
  const auto written = JsonRowWriter(schema).append(rows.view(), 0, out);
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().code, ErrorCode::kSchemaMismatch);
  EXPECT_THAT(written.error().message, HasSubstr("column 5 of row 0: not valid YSON: "));
  EXPECT_EQ(out, "before");
}

}  // namespace
}  // namespace retinue::worker
