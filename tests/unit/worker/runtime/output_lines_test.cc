#include "worker/runtime/output_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace retinue::worker {
namespace {

using ::testing::ElementsAre;

class OutputLinesTest : public ::testing::Test {
 protected:
  std::vector<std::string> emitted;
  OutputLines lines{[this](std::string_view line) { emitted.emplace_back(line); }};
};

TEST_F(OutputLinesTest, LinesComeWhole) {
  lines.append("on");
  lines.append("e\n\ntwo\nthr");
  EXPECT_THAT(emitted, ElementsAre("one", "", "two"));
  lines.finish();
  lines.finish();
  EXPECT_THAT(emitted, ElementsAre("one", "", "two", "thr"));
}

TEST_F(OutputLinesTest, ALongLineComesInPieces) {
  const std::string piece(OutputLines::kLineBytesMax, 'x');
  lines.append(piece + piece.substr(1));
  EXPECT_THAT(emitted, ElementsAre(piece));
  lines.append("\nnext\n");
  EXPECT_THAT(emitted, ElementsAre(piece, piece.substr(1), "next"));
}

TEST_F(OutputLinesTest, ALineOfExactlyTheBoundIsOneLine) {
  const std::string piece(OutputLines::kLineBytesMax, 'x');
  lines.append(piece + "\nnext\n");
  EXPECT_THAT(emitted, ElementsAre(piece, "next"));
}

}  // namespace
}  // namespace retinue::worker
