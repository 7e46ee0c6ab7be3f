#include "protocol/yson/parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "protocol/yson/writer.h"

namespace retinue::yson {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

using namespace std::string_view_literals;

std::string repeat(std::string_view text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) {
    out += text;
  }
  return out;
}

Node parsed(std::string_view bytes) {
  Result<Node> node = parse(bytes);
  Result<void> valid = validate(bytes);
  EXPECT_TRUE(valid.ok()) << valid.error().message;
  if (!node) {
    ADD_FAILURE() << node.error().message;
    return {};
  }
  return *std::move(node);
}

// The error that both parse() and validate() give.
Error refused(std::string_view bytes, const ParseOptions& options = {}) {
  Result<Node> node = parse(bytes, options);
  Result<void> valid = validate(bytes, options);
  if (node || valid) {
    ADD_FAILURE() << "accepted: " << bytes;
    return {};
  }
  EXPECT_EQ(node.error().code, valid.error().code);
  EXPECT_EQ(node.error().message, valid.error().message);
  return node.error();
}

std::string why(std::string_view bytes) {
  Error error = refused(bytes);
  EXPECT_EQ(error.code, ErrorCode::kInvalidYson);
  return error.message;
}

TEST(ParserTest, TextScalars) {
  EXPECT_EQ(parsed("#"), Node());
  EXPECT_EQ(parsed("%true"), Node(true));
  EXPECT_EQ(parsed("%false"), Node(false));
  EXPECT_EQ(parsed("0"), Node(0));
  EXPECT_EQ(parsed("-0"), Node(0));
  EXPECT_EQ(parsed("+1"), Node(1));
  EXPECT_EQ(parsed("9223372036854775807"), Node(std::numeric_limits<int64_t>::max()));
  EXPECT_EQ(parsed("-9223372036854775808"), Node(std::numeric_limits<int64_t>::min()));
  EXPECT_EQ(parsed("123u"), Node(uint64_t{123}));
  EXPECT_EQ(parsed("+123u"), Node(uint64_t{123}));
  EXPECT_EQ(parsed("18446744073709551615u"), Node(std::numeric_limits<uint64_t>::max()));
}

TEST(ParserTest, TextDoubles) {
  EXPECT_EQ(parsed("1.5"), Node(1.5));
  EXPECT_EQ(parsed("1."), Node(1.0));
  EXPECT_EQ(parsed("1e3"), Node(1000.0));
  EXPECT_EQ(parsed("+1E+3"), Node(1000.0));
  EXPECT_EQ(parsed("-0."), Node(-0.0));
  EXPECT_EQ(parsed("5e-324"), Node(std::numeric_limits<double>::denorm_min()));
  EXPECT_EQ(parsed("1.7976931348623157e308"), Node(std::numeric_limits<double>::max()));
  EXPECT_EQ(parsed("0.1" + std::string(10'000, '0')), Node(0.1));
  EXPECT_TRUE(std::isnan(parsed("%nan").as_double()));
  EXPECT_EQ(parsed("%inf"), Node(HUGE_VAL));
  EXPECT_EQ(parsed("%+inf"), Node(HUGE_VAL));
  EXPECT_EQ(parsed("%-inf"), Node(-HUGE_VAL));
}

TEST(ParserTest, BareStrings) {
  for (const char* text : {"a", "_", "abc-1.x%y", "nanka", "infka", "nan", "inf", "true", "e5"}) {
    EXPECT_EQ(parsed(text), Node(text));
  }
}

TEST(ParserTest, QuotedStrings) {
  EXPECT_EQ(parsed(R"("")"), Node(""));
  EXPECT_EQ(parsed(R"("a b;[]{}<>=#")"), Node("a b;[]{}<>=#"));
  EXPECT_EQ(parsed(R"("\a\b\f\n\r\t\v\"\'\?\\")"), Node("\a\b\f\n\r\t\v\"'?\\"));
  EXPECT_EQ(parsed(R"("\0\7\101\377\400\08")"), Node("\0\7A\xff\x20"
                                                     "0\0"
                                                     "8"sv));
  EXPECT_EQ(parsed(R"("\x0\x41\xfFf\x1g")"), Node("\0A\xff"
                                                  "f\x01g"sv));
  EXPECT_EQ(parsed("\"line\nbreak\0\xff\""sv), Node("line\nbreak\0\xff"sv));
}

TEST(ParserTest, BinaryScalars) {
  EXPECT_EQ(parsed("\x01\x00"sv), Node(""));
  EXPECT_EQ(parsed("\x01\x06"
                   "a\0b"sv),
            Node("a\0b"sv));
  EXPECT_EQ(parsed("\x02\x00"sv), Node(0));
  EXPECT_EQ(parsed("\x02\x01"sv), Node(-1));
  EXPECT_EQ(parsed("\x02\x02"sv), Node(1));
  EXPECT_EQ(parsed("\x02\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01"sv),
            Node(std::numeric_limits<int64_t>::max()));
  EXPECT_EQ(parsed("\x02\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"sv),
            Node(std::numeric_limits<int64_t>::min()));
  EXPECT_EQ(parsed("\x03\x00\x00\x00\x00\x00\x00\xf8\x3f"sv), Node(1.5));
  EXPECT_EQ(parsed("\x04"sv), Node(false));
  EXPECT_EQ(parsed("\x05"sv), Node(true));
  EXPECT_EQ(parsed("\x06\xac\x02"sv), Node(uint64_t{300}));
  EXPECT_EQ(parsed("\x06\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"sv),
            Node(std::numeric_limits<uint64_t>::max()));
}

TEST(ParserTest, BinaryNanKeepsItsBits) {
  auto bytes = "\x03\x01\x02\x03\x04\x05\x06\xf8\xff"sv;
  EXPECT_EQ(to_string(parsed(bytes)), bytes);
}

TEST(ParserTest, ListsAndMaps) {
  EXPECT_EQ(parsed("[]"), Node(List{}));
  EXPECT_EQ(parsed("{}"), Node(Map{}));
  EXPECT_EQ(parsed("[1;2;]"), parsed("[1;2]"));
  EXPECT_EQ(parsed("{a=1;\"b c\"=[2;{d=#}];}"),
            Node(Map{{"a", 1}, {"b c", List{2, Map{{"d", Node()}}}}}));
  EXPECT_EQ(parsed(" \t\r\n\v\f{ a\n=\n1 ; b = [ ] }\n"), Node(Map{{"a", 1}, {"b", List{}}}));
}

TEST(ParserTest, TextAndBinaryMix) {
  EXPECT_EQ(parsed("{\x01\x02"
                   "a=[1;\x02\x04;3];b=\x05}"),
            Node(Map{{"a", List{1, 2, 3}}, {"b", true}}));
}

TEST(ParserTest, MapsKeepTheirOrder) {
  Node map = parsed("{z=1;a=2;m=3}");
  EXPECT_EQ(map.as_map()[0].key, "z");
  EXPECT_EQ(map.as_map()[1].key, "a");
  EXPECT_EQ(map.as_map()[2].key, "m");
}

TEST(ParserTest, Attributes) {
  Node node = parsed("<a=1; b=<c=2>#> [<x=y>3; <>4]");
  EXPECT_EQ(node.attributes()[0].value, Node(1));
  EXPECT_EQ(node.attributes()[1].value.attributes()[0].value, Node(2));
  EXPECT_EQ(node.as_list()[0].attributes()[0].value, Node("y"));
  EXPECT_EQ(node.as_list()[0].as_int64(), 3);
  EXPECT_EQ(node.as_list()[1], Node(4));
  EXPECT_EQ(why("<a=1>"), "line 1, column 6: expected a value, found the end of the input");
  EXPECT_EQ(why("<a=1><b=1>2"), "line 1, column 6: expected a value, found '<'");
  EXPECT_EQ(why("{<a=1>b=2}"), "line 1, column 2: expected a key, found '<'");
  EXPECT_EQ(why("<a=1;a=1>2"), "line 1, column 6: a key is repeated");
  EXPECT_EQ(why("[<a=1>;2]"), "line 1, column 7: expected a value, found ';'");
}

TEST(ParserTest, ErrorsInTextNameLineAndColumn) {
  EXPECT_EQ(why(""), "line 1, column 1: expected a value, found the end of the input");
  EXPECT_EQ(why("  "), "line 1, column 3: expected a value, found the end of the input");
  EXPECT_EQ(why("[1;\n 2;\n  ?]"), "line 3, column 3: expected a value, found '?'");
  EXPECT_EQ(why("\n\n"), "line 3, column 1: expected a value, found the end of the input");
  EXPECT_EQ(why("{a 1}"), "line 1, column 4: expected '=', found '1'");
  EXPECT_EQ(why("{a=}"), "line 1, column 4: expected a value, found '}'");
  EXPECT_EQ(why("{1=2}"), "line 1, column 2: expected a key, found '1'");
  EXPECT_EQ(why("{#=2}"), "line 1, column 2: expected a key, found '#'");
  EXPECT_EQ(why("{a=1 b=2}"), "line 1, column 6: expected ';' or '}', found 'b'");
  EXPECT_EQ(why("[1 2]"), "line 1, column 4: expected ';' or ']', found '2'");
  EXPECT_EQ(why("<a=1}2"), "line 1, column 5: expected ';' or '>', found '}'");
  EXPECT_EQ(why("[;]"), "line 1, column 2: expected a value, found ';'");
  EXPECT_EQ(why("[1;;2]"), "line 1, column 4: expected a value, found ';'");
  EXPECT_EQ(why("{;}"), "line 1, column 2: expected a key, found ';'");
  EXPECT_EQ(why("1 2"), "line 1, column 3: expected the end of the input, found '2'");
  EXPECT_EQ(why("[1];"), "line 1, column 4: expected the end of the input, found ';'");
  EXPECT_EQ(why("]"), "line 1, column 1: expected a value, found ']'");
  EXPECT_EQ(why("\x7f"), R"(line 1, column 1: expected a value, found '\x7f')");
  EXPECT_EQ(why("\0"sv), R"(line 1, column 1: expected a value, found '\x00')");
}

TEST(ParserTest, ErrorsInBinaryNameTheOffset) {
  EXPECT_EQ(why("[\x02\x02;?]"), "offset 4: expected a value, found '?'");
  EXPECT_EQ(why("\x07"sv), R"(line 1, column 1: expected a value, found '\x07')");
  EXPECT_EQ(why("\x02"sv), "offset 0: a varint is cut short");
  EXPECT_EQ(why("\x06\x80\x80"sv), "offset 0: a varint is cut short");
  EXPECT_EQ(why("\x06\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02"sv),
            "offset 0: a varint has more than 64 bits");
  EXPECT_EQ(why("\x06\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00"sv),
            "offset 0: a varint has more than 64 bits");
  EXPECT_EQ(why("\x03\0\0\0\0\0\0\0"sv), "offset 0: a double is cut short");
  EXPECT_EQ(why(" \x01\x08"
                "abc"),
            "offset 1: a string has 4 bytes, of which 3 are there");
  EXPECT_EQ(why("\x01\x01"), "offset 0: a string has -1 bytes, of which 0 are there");
  EXPECT_THAT(why("\x01\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01"),
              StartsWith("offset 0: a string has 9223372036854775807 bytes"));
}

TEST(ParserTest, NumbersThatAreNone) {
  for (const char* text : {"1a",    "-",    "+",   "-inf",  "+inf", "-nan", "+-1", "-+1", "--1",
                           "1-",    "1+1",  "-1u", "1uu",   "u1u+", "1.5u", "1e",  "1e+", "1.5.5",
                           "1e5e5", "0x10", "-.5", "1_000", "1%",   "-e5",  "1u2"}) {
    EXPECT_THAT(why(text), StartsWith("line 1, column")) << text;
  }
  EXPECT_EQ(why("[1a]"), "line 1, column 2: 1a is no number");
  EXPECT_EQ(why("9223372036854775808"), "line 1, column 1: 9223372036854775808 does not fit int64");
  EXPECT_EQ(why("-9223372036854775809"),
            "line 1, column 1: -9223372036854775809 does not fit int64");
  EXPECT_EQ(why("18446744073709551616u"),
            "line 1, column 1: 18446744073709551616u does not fit uint64");
  EXPECT_EQ(why("1e999"), "line 1, column 1: 1e999 does not fit a double");
  EXPECT_EQ(why(std::string(100, '9')),
            "line 1, column 1: " + std::string(40, '9') + "... does not fit int64");
}

TEST(ParserTest, PercentWordsThatAreNone) {
  for (const char* text : {"%", "%t", "%TRUE", "%truex", "%true%", "%nana", "%in", "%-nan", "%+nan",
                           "%--inf", "% true"}) {
    EXPECT_THAT(why(text), HasSubstr("expected %true, %false")) << text;
  }
}

TEST(ParserTest, EscapesThatAreNone) {
  EXPECT_THAT(why(R"("ab\q")"), StartsWith("line 1, column 4: expected an escape"));
  EXPECT_THAT(why(R"("\x")"), StartsWith("line 1, column 2: expected an escape"));
  EXPECT_THAT(why(R"("\xg")"), StartsWith("line 1, column 2: expected an escape"));
  EXPECT_THAT(why(R"("\8")"), StartsWith("line 1, column 2: expected an escape"));
  EXPECT_THAT(why(R"("\)"), StartsWith("line 1, column 2: expected an escape"));
  EXPECT_THAT(why(R"({"a\q"=1})"), StartsWith("line 1, column 4: expected an escape"));
  EXPECT_EQ(why(R"(["a\")"), "line 1, column 2: a quoted string is cut short");
}

TEST(ParserTest, RepeatedKeysAreRefused) {
  EXPECT_EQ(why("{a=1;\n b=2;a=3}"), "line 2, column 6: a key is repeated");
  EXPECT_EQ(why("{a=1;\"a\"=2}"), "line 1, column 6: a key is repeated");
  EXPECT_EQ(why("{\"\\x61\"=1;a=2}"), "line 1, column 11: a key is repeated");
  EXPECT_EQ(why("{a=1;\"\\x61\"=2}"), "line 1, column 6: a key is repeated");
  EXPECT_EQ(why("{a=1;\x01\x02"
                "a=2}"),
            "offset 5: a key is repeated");
  EXPECT_EQ(why("{\"\"=1;\"\"=2}"), "line 1, column 7: a key is repeated");
  EXPECT_EQ(why("[{x={a=1};y={a=1;a=1}}]"), "line 1, column 18: a key is repeated");
  // Not repeated: the same key at another level, or in the attributes.
  parsed("{a={a=<a={a=1}>{a=1}};b={a=1}}");
}

TEST(ParserTest, RepeatedKeysOfLargeMapsAreRefused) {
  for (int size : {15, 16, 17, 24, 25, 5'000}) {
    std::string map = "{";
    for (int i = 0; i < size; ++i) {
      map += "\"k\\x5f" + std::to_string(i) + "\"={a=1};";
    }
    EXPECT_EQ(parsed(map + "}").as_map().size(), static_cast<size_t>(size));
    EXPECT_EQ(why(map + "k_7=1}"),
              "line 1, column " + std::to_string(map.size() + 1) + ": a key is repeated");
    EXPECT_THAT(why(map + "k_7=1;z=2;k_7=1}"), HasSubstr("a key is repeated"));
  }
}

TEST(ParserTest, NestingUpToTheLimit) {
  int limit = limits::kYsonDepthLimit;
  parsed(repeat("[", limit) + repeat("]", limit));
  parsed(repeat("{a=", limit) + "1" + repeat("}", limit));
  parsed(repeat("<a=", limit) + "1" + repeat(">1", limit));
  for (const char* opening : {"[", "{a=", "<a=", "[<a="}) {
    for (int times : {limit + 1, 1'000'000}) {
      Error error = refused(repeat(opening, times));
      EXPECT_EQ(error.code, ErrorCode::kLimitExceeded);
      EXPECT_THAT(error.message, HasSubstr("more than 256 brackets are open"));
    }
  }
  EXPECT_EQ(refused(repeat("[", 1'000'000)).message,
            "line 1, column 257: more than 256 brackets are open");
  EXPECT_EQ(refused(repeat("[", 1'000'000) + repeat("]", 1'000'000)).code,
            ErrorCode::kLimitExceeded);
}

TEST(ParserTest, DeepTreesAreWrittenComparedAndDestroyed) {
  int limit = limits::kYsonDepthLimit;
  Node deep = parsed(repeat("<a=", limit / 2) + repeat("[<b=1>{c=", limit / 4) + "1" +
                     repeat("}]", limit / 4) + repeat(">#", limit / 2));
  EXPECT_EQ(parsed(to_string(deep, Format::kPretty)), deep);
  Node copy = deep;
  deep = Node();
  EXPECT_NE(copy, deep);
}

TEST(ParserTest, TheDepthLimitMayBeLowered) {
  EXPECT_TRUE(parse("[[]]", {.depth_limit = 2}));
  EXPECT_EQ(refused("[[[]]]", {.depth_limit = 2}).message,
            "line 1, column 3: more than 2 brackets are open");
  EXPECT_TRUE(parse("1", {.depth_limit = 0}));
  EXPECT_EQ(refused("[]", {.depth_limit = 0}).code, ErrorCode::kLimitExceeded);
  EXPECT_EQ(refused("[]", {.depth_limit = -1}).code, ErrorCode::kLimitExceeded);
  EXPECT_EQ(refused(repeat("[", 1'000'000), {.depth_limit = 2'000'000}).code,
            ErrorCode::kLimitExceeded);
}

TEST(ParserTest, TheBytesLimitHolds) {
  EXPECT_TRUE(parse("[1]", {.bytes_limit = 3}));
  EXPECT_TRUE(validate("[1]", {.bytes_limit = 3}));
  for (const char* text : {"[1;2]", "<a=1>2", "abcd"}) {
    Error error = refused(text, {.bytes_limit = 3});
    EXPECT_EQ(error.code, ErrorCode::kLimitExceeded);
    EXPECT_THAT(error.message, HasSubstr("more than 3 bytes"));
  }
  EXPECT_EQ(refused(std::string(limits::kYsonBytesLimit + 1, ' ')).code, ErrorCode::kLimitExceeded);
}

TEST(ParserTest, EveryTruncationFailsWithAPlace) {
  Node node(Map{{"string", "text \x01\xff"},
                {"numbers", List{-1, uint64_t{1} << 63, 0.1, HUGE_VAL, true, Node()}},
                {"nested", Map{{"a", Map{{"b", List{List{}, Map{}}}}}}}});
  node.set_attributes(Map{{"x", List{"y"}}});
  for (Format format : {Format::kBinary, Format::kText, Format::kPretty}) {
    std::string whole = to_string(node, format);
    EXPECT_EQ(parsed(whole), node);
    for (size_t size = 0; size < whole.size(); ++size) {
      EXPECT_THAT(why(whole.substr(0, size)),
                  ::testing::AnyOf(StartsWith("line "), StartsWith("offset ")));
    }
  }
}

}  // namespace
}  // namespace retinue::yson
