#include "worker/cli/standard_streams.h"

#include <gtest/gtest.h>

#include "tests/folder/folder.h"

namespace retinue::worker {
namespace {

TEST(Output, WritesWhatItIsGiven) {
  const testing::Folder folder;
  std::FILE* const file = std::fopen(folder.path("out").c_str(), "w");
  Output out(file);
  EXPECT_TRUE(out.write("one ").ok());
  EXPECT_TRUE(out.write("two").ok());
  EXPECT_TRUE(out.finish().ok());
  EXPECT_EQ(folder.read("out"), "one two");
  std::fclose(file);
}

TEST(Output, TellsThatTheDiskIsFull) {
  std::FILE* const file = std::fopen("/dev/full", "w");
  Output out(file);
  EXPECT_TRUE(out.write("a few bytes").ok());  // into the buffer
  const auto finished = out.finish();
  ASSERT_FALSE(finished.ok());
  EXPECT_EQ(finished.error().code, ErrorCode::kOutOfSpace);
  EXPECT_EQ(finished.error().message, "cannot write to standard output: No space left on device");
  EXPECT_FALSE(out.write("more").ok());
  std::fclose(file);
}

TEST(Output, AnEarlyFailureStays) {
  std::FILE* const file = std::fopen("/dev/null", "r");  // refuses to be written
  Output out(file);
  EXPECT_EQ(out.write("text").error().code, ErrorCode::kIoError);
  EXPECT_EQ(out.finish().error().code, ErrorCode::kIoError);
  std::fclose(file);
}

}  // namespace
}  // namespace retinue::worker
