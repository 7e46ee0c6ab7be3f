#include "worker/json/error_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>

#include "worker/json/json_writer.h"

namespace retinue::worker {
namespace {

using namespace std::string_view_literals;

TEST(QuoteText, EscapesWhatIsNotPrintable) {
  EXPECT_EQ(quote_text(""), "\"\"");
  EXPECT_EQ(quote_text("a b"), "\"a b\"");
  EXPECT_EQ(quote_text("a\"b\\c"), "\"a\\\"b\\\\c\"");
  EXPECT_EQ(quote_text("a\nb\tc\r\x01\x7f"), "\"a\\nb\\tc\\x0d\\x01\\x7f\"");
  EXPECT_EQ(quote_text("caf\xc3\xa9"), "\"caf\xc3\xa9\"");
  EXPECT_EQ(quote_text("caf\xc3"), "\"caf\\xc3\"");
  EXPECT_EQ(quote_text("\0"sv), "\"\\x00\"");
}

TEST(QuoteText, CutsLongTextsBetweenCharacters) {
  const std::string long_text = std::string(99, 'a') + "\xc3\xa9" + std::string(50, 'b');
  EXPECT_EQ(quote_text(long_text), '"' + std::string(99, 'a') + "…\"");
  EXPECT_EQ(quote_text(std::string(100, 'a')), '"' + std::string(100, 'a') + '"');
  EXPECT_TRUE(is_utf8(quote_text(std::string(200, '\xbf'))));
}

TEST(NearestName, FindsSlips) {
  constexpr std::array known = {"count"sv, "group_by_schema"sv, "int64"sv, "uint64"sv, "path"sv};
  EXPECT_EQ(nearest_name("int46", known), "int64");
  EXPECT_EQ(nearest_name("grup_by_schema", known), "group_by_schema");
  EXPECT_EQ(nearest_name("group_by", known), "");
  EXPECT_EQ(nearest_name("paths", known), "path");
  EXPECT_EQ(nearest_name("pth", known), "path");
  EXPECT_EQ(nearest_name("zzz", known), "");
  EXPECT_EQ(nearest_name("", known), "");
  EXPECT_EQ(nearest_name(std::string(1000, 'a'), known), "");
  EXPECT_EQ(nearest_name("a", std::array{"b"sv}), "");
}

TEST(DidYouMean, SaysNothingWithoutAnIdea) {
  constexpr std::array known = {"count"sv};
  EXPECT_EQ(did_you_mean("cuont", known), " (did you mean \"count\"?)");
  EXPECT_EQ(did_you_mean("words", known), "");
}

}  // namespace
}  // namespace retinue::worker
