#include "worker/runtime/output_limit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace retinue::worker {
namespace {

using ::testing::ElementsAre;

constexpr const char* kBegins = "(prints more than 1000 lines a second: some are left out)";

class OutputLimitTest : public ::testing::Test {
 protected:
  // What comes out of `count` lines.
  std::vector<std::string> print(uint64_t count) {
    emitted_.clear();
    for (uint64_t i = 0; i < count; ++i) {
      limit_.line("y");
    }
    return emitted_;
  }
  std::vector<std::string> finish() {
    emitted_.clear();
    limit_.finish();
    return emitted_;
  }

  ManualClock clock_;

 private:
  std::vector<std::string> emitted_;
  OutputLimit limit_{clock_, [this](std::string_view line) { emitted_.emplace_back(line); }};
};

TEST_F(OutputLimitTest, ABurstComesWhole) {
  EXPECT_EQ(print(OutputLimit::kBurst).size(), OutputLimit::kBurst);
  clock_.advance(Duration::seconds(60));
  EXPECT_EQ(print(OutputLimit::kBurst).size(), OutputLimit::kBurst);
  EXPECT_TRUE(finish().empty());
}

TEST_F(OutputLimitTest, WhatIsOverItIsLeftOutAndCounted) {
  print(OutputLimit::kBurst);
  EXPECT_THAT(print(700), ElementsAre(kBegins));
  clock_.advance(Duration::milliseconds(999));
  EXPECT_TRUE(print(1).empty());
  clock_.advance(Duration::milliseconds(1));
  EXPECT_THAT(print(1), ElementsAre("(701 lines were left out)", "y"));
  EXPECT_EQ(print(OutputLimit::kPerSecond - 1).size(), OutputLimit::kPerSecond - 1);
  EXPECT_THAT(print(3), ElementsAre(kBegins));
  EXPECT_THAT(finish(), ElementsAre("(3 lines were left out)"));
  EXPECT_TRUE(finish().empty());
}

}  // namespace
}  // namespace retinue::worker
