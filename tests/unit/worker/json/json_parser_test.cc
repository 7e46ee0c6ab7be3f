#include "worker/json/json_parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

#include "protocol/yson/writer.h"

namespace retinue::worker {
namespace {

using namespace std::string_view_literals;
using testing::HasSubstr;
using yson::List;
using yson::Map;
using yson::Node;

Node parsed(std::string_view text) {
  auto node = parse_json(text);
  EXPECT_TRUE(node.ok()) << text << ": " << (node ? "" : node.error().message);
  return node ? *node : Node("did not parse");
}

std::string message(std::string_view text, const JsonParseOptions& options = {}) {
  const auto node = parse_json(text, options);
  if (node) {
    return "parsed: " + yson::to_string(*node, yson::Format::kText);
  }
  EXPECT_EQ(node.error().code, ErrorCode::kInvalidJson);
  return node.error().message;
}

TEST(ParseJson, Scalars) {
  EXPECT_EQ(parsed("null"), Node());
  EXPECT_EQ(parsed(" true\n"), Node(true));
  EXPECT_EQ(parsed("false"), Node(false));
  EXPECT_EQ(parsed("\"\""), Node(""));
  EXPECT_EQ(parsed(R"("a\"\\\/\b\f\n\r\té😀")"), Node("a\"\\/\b\f\n\r\t\xc3\xa9\xf0\x9f\x98\x80"));
  EXPECT_EQ(parsed(R"("a\u0000b")"), Node("a\0b"sv));
}

TEST(ParseJson, Numbers) {
  EXPECT_EQ(parsed("0"), Node(0));
  EXPECT_EQ(parsed("-0"), Node(0));
  EXPECT_EQ(parsed("-12"), Node(-12));
  EXPECT_EQ(parsed("9223372036854775807"), Node(INT64_MAX));
  EXPECT_EQ(parsed("-9223372036854775808"), Node(INT64_MIN));
  EXPECT_EQ(parsed("9223372036854775808"), Node(uint64_t{1} << 63));
  EXPECT_EQ(parsed("18446744073709551615"), Node(UINT64_MAX));
  EXPECT_EQ(parsed("1.0"), Node(1.0));
  EXPECT_EQ(parsed("1e2"), Node(100.0));
  EXPECT_EQ(parsed("1E+2"), Node(100.0));
  EXPECT_EQ(parsed("-0.0"), Node(-0.0));
  EXPECT_EQ(parsed("0.1"), Node(0.1));
  EXPECT_EQ(parsed("2.2250738585072011e-308"), Node(2.2250738585072011e-308));
  EXPECT_EQ(parsed("5e-324"), Node(5e-324));
  EXPECT_EQ(parsed("1.7976931348623157e308"), Node(1.7976931348623157e308));
  EXPECT_EQ(parsed("123456789012345678901234567890.5"), Node(123456789012345678901234567890.5));
}

TEST(ParseJson, NumbersThatFitNoTypeAreErrors) {
  EXPECT_EQ(message("[1, 18446744073709551616]"),
            "line 1, column 5: the number 18446744073709551616 is out of range");
  EXPECT_EQ(message("-9223372036854775809"),
            "line 1, column 1: the number -9223372036854775809 is out of range");
  EXPECT_THAT(message("1e400"), HasSubstr("line 1, column 1: "));
  EXPECT_THAT(message("-1e400"), HasSubstr("line 1, column 1: "));
}

TEST(ParseJson, Containers) {
  EXPECT_EQ(parsed("[]"), Node(List{}));
  EXPECT_EQ(parsed("{}"), Node(Map{}));
  EXPECT_EQ(parsed("[1, [2, []], {\"a\": {}}]"), Node(List{1, List{2, List{}}, Map{{"a", Map{}}}}));
  const Node map = parsed(R"({"z": 1, "a": [true], "m": null})");
  ASSERT_EQ(map.as_map().size(), 3u);
  EXPECT_EQ(map.as_map()[0].key, "z");
  EXPECT_EQ(map.as_map()[1].key, "a");
  EXPECT_EQ(map.as_map()[2].key, "m");
  EXPECT_EQ(map.find("a")->as_list()[0], Node(true));
}

TEST(ParseJson, CommentsAndByteOrderMark) {
  EXPECT_EQ(parsed("\xef\xbb\xbf{} "), Node(Map{}));
  EXPECT_EQ(
      parsed("// the name\n{/* a */\"a\"/**/:/* b */1, // one\n\"b\": [2 /* two */]}\n// end"),
      Node(Map{{"a", 1}, {"b", List{2}}}));
  EXPECT_EQ(parsed("\"// no comment\""), Node("// no comment"));
  EXPECT_THAT(message("{} /* open"), HasSubstr("line 1, column "));
  EXPECT_THAT(message("/"), HasSubstr("line 1, column "));
}

struct Bad {
  std::string_view text;
  std::string_view message;
};

class ParseJsonError : public testing::TestWithParam<Bad> {};

TEST_P(ParseJsonError, NamesThePlaceAndTheExpectation) {
  EXPECT_EQ(message(GetParam().text), GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, ParseJsonError,
    testing::Values(
        Bad{"", "line 1, column 1: expected a value, found the end of the text"},
        Bad{"  \n ", "line 2, column 2: expected a value, found the end of the text"},
        Bad{"{\"a\": 1,}", "line 1, column 8: remove the comma before the closing }"},
        Bad{"[1,\n 2 , ]", "line 2, column 4: remove the comma before the closing ]"},
        Bad{"{,}", "line 1, column 2: expected a key in double quotes, found \",\""},
        Bad{"[,1]", "line 1, column 2: expected a value, found \",\""},
        Bad{"{\n  a: 1\n}", "line 2, column 3: expected a key in double quotes, found \"a\""},
        Bad{"{'a': 1}", "line 1, column 2: expected a key in double quotes, found \"'\""},
        Bad{"{\"a\" 1}", "line 1, column 6: expected : after the key, found \"1\""},
        Bad{"{\"a\": 1 \"b\": 2}", "line 1, column 9: expected , or }, found \"\\\"\""},
        Bad{"[1 2]", "line 1, column 4: expected , or ], found \"2\""},
        Bad{"{\"a\": ", "line 1, column 7: expected a value, found the end of the text"},
        Bad{"{\"é\": }", "line 1, column 7: expected a value, found \"}\""},
        Bad{"[1", "line 1, column 3: expected , or ], found the end of the text"},
        Bad{"{} {}", "line 1, column 4: expected nothing after the value, found \"{\""},
        Bad{"{}\0"sv, "line 1, column 3: expected nothing after the value, found \"\\x00\""},
        Bad{"\0"sv, "line 1, column 1: expected a value, found \"\\x00\""},
        Bad{"[\"a]",
            "line 1, column 5: expected a closing double quote, found the end of the text"},
        Bad{"\"\\ud800\"",
            "line 1, column 2: expected a whole surrogate pair in \\u escapes, found \"\\\\\""},
        Bad{"\"\\u12g4\"",
            "line 1, column 2: expected four hexadecimal digits after \\u, found \"\\\\\""},
        Bad{"[1, 1.]", "line 1, column 7: expected digits after the decimal point, found \"]\""},
        Bad{"1e", "line 1, column 3: expected digits in the exponent, found the end of the text"},
        Bad{"nul", "line 1, column 4: expected a value, found the end of the text"},
        Bad{"NaN", "line 1, column 1: expected a value, found \"N\""},
        Bad{"\"\xff\"", "line 1, column 2: expected UTF-8, found \"\\xff\""},
        Bad{"{\"a\": 1, \"b\": 2, \"a\": 3}", "line 1, column 18: the key \"a\" is there twice"},
        Bad{"[{\"x\\\"y\": {}, \"b\": 2,\n  \"x\\\"y\": 3}]",
            "line 2, column 3: the key \"x\\\"y\" is there twice"}));

TEST(ParseJson, ControlCharactersInStringsAreErrors) {
  EXPECT_THAT(message("\"a\nb\""), HasSubstr("line 1, column 3: "));
}

TEST(ParseJson, Limits) {
  const JsonParseOptions options{.depth_limit = 3, .bytes_limit = 20};
  EXPECT_EQ(message("[[[1]]]", options), "parsed: [[[1]]]");
  const auto over_limit = [&](std::string_view text) {
    const auto node = parse_json(text, options);
    EXPECT_EQ(node.error().code, ErrorCode::kLimitExceeded);
    return node.error().message;
  };
  EXPECT_EQ(over_limit("[[[[1]]]]"), "line 1, column 4: nested deeper than 3 levels");
  EXPECT_EQ(over_limit("[{\"a\":{\"b\":{}}}]"), "line 1, column 12: nested deeper than 3 levels");
  EXPECT_EQ(over_limit(std::string(21, ' ')),
            "line 1, column 21: the text is larger than 20 bytes");
  EXPECT_THAT(parse_json(std::string(1'000'000, '[')).error().message,
              HasSubstr("nested deeper than 256 levels"));
}

}  // namespace
}  // namespace retinue::worker
