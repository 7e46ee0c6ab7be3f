#include "worker/engine/pipeline_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/folder/folder.h"

namespace retinue::worker {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(PipelineFiles, AFileIsNotReadAndWritten) {
  const testing::Folder folder;
  const std::string file = folder.write("out", "");
  std::filesystem::create_symlink("out", folder.path("link"));
  std::filesystem::create_hard_link(file, folder.path("hard"));
  for (const char* name : {"out", "link", "hard"}) {
    for (const bool is_read_first : {true, false}) {
      PipelineFiles files;
      const auto read = [&] { return files.add_read(folder.path(name), "/the/source"); };
      const auto write = [&] { return files.add_written(file, "/the/sink"); };
      ASSERT_TRUE((is_read_first ? read() : write()).ok());
      const Result<void> second = is_read_first ? write() : read();
      ASSERT_FALSE(second.ok());
      EXPECT_EQ(second.error().code, ErrorCode::kInvalidSpec);
      EXPECT_THAT(second.error().message,
                  AllOf(HasSubstr("/the/source: "), HasSubstr("which /the/sink writes")));
    }
  }
}

TEST(PipelineFiles, OthersMayBeBoth) {
  const testing::Folder folder;
  PipelineFiles files;
  EXPECT_TRUE(files.add_read(folder.write("in", ""), "/a").ok());
  EXPECT_TRUE(files.add_read(folder.path("in"), "/b").ok()) << "two sources may read one file";
  EXPECT_TRUE(files.add_written(folder.write("out", ""), "/c").ok());
  for (const std::string& path : {folder.path("absent"), std::string("/dev/null")}) {
    EXPECT_TRUE(files.add_read(path, "/d").ok());
    EXPECT_TRUE(files.add_written(path, "/e").ok());
  }
}

}  // namespace
}  // namespace retinue::worker
