#include "worker/json/json_writer.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <string_view>

#include "tests/unit/worker/json/random_values.h"
#include "worker/json/json_parser.h"

namespace retinue::worker {
namespace {

using namespace std::string_view_literals;
using yson::Entity;
using yson::List;
using yson::Map;
using yson::Node;

TEST(NodeToJson, Scalars) {
  EXPECT_EQ(node_to_json(Entity{}), "null");
  EXPECT_EQ(node_to_json(true), "true");
  EXPECT_EQ(node_to_json(INT64_MIN), "-9223372036854775808");
  EXPECT_EQ(node_to_json(UINT64_MAX), "18446744073709551615");
  EXPECT_EQ(node_to_json("a\"b\\c/\n\r\t\x01é"), "\"a\\\"b\\\\c/\\n\\r\\t\\u0001é\"");
  EXPECT_EQ(node_to_json("\0"sv), "\"\\u0000\"");
  EXPECT_EQ(node_to_json("\xff"), R"({"$base64":"/w=="})");
}

TEST(NodeToJson, DoublesAreShortestAndLookLikeDoubles) {
  EXPECT_EQ(node_to_json(1.0), "1.0");
  EXPECT_EQ(node_to_json(-0.0), "-0.0");
  EXPECT_EQ(node_to_json(0.1), "0.1");
  EXPECT_EQ(node_to_json(1e300), "1e+300");
  EXPECT_EQ(node_to_json(5e-324), "5e-324");
  EXPECT_EQ(node_to_json(std::numeric_limits<double>::infinity()), "\"inf\"");
  EXPECT_EQ(node_to_json(-std::numeric_limits<double>::infinity()), "\"-inf\"");
  EXPECT_EQ(node_to_json(std::numeric_limits<double>::quiet_NaN()), "\"nan\"");
}

TEST(NodeToJson, Containers) {
  EXPECT_EQ(node_to_json(List{}), "[]");
  EXPECT_EQ(node_to_json(Map{}), "{}");
  const Node node(Map{{"b", List{1, List{}, Map{}}}, {"a", Map{{"\xff", Entity{}}}}});
  EXPECT_EQ(node_to_json(node), R"({"b":[1,[],{}],"a":{"$base64:/w==":null}})");
  EXPECT_EQ(node_to_json(node, JsonFormat::kPretty), R"({
  "b": [
    1,
    [],
    {}
  ],
  "a": {
    "$base64:/w==": null
  }
})");
}

TEST(NodeToJson, Attributes) {
  Node node(List{1});
  node.set_attributes(Map{{"a", true}});
  EXPECT_EQ(node_to_json(node), R"({"$attributes":{"a":true},"$value":[1]})");
}

TEST(NodeToJson, ReadsBackToTheSameTree) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 2000; ++i) {
    const Node node = random_json_node(random, 4);
    for (const JsonFormat format : {JsonFormat::kCompact, JsonFormat::kPretty}) {
      const std::string text = node_to_json(node, format);
      const auto back = parse_json(text);
      ASSERT_TRUE(back.ok()) << text << ": " << back.error().message;
      ASSERT_EQ(*back, node) << text;
    }
  }
}

}  // namespace
}  // namespace retinue::worker
