#include "protocol/base/result.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace retinue {
namespace {

Error not_found() {
  return Error{ErrorCode::kNotFound, "nothing there"};
}

Result<int> number(bool good) {
  if (good) {
    return 7;
  }
  return not_found();
}

Result<void> check(bool good) {
  return good ? Result<void>{} : not_found();
}

TEST(ResultTest, HoldsAValue) {
  Result<std::string> result = std::string("abc");
  ASSERT_TRUE(result.ok());
  EXPECT_TRUE(static_cast<bool>(result));
  EXPECT_EQ(*result, "abc");
  EXPECT_EQ(result->size(), 3u);
  result->push_back('d');
  EXPECT_EQ(std::move(result).value(), "abcd");
}

TEST(ResultTest, HoldsAnError) {
  const Result<int> result = number(false);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(result.error().message, "nothing there");
}

TEST(ResultTest, HoldsWhatOnlyMoves) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(5);
  const std::unique_ptr<int> taken = *std::move(result);
  EXPECT_EQ(*taken, 5);
}

TEST(ResultTest, OfNothingIsOkByDefault) {
  EXPECT_TRUE(Result<void>().ok());
  const Result<void> failed = check(false);
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().message, "nothing there");
}

TEST(ResultTest, TryReturnsTheErrorAndGoesOnWithout) {
  const auto run = [](bool good) -> Result<std::string> {
    RETINUE_TRY(check(good));
    RETINUE_TRY(number(good));
    return std::string("went on");
  };
  EXPECT_EQ(run(true).value(), "went on");
  EXPECT_EQ(run(false).error().code, ErrorCode::kNotFound);
}

TEST(ResultTest, AssignDeclaresOrReturnsTheError) {
  const auto twice = [](bool good) -> Result<int> {
    RETINUE_ASSIGN(const int first, number(true));
    RETINUE_ASSIGN(const int second, number(good));
    return first + second;
  };
  EXPECT_EQ(twice(true).value(), 14);
  EXPECT_EQ(twice(false).error().message, "nothing there");
}

TEST(ResultDeathTest, ValueOfAnErrorIsABug) {
  EXPECT_DEATH((void)number(false).value(), "value\\(\\) of a Result that holds an error");
  EXPECT_DEATH((void)*number(false), "holds an error");
}

TEST(ResultDeathTest, ErrorOfAValueIsABug) {
  EXPECT_DEATH((void)number(true).error(), "error\\(\\) of a Result that holds a value");
  EXPECT_DEATH((void)check(true).error(), "holds a value");
}

}  // namespace
}  // namespace retinue
