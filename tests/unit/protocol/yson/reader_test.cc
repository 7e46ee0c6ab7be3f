#include "protocol/yson/reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "protocol/yson/writer.h"

namespace retinue::yson {
namespace {

using ::testing::HasSubstr;

template <typename T>
T got(Result<T> result) {
  EXPECT_TRUE(result.ok()) << result.error().to_string();
  return result ? *std::move(result) : T{};
}

void succeeds(const Result<void>& result) {
  EXPECT_TRUE(result.ok()) << result.error().to_string();
}

template <typename T>
std::string error_of(const Result<T>& result) {
  return result ? "no error" : result.error().to_string();
}

struct Counter {
  int64_t count = 0;
  std::string name;
  double ratio = 0;

  friend bool operator==(const Counter&, const Counter&) = default;
};

Result<Counter> read_counter(std::string_view bytes) {
  Counter counter;
  Reader reader(bytes);
  RETINUE_TRY(reader.begin_map());
  for (;;) {
    RETINUE_ASSIGN(auto key, reader.next_key());
    if (!key) {
      break;
    }
    if (*key == "count") {
      RETINUE_ASSIGN(counter.count, reader.read_int64());
    } else if (*key == "name") {
      RETINUE_ASSIGN(counter.name, reader.read_string());
    } else if (*key == "ratio") {
      RETINUE_ASSIGN(counter.ratio, reader.read_double());
    } else {
      RETINUE_TRY(reader.skip_value());
    }
  }
  RETINUE_TRY(reader.finish());
  return counter;
}

TEST(ReaderTest, ReadsAStruct) {
  Counter expected{.count = 3, .name = "a\nb", .ratio = 0.5};
  Node node(
      Map{{"count", 3}, {"other", List{1, Map{{"x", List{}}}}}, {"name", "a\nb"}, {"ratio", 0.5}});
  node.set_attributes(Map{{"version", 1}});
  for (Format format : {Format::kBinary, Format::kText, Format::kPretty}) {
    EXPECT_EQ(got(read_counter(to_string(node, format))), expected);
  }
  EXPECT_EQ(got(read_counter("{}")), Counter{});
}

TEST(ReaderTest, ErrorsOfAStructNameThePlace) {
  EXPECT_EQ(error_of(read_counter("{count=1;\nname=2}")),
            "schema-mismatch: line 2, column 6: expected string, found int64");
  EXPECT_EQ(error_of(read_counter("{count=1u}")),
            "schema-mismatch: line 1, column 8: expected int64, found uint64");
  EXPECT_EQ(error_of(read_counter("{ratio=1}")),
            "schema-mismatch: line 1, column 8: expected double, found int64");
  EXPECT_EQ(error_of(read_counter("[]")),
            "schema-mismatch: line 1, column 1: expected map, found list");
  EXPECT_EQ(error_of(read_counter("{other=[1;}}")),
            "invalid-yson: line 1, column 11: expected a value, found '}'");
  EXPECT_EQ(error_of(read_counter("{count=1;count=1}")),
            "invalid-yson: line 1, column 10: a key is repeated");
  EXPECT_EQ(error_of(read_counter("{other={a=1;b=2;a=3}}")),
            "invalid-yson: line 1, column 17: a key is repeated");
  EXPECT_EQ(error_of(read_counter("{}{}")),
            "invalid-yson: line 1, column 3: expected the end of the input, found '{'");
  EXPECT_EQ(error_of(read_counter("{\x01\x0a"
                                  "count=\x05}")),
            "schema-mismatch: offset 9: expected int64, found boolean");
}

TEST(ReaderTest, ReadsEveryKind) {
  Reader reader("[#;%true;-1;2u;5e-1;x;[];{}]");
  succeeds(reader.begin_list());
  auto next = [&] { return got(reader.next_item()) ? got(reader.peek()) : NodeKind{}; };
  EXPECT_EQ(next(), NodeKind::kEntity);
  succeeds(reader.read_entity());
  EXPECT_EQ(next(), NodeKind::kBoolean);
  EXPECT_TRUE(got(reader.read_boolean()));
  EXPECT_EQ(next(), NodeKind::kInt64);
  EXPECT_EQ(got(reader.read_int64()), -1);
  EXPECT_EQ(next(), NodeKind::kUint64);
  EXPECT_EQ(got(reader.read_uint64()), 2u);
  EXPECT_EQ(next(), NodeKind::kDouble);
  EXPECT_EQ(got(reader.read_double()), 0.5);
  EXPECT_EQ(next(), NodeKind::kString);
  EXPECT_EQ(got(reader.read_string()), "x");
  EXPECT_EQ(next(), NodeKind::kList);
  succeeds(reader.begin_list());
  EXPECT_FALSE(got(reader.next_item()));
  EXPECT_EQ(next(), NodeKind::kMap);
  succeeds(reader.begin_map());
  EXPECT_FALSE(got(reader.next_key()).has_value());
  EXPECT_FALSE(got(reader.next_item()));
  succeeds(reader.finish());
}

TEST(ReaderTest, AValueOfAnotherKindStaysUnread) {
  Reader reader("<a=1>7");
  EXPECT_EQ(error_of(reader.read_string()),
            "schema-mismatch: line 1, column 6: expected string, found int64");
  EXPECT_EQ(error_of(reader.begin_map()),
            "schema-mismatch: line 1, column 6: expected map, found int64");
  EXPECT_EQ(got(reader.peek()), NodeKind::kInt64);
  EXPECT_EQ(got(reader.read_int64()), 7);
  succeeds(reader.finish());
}

TEST(ReaderTest, Attributes) {
  Reader reader("<a=<b=1>2; c=#> x");
  EXPECT_TRUE(got(reader.begin_attributes()));
  EXPECT_EQ(got(reader.next_key()), "a");
  EXPECT_TRUE(got(reader.begin_attributes()));
  EXPECT_EQ(got(reader.next_key()), "b");
  EXPECT_FALSE(got(reader.begin_attributes()));
  EXPECT_EQ(got(reader.read_int64()), 1);
  EXPECT_FALSE(got(reader.next_key()).has_value());
  EXPECT_FALSE(got(reader.begin_attributes()));
  EXPECT_EQ(got(reader.read_int64()), 2);
  EXPECT_EQ(got(reader.next_key()), "c");
  succeeds(reader.skip_value());
  EXPECT_FALSE(got(reader.next_key()).has_value());
  EXPECT_EQ(got(reader.read_string()), "x");
  succeeds(reader.finish());
}

TEST(ReaderTest, SkippedAttributesAreChecked) {
  EXPECT_EQ(error_of(Reader("<a=1;a=2>3").read_int64()),
            "invalid-yson: line 1, column 6: a key is repeated");
  EXPECT_EQ(error_of(Reader("<a=1 3").peek()),
            "invalid-yson: line 1, column 6: expected ';' or '>', found '3'");
  EXPECT_EQ(error_of(Reader("<a=1>").skip_value()),
            "invalid-yson: line 1, column 6: expected a value, found the end of the input");
}

TEST(ReaderTest, RawValues) {
  Reader reader("{a= <x=1> [1; 2] ;b=\"\\n\" ;c=<y=z>3;d={e=f}}");
  succeeds(reader.begin_map());
  EXPECT_EQ(got(reader.next_key()), "a");
  EXPECT_EQ(got(reader.peek()), NodeKind::kList);
  EXPECT_EQ(got(reader.read_raw()), "<x=1> [1; 2]");
  EXPECT_EQ(got(reader.next_key()), "b");
  EXPECT_EQ(got(reader.read_raw()), "\"\\n\"");
  EXPECT_EQ(got(reader.next_key()), "c");
  EXPECT_TRUE(got(reader.begin_attributes()));
  EXPECT_EQ(got(reader.next_key()), "y");
  EXPECT_EQ(got(reader.read_raw()), "z");
  EXPECT_FALSE(got(reader.next_key()).has_value());
  EXPECT_EQ(got(reader.read_raw()), "3");
  EXPECT_EQ(got(reader.next_key()), "d");
  EXPECT_EQ(got(reader.read_raw()), "{e=f}");
  EXPECT_FALSE(got(reader.next_key()).has_value());
  succeeds(reader.finish());
}

TEST(ReaderTest, StringsLiveAsLongAsTheReader) {
  Reader reader(R"({"k\x31"="v\x31";"k\x32"="v\x32"})");
  succeeds(reader.begin_map());
  std::string_view k1 = *got(reader.next_key());
  std::string_view v1 = got(reader.read_string());
  std::string_view k2 = *got(reader.next_key());
  std::string_view v2 = got(reader.read_string());
  EXPECT_FALSE(got(reader.next_key()).has_value());
  EXPECT_EQ(k1, "k1");
  EXPECT_EQ(v1, "v1");
  EXPECT_EQ(k2, "k2");
  EXPECT_EQ(v2, "v2");
}

TEST(ReaderTest, CallersPlaceTheirOwnErrors) {
  Reader reader("{a=1;\n  b=300}");
  succeeds(reader.begin_map());
  got(reader.next_key());
  got(reader.read_int64());
  got(reader.next_key());
  EXPECT_EQ(reader.error_here(ErrorCode::kNotFound, "b?").to_string(),
            "not-found: line 2, column 3: b?");
  got(reader.read_int64());
  EXPECT_EQ(reader.error_here(ErrorCode::kSchemaMismatch, "b is over 255").message,
            "line 2, column 5: b is over 255");
}

TEST(ReaderTest, TheDepthLimitHoldsForEveryBracket) {
  std::string nested = "[{a=<b=[";
  for (int limit = 0; limit < 4; ++limit) {
    Result<void> skipped = Reader(nested, {.depth_limit = limit}).skip_value();
    EXPECT_THAT(error_of(skipped), HasSubstr("more than " + std::to_string(limit) + " brackets"));
  }
  EXPECT_THAT(error_of(Reader(nested, {.depth_limit = 4}).skip_value()),
              HasSubstr("the end of the input"));
  EXPECT_THAT(error_of(Reader("[", {.depth_limit = 0}).begin_list()), HasSubstr("limit-exceeded"));
}

TEST(ReaderTest, CallsOutOfTurnAreBugs) {
  EXPECT_DEATH((void)Reader("1").next_item(), "not in a list");
  EXPECT_DEATH((void)Reader("1").next_key(), "not in a map");
  EXPECT_DEATH((void)Reader("1").finish(), "not read to its end");
  EXPECT_DEATH(
      {
        Reader reader("1");
        (void)reader.read_int64();
        (void)reader.read_int64();
      },
      "no value comes next");
  EXPECT_DEATH(
      {
        Reader reader("[1;2]");
        (void)reader.begin_list();
        (void)reader.read_int64();
      },
      "no value comes next");
  EXPECT_DEATH(
      {
        Reader reader("[1;2]");
        (void)reader.begin_list();
        (void)reader.next_key();
      },
      "not in a map");
}

}  // namespace
}  // namespace retinue::yson
