#include "worker/spec/expression.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace retinue::worker {
namespace {

using testing::ElementsAre;

TEST(HashExpression, ReadsColumns) {
  EXPECT_THAT(parse_hash_expression("farm_hash(word)").value().columns, ElementsAre("word"));
  EXPECT_THAT(parse_hash_expression(" farm_hash ( a , b.c-d_1 ,a ) ").value().columns,
              ElementsAre("a", "b.c-d_1", "a"));
}

TEST(HashExpression, RefusesEverythingElse) {
  using namespace std::string_view_literals;
  for (const std::string_view text : std::initializer_list<std::string_view>{
           "", "farm_hash", "farm_hash(", "farm_hash()", "farm_hash(a", "farm_hash(a,)",
           "farm_hash(,a)", "farm_hash(a b)", "farm_hash(a))", "farm_hash(a) + 1", "city_hash(a)",
           "Farm_hash(a)", "(a)", "farm_hash(a)\0"sv, "farm_hash(\xff)"}) {
    const auto expression = parse_hash_expression(text);
    ASSERT_FALSE(expression.ok()) << text;
    EXPECT_EQ(expression.error().code, ErrorCode::kInvalidSpec);
    EXPECT_THAT(expression.error().message,
                testing::StartsWith("expected farm_hash(column, …), found \""));
  }
}

}  // namespace
}  // namespace retinue::worker
