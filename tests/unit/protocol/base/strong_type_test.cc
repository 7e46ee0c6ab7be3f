#include "protocol/base/strong_type.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <type_traits>
#include <unordered_set>

#include "protocol/base/ids.h"

namespace retinue {
namespace {

using Apples = StrongNumber<struct ApplesTag, uint32_t>;
using Pears = StrongNumber<struct PearsTag, uint32_t>;
using Farm = StrongName<struct FarmTag>;
using Shop = StrongName<struct ShopTag>;

TEST(StrongTypeTest, KindsDoNotMix) {
  static_assert(!std::is_convertible_v<Apples, Pears>);
  static_assert(!std::is_constructible_v<Apples, Pears>);
  static_assert(!std::is_convertible_v<uint32_t, Apples>);
  static_assert(!std::is_convertible_v<Apples, uint32_t>);
  static_assert(!std::is_constructible_v<Farm, Shop>);
  static_assert(!std::is_convertible_v<std::string, Farm>);
  static_assert(!std::is_convertible_v<Epoch, JobId>);
  static_assert(std::is_trivially_copyable_v<Apples> && sizeof(Apples) == sizeof(uint32_t));
}

TEST(StrongTypeTest, NumbersCompareCountAndHash) {
  EXPECT_EQ(Apples().value(), 0u);
  EXPECT_LT(Apples(1), Apples(2));
  EXPECT_EQ(Apples(1).next(), Apples(2));
  EXPECT_EQ(Apples(UINT32_MAX).next(), Apples(0));
  std::unordered_set<Apples> set = {Apples(1), Apples(2), Apples(1)};
  EXPECT_EQ(set.size(), 2u);
  EXPECT_TRUE(set.contains(Apples(2)));
}

TEST(StrongTypeTest, NamesCompareAndHash) {
  EXPECT_TRUE(Farm().empty());
  EXPECT_EQ(Farm("north").value(), "north");
  EXPECT_EQ(Farm(std::string_view("north")), Farm(std::string("north")));
  EXPECT_LT(Farm("east"), Farm("north"));
  std::unordered_set<Farm> set = {Farm("north"), Farm("east"), Farm("north")};
  EXPECT_EQ(set.size(), 2u);
}

TEST(MessageIdTest, OrdersBySequenceThenIndex) {
  EXPECT_LT((MessageId{1, 9}), (MessageId{2, 0}));
  EXPECT_LT((MessageId{1, 1}), (MessageId{1, 2}));
  EXPECT_EQ((MessageId{1, 1}), (MessageId{1, 1}));
}

}  // namespace
}  // namespace retinue
