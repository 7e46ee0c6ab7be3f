#include "protocol/yson/writer.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <string>

#include "protocol/yson/parser.h"

namespace retinue::yson {
namespace {

using namespace std::string_view_literals;

std::string text(const Node& node) {
  return to_string(node, Format::kText);
}

Node sample() {
  Node node(Map{{"a", List{1, uint64_t{2}, 3.5, true, Node(), "x\"y"}},
                {"empty", Map{{"list", List{}}, {"map", Map{}}}}});
  node.as_map()[0].value.set_attributes(Map{{"k", Map{{"z", 1}}}});
  return node;
}

TEST(WriterTest, Text) {
  EXPECT_EQ(text(sample()),
            R"({"a"=<"k"={"z"=1}>[1;2u;3.5;%true;#;"x\"y"];"empty"={"list"=[];"map"={}}})");
}

TEST(WriterTest, Pretty) {
  EXPECT_EQ(to_string(sample(), Format::kPretty), R"({
    "a" = <
        "k" = {
            "z" = 1;
        };
    > [
        1;
        2u;
        3.5;
        %true;
        #;
        "x\"y";
    ];
    "empty" = {
        "list" = [];
        "map" = {};
    };
})");
}

TEST(WriterTest, Binary) {
  EXPECT_EQ(
      to_string(Node(Map{{"a", List{-1, uint64_t{300}, 1.5, true, false, Node(), ""}}})),
      "{\x01\x02"
      "a=[\x02\x01;\x06\xac\x02;\x03\x00\x00\x00\x00\x00\x00\xf8\x3f;\x05;\x04;#;\x01\x00]}"sv);
  Node with(1);
  with.set_attributes(Map{{"b", 2}});
  EXPECT_EQ(to_string(with),
            "<\x01\x02"
            "b=\x02\x04>\x02\x02"sv);
}

TEST(WriterTest, IntegersAreExact) {
  EXPECT_EQ(text(std::numeric_limits<int64_t>::min()), "-9223372036854775808");
  EXPECT_EQ(text(std::numeric_limits<int64_t>::max()), "9223372036854775807");
  EXPECT_EQ(text(std::numeric_limits<uint64_t>::max()), "18446744073709551615u");
  EXPECT_EQ(to_string(std::numeric_limits<int64_t>::min()),
            "\x02\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
}

TEST(WriterTest, DoublesAreShortestAndKeepTheirKind) {
  EXPECT_EQ(text(1.0), "1.");
  EXPECT_EQ(text(-0.0), "-0.");
  EXPECT_EQ(text(0.1), "0.1");
  EXPECT_EQ(text(1e22), "1e+22");
  EXPECT_EQ(text(123456.0), "123456.");
  EXPECT_EQ(text(5e-324), "5e-324");
  EXPECT_EQ(text(std::numeric_limits<double>::max()), "1.7976931348623157e+308");
  EXPECT_EQ(text(HUGE_VAL), "%inf");
  EXPECT_EQ(text(-HUGE_VAL), "%-inf");
  EXPECT_EQ(text(std::nan("")), "%nan");
}

TEST(WriterTest, RandomNumbersReadBackExactly) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 20'000; ++i) {
    // Every magnitude, not only the large ones.
    uint64_t bits = random() >> (random() % 64);
    List numbers{bits, static_cast<int64_t>(bits), -static_cast<int64_t>(bits >> 1),
                 std::bit_cast<double>(bits), std::bit_cast<double>(random())};
    for (Format format : {Format::kBinary, Format::kText}) {
      Result<Node> again = parse(to_string(numbers, format));
      ASSERT_TRUE(again.ok()) << again.error().message;
      ASSERT_EQ(*again, Node(numbers)) << text(numbers);
    }
  }
}

TEST(WriterTest, EveryByteOfAStringSurvives) {
  std::string bytes;
  for (int byte = 0; byte < 256; ++byte) {
    // A hex digit behind each, which an escape must not swallow.
    bytes += static_cast<char>(byte);
    bytes += 'f';
  }
  Node node(Map{{bytes, bytes}});
  for (Format format : {Format::kBinary, Format::kText, Format::kPretty}) {
    Result<Node> again = parse(to_string(node, format));
    ASSERT_TRUE(again.ok()) << again.error().message;
    EXPECT_EQ(*again, node);
  }
  for (char byte : text(node)) {
    EXPECT_TRUE(byte >= ' ' && byte <= '~');
  }
  EXPECT_EQ(text("a\n\t\r\x01\x7f\xe9\\\""), R"("a\n\t\r\x01\x7f\xe9\\\"")");
}

TEST(WriterTest, Streams) {
  std::string out = "before ";
  Writer writer(out, Format::kText);
  writer.begin_map();
  writer.key("count");
  writer.int64(3);
  writer.key("items");
  writer.begin_attributes();
  writer.key("of");
  writer.string("x");
  writer.end_attributes();
  writer.begin_list();
  writer.raw("{y=1}");
  writer.node(Node(2));
  writer.begin_attributes();
  writer.end_attributes();
  writer.entity();
  writer.end_list();
  writer.end_map();
  EXPECT_EQ(out, R"(before {"count"=3;"items"=<"of"="x">[{y=1};2;<>#]})");
}

TEST(WriterTest, CallsMustNest) {
  std::string out;
  auto dies = [&](const char* message, auto calls) {
    EXPECT_DEATH(
        {
          Writer writer(out);
          calls(writer);
        },
        message);
  };
  const char* no_place = "a second node, or a value without its key";
  const char* no_key = "a key outside a map, or a key without its value";
  const char* no_close = "a closing bracket that fits no opening one";
  dies(no_place, [](Writer& w) { w.int64(1), w.int64(2); });
  dies(no_place, [](Writer& w) { w.begin_map(), w.int64(1); });
  dies(no_key, [](Writer& w) { w.key("a"); });
  dies(no_key, [](Writer& w) { w.begin_list(), w.key("a"); });
  dies(no_key, [](Writer& w) { w.begin_map(), w.key("a"), w.key("b"); });
  dies(no_close, [](Writer& w) { w.end_list(); });
  dies(no_close, [](Writer& w) { w.begin_list(), w.end_map(); });
  dies(no_close, [](Writer& w) { w.begin_map(), w.key("a"), w.end_map(); });
  dies(no_close,
       [](Writer& w) { w.begin_list(), w.begin_attributes(), w.end_attributes(), w.end_list(); });
  dies("attributes of attributes",
       [](Writer& w) { w.begin_attributes(), w.end_attributes(), w.begin_attributes(); });
}

}  // namespace
}  // namespace retinue::yson
