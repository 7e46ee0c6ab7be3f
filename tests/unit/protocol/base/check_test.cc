#include "protocol/base/check.h"

#include <gtest/gtest.h>

namespace retinue {
namespace {

TEST(CheckTest, PassesAndEvaluatesOnce) {
  int evaluations = 0;
  RETINUE_CHECK(++evaluations == 1, "said never");
  EXPECT_EQ(evaluations, 1);
}

TEST(CheckDeathTest, PrintsPlaceConditionAndMessage) {
  const int count = 3;
  EXPECT_DEATH(RETINUE_CHECK(count < 3, "too many"), "check_test.cc:[0-9]+: count < 3: too many");
}

TEST(CheckDeathTest, NeedsNoMessage) {
  EXPECT_DEATH(RETINUE_CHECK(1 + 1 == 3), "check_test.cc:[0-9]+: 1 \\+ 1 == 3\n");
}

}  // namespace
}  // namespace retinue
