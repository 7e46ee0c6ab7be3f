#include "protocol/yson/node.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

namespace retinue::yson {
namespace {

TEST(NodeTest, EachValueHasItsKind) {
  EXPECT_TRUE(Node().is_entity());
  EXPECT_TRUE(Node(true).is_boolean());
  EXPECT_TRUE(Node(3).is_int64());
  EXPECT_TRUE(Node(int64_t{3}).is_int64());
  EXPECT_TRUE(Node(uint64_t{3}).is_uint64());
  EXPECT_TRUE(Node(3.0).is_double());
  EXPECT_TRUE(Node("3").is_string());
  EXPECT_TRUE(Node(List{}).is_list());
  EXPECT_TRUE(Node(Map{}).is_map());
  EXPECT_EQ(node_kind_name(Node(uint64_t{3}).kind()), "uint64");
  EXPECT_EQ(node_kind_name(Node(Map{}).kind()), "map");
}

TEST(NodeTest, EqualityNeedsTheSameKind) {
  EXPECT_EQ(Node(3), Node(int64_t{3}));
  EXPECT_NE(Node(3), Node(uint64_t{3}));
  EXPECT_NE(Node(3), Node(3.0));
  EXPECT_NE(Node(), Node(Map{}));
  EXPECT_NE(Node(List{}), Node(Map{}));
}

TEST(NodeTest, DoublesAreEqualByTheirBits) {
  double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(Node(nan), Node(nan));
  EXPECT_EQ(Node(nan), Node(-nan));
  EXPECT_NE(Node(0.0), Node(-0.0));
  EXPECT_NE(Node(nan), Node(0.0));
}

TEST(NodeTest, MapOrderDoesNotCount) {
  Node a(Map{{"x", 1}, {"y", List{1, 2}}, {"z", Map{}}});
  EXPECT_EQ(a, Node(Map{{"z", Map{}}, {"x", 1}, {"y", List{1, 2}}}));
  EXPECT_NE(a, Node(Map{{"z", Map{}}, {"x", 1}, {"y", List{2, 1}}}));
  EXPECT_NE(a, Node(Map{{"z", Map{}}, {"x", 1}}));
  EXPECT_NE(a, Node(Map{{"w", Map{}}, {"x", 1}, {"y", List{1, 2}}}));
  EXPECT_NE(a, Node(Map{{"x", 1}, {"y", List{1, 2}}, {"w", Map{}}}));
}

TEST(NodeTest, ComparingDeepTreesInAnotherOrderIsNotExponential) {
  Node a(1);
  Node b(1);
  for (int depth = 0; depth < 250; ++depth) {
    a = Map{{"x", std::move(a)}, {"y", depth}};
    b = Map{{"y", depth}, {"x", std::move(b)}};
  }
  EXPECT_EQ(a, b);
}

TEST(NodeTest, AttributesCount) {
  Node plain("value");
  Node with = plain;
  with.set_attributes(Map{{"a", 1}, {"b", 2}});
  Node reordered = plain;
  reordered.set_attributes(Map{{"b", 2}, {"a", 1}});
  EXPECT_TRUE(with.has_attributes());
  EXPECT_NE(plain, with);
  EXPECT_EQ(with, reordered);
  EXPECT_TRUE(plain.attributes().empty());
  EXPECT_EQ(with.attributes().front().value, Node(1));

  with.set_attributes(Map{});
  EXPECT_FALSE(with.has_attributes());
  EXPECT_EQ(plain, with);
}

TEST(NodeTest, FindLooksInMapsOnly) {
  Node map(Map{{"a", 1}, {"b", "two"}});
  ASSERT_NE(map.find("b"), nullptr);
  EXPECT_EQ(map.find("b")->as_string(), "two");
  EXPECT_EQ(map.find("c"), nullptr);
  EXPECT_EQ(Node(1).find("a"), nullptr);
  EXPECT_EQ(Node().find("a"), nullptr);
  const Node& constant = map;
  EXPECT_EQ(constant.find("a"), map.find("a"));
}

TEST(NodeTest, SetReplacesInPlaceOrAppends) {
  Node node;
  node.set("a", 1);
  node.set("b", 2);
  node.set("a", "one");
  ASSERT_EQ(node.as_map().size(), 2u);
  EXPECT_EQ(node.as_map()[0].key, "a");
  EXPECT_EQ(node.as_map()[0].value, Node("one"));
  EXPECT_EQ(node.as_map()[1].value, Node(2));
  EXPECT_DEATH(Node(1).set("a", 1), "set\\(\\) of a node");
}

}  // namespace
}  // namespace retinue::yson
