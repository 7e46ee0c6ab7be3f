#include "worker/source/input_paths.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tests/folder/folder.h"

namespace retinue::worker {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Result<std::vector<InputPath>> found_in(const std::vector<std::string>& paths) {
  return expand_input_paths(paths, [](const std::string&) { return std::nullopt; });
}

std::vector<std::string> expand(const std::vector<std::string>& paths) {
  std::vector<std::string> expanded;
  const std::vector<InputPath> inputs = found_in(paths).value();
  for (const InputPath& input : inputs) {
    expanded.push_back(std::filesystem::path(input.path).filename());
  }
  return expanded;
}

ErrorCode error_of(const std::vector<std::string>& paths) {
  const auto inputs = found_in(paths);
  return inputs ? ErrorCode::kInternal : inputs.error().code;
}

TEST(InputPathsTest, PatternsGiveFilesInByteOrder) {
  const testing::Folder folder;
  for (const char* name : {"b", "a", "B", "a-2", "a10", "\xc3\xa4", "_"}) {
    folder.write(name, "");
  }
  EXPECT_THAT(expand({folder.path("*")}),
              ElementsAre("B", "_", "a", "a-2", "a10", "b", "\xc3\xa4"));
  EXPECT_THAT(expand({folder.path("a?*")}), ElementsAre("a-2", "a10"));
  EXPECT_THAT(expand({folder.path("[AB]")}), ElementsAre("B"));
}

TEST(InputPathsTest, PathsStayInTheOrderGivenAndComeOnce) {
  const testing::Folder folder;
  folder.write("a", "");
  folder.write("b", "123");
  folder.write("c", "");
  EXPECT_THAT(expand({folder.path("b"), folder.path("*"), folder.path("a")}),
              ElementsAre("b", "a", "c"));
  EXPECT_EQ(found_in({folder.path("b")}).value()[0].size_bytes, 3u);
}

TEST(InputPathsTest, AFileWhoseNameLooksLikeAPatternIsThatFile) {
  const testing::Folder folder;
  folder.write("a[1]", "");
  folder.write("a1", "");
  EXPECT_THAT(expand({folder.path("a[1]")}), ElementsAre("a[1]"));
}

TEST(InputPathsTest, WhatIsNotThereIsAnError) {
  const testing::Folder folder;
  EXPECT_EQ(error_of({folder.path("gone")}), ErrorCode::kNotFound);
  EXPECT_EQ(error_of({folder.path("gone*")}), ErrorCode::kNotFound);
  EXPECT_EQ(error_of({folder.path("no/such/*")}), ErrorCode::kNotFound);
  const auto missing = found_in({folder.path("gone*.log")});
  EXPECT_THAT(missing.error().message, HasSubstr(folder.path("gone*.log")));
  EXPECT_EQ(error_of({}), ErrorCode::kInvalidArgument);
}

TEST(InputPathsTest, WhatWasReadMayBeGone) {
  const testing::Folder folder;
  const auto read_in_part = [&](const std::string& path) {
    return path == folder.path("gone") ? std::optional<uint64_t>(17) : std::nullopt;
  };
  const auto inputs = expand_input_paths({folder.path("gone")}, read_in_part).value();
  ASSERT_EQ(inputs.size(), 1u);
  EXPECT_TRUE(inputs[0].is_gone);
  EXPECT_EQ(inputs[0].size_bytes, 17u);
  EXPECT_EQ(expand_input_paths({folder.path("never")}, read_in_part).error().code,
            ErrorCode::kNotFound);
}

TEST(InputPathsTest, AFileOfSeveralNamesComesOnce) {
  const testing::Folder folder;
  folder.write("b", "");
  folder.write("d", "");
  std::filesystem::create_hard_link(folder.path("b"), folder.path("c"));
  std::filesystem::create_symlink("d", folder.path("a-link"));
  std::filesystem::create_symlink("d", folder.path("e-link"));
  std::filesystem::create_directory_symlink(".", folder.path("here"));
  EXPECT_THAT(expand({folder.path("?"), folder.path("*-link")}), ElementsAre("b", "d"));
  EXPECT_THAT(expand({folder.path("*-link"), folder.path("d")}), ElementsAre("d"));
  EXPECT_THAT(expand({folder.path("*-link")}), ElementsAre("a-link"));
  EXPECT_THAT(expand({folder.path("here/b"), folder.path("c"), folder.path("b")}),
              ElementsAre("b"));
}

TEST(InputPathsTest, DirectoriesAreRefused) {
  const testing::Folder folder;
  folder.write("a", "");
  std::filesystem::create_directory(folder.path("sub"));
  EXPECT_EQ(error_of({folder.path("sub")}), ErrorCode::kInvalidArgument);
  EXPECT_EQ(error_of({folder.path("*")}), ErrorCode::kInvalidArgument);
}

TEST(InputPathsTest, StandardInputStandsAlone) {
  const testing::Folder folder;
  EXPECT_THAT(expand({"-"}), ElementsAre("-"));
  EXPECT_EQ(error_of({"-", folder.write("a", "")}), ErrorCode::kInvalidArgument);
  EXPECT_EQ(found_in({"-"}).value()[0].size_bytes, std::nullopt);
}

TEST(InputPathsTest, PipesHaveNoSize) {
  const testing::Folder folder;
  ASSERT_EQ(::mkfifo(folder.path("pipe").c_str(), 0600), 0);
  EXPECT_EQ(found_in({folder.path("pipe")}).value()[0].size_bytes, std::nullopt);
}

}  // namespace
}  // namespace retinue::worker
