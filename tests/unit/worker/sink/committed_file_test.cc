#include "worker/sink/committed_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "tests/folder/folder.h"

namespace retinue::worker {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

Result<void> restore(CommittedFile& file, const std::optional<FilePosition>& committed) {
  RETINUE_TRY(file.examine(committed));
  return file.restore();
}

Result<void> restore(const std::string& path, const std::optional<FilePosition>& committed) {
  CommittedFile file(path);
  return restore(file, committed);
}

ErrorCode restore_error(const std::string& path, const std::optional<FilePosition>& committed) {
  const Result<void> restored = restore(path, committed);
  return restored ? ErrorCode::kInternal : restored.error().code;
}

std::string restore_message(const std::string& path, const std::optional<FilePosition>& committed) {
  const Result<void> restored = restore(path, committed);
  return restored ? "" : restored.error().message;
}

TEST(CommittedFileTest, CreatesAndAppends) {
  const testing::Folder folder;
  CommittedFile file(folder.path("out"));
  ASSERT_TRUE(file.examine(std::nullopt).ok());
  EXPECT_FALSE(std::filesystem::exists(folder.path("out")));
  ASSERT_TRUE(file.restore().ok());
  EXPECT_EQ(file.position(), (FilePosition{folder.path("out"), 0}));
  EXPECT_EQ(folder.read("out"), "");
  ASSERT_TRUE(file.append("one\n").ok());
  ASSERT_TRUE(file.append("").ok());
  ASSERT_TRUE(file.append("two\n").ok());
  ASSERT_TRUE(file.sync().ok());
  EXPECT_EQ(file.position(), (FilePosition{folder.path("out"), 8}));
  EXPECT_EQ(folder.read("out"), "one\ntwo\n");
}

TEST(CommittedFileTest, RestoreTakesBackWhatWasNotCommitted) {
  for (const bool has_path : {true, false}) {
    const testing::Folder folder;
    const std::string path = folder.write("out", "one\ntwo\nhal");
    CommittedFile file(path);
    ASSERT_TRUE(file.examine(FilePosition{has_path ? path : "", 4}).ok());
    EXPECT_EQ(folder.read("out"), "one\ntwo\nhal");
    ASSERT_TRUE(file.restore().ok());
    EXPECT_EQ(folder.read("out"), "one\n");
    EXPECT_EQ(file.left_behind(), std::nullopt);
    ASSERT_TRUE(file.append("2\n").ok());
    EXPECT_EQ(folder.read("out"), "one\n2\n");
  }
}

TEST(CommittedFileTest, RestoreToZeroEmptiesAFileThatIsTheWorkersOwn) {
  const testing::Folder folder;
  const std::string path = folder.write("out", "never committed");
  ASSERT_TRUE(restore(path, FilePosition{path, 0}).ok());
  EXPECT_EQ(folder.read("out"), "");
}

TEST(CommittedFileTest, NeverOverwritesWhatItDidNotWrite) {
  const testing::Folder folder;
  const std::string path = folder.write("out", "precious");
  EXPECT_EQ(restore_error(path, std::nullopt), ErrorCode::kInvalidArgument);
  EXPECT_THAT(restore_message(path, std::nullopt),
              AllOf(HasSubstr(path), HasSubstr("move it away")));
  // What was committed was committed to another file.
  for (const uint64_t length : {0, 3, 8, 100}) {
    const FilePosition other{folder.path("other"), length};
    EXPECT_EQ(restore_error(path, other), ErrorCode::kInvalidArgument);
    EXPECT_THAT(restore_message(path, other),
                HasSubstr("went to " + folder.path("other") + "; name that file"));
  }
  EXPECT_EQ(folder.read("out"), "precious");
}

TEST(CommittedFileTest, AnotherPathBeginsANewFile) {
  const testing::Folder folder;
  const FilePosition other{folder.write("other", "one\nlost"), 4};
  folder.write("empty", "");
  for (const char* name : {"new", "empty"}) {
    CommittedFile file(folder.path(name));
    ASSERT_TRUE(restore(file, other).ok());
    EXPECT_EQ(file.left_behind(), other);
    EXPECT_EQ(file.position(), (FilePosition{folder.path(name), 0}));
  }
  EXPECT_EQ(folder.read("other"), "one\nlost");
}

TEST(CommittedFileTest, ALinkToTheFileIsTheFile) {
  const testing::Folder folder;
  const std::string path = folder.write("out", "one\nlost");
  std::filesystem::create_directory_symlink(".", folder.path("here"));
  std::filesystem::create_symlink("out", folder.path("link"));
  for (const char* name : {"here/out", "link", "./out"}) {
    CommittedFile file(folder.path(name));
    ASSERT_TRUE(restore(file, FilePosition{path, 4}).ok());
    EXPECT_EQ(file.left_behind(), std::nullopt);
    EXPECT_EQ(file.position(), (FilePosition{path, 4}));
  }
  // One that leads elsewhere now is not.
  std::filesystem::remove(folder.path("link"));
  std::filesystem::create_symlink("elsewhere", folder.path("link"));
  folder.write("elsewhere", "precious");
  EXPECT_EQ(restore_error(folder.path("link"), FilePosition{path, 4}), ErrorCode::kInvalidArgument);
  EXPECT_EQ(folder.read("elsewhere"), "precious");
}

TEST(CommittedFileTest, TakesAnEmptyFileThatExists) {
  const testing::Folder folder;
  folder.write("out", "");
  CommittedFile file(folder.path("out"));
  ASSERT_TRUE(restore(file, std::nullopt).ok());
  EXPECT_TRUE(file.append("x").ok());
}

TEST(CommittedFileTest, RefusesAFileThatLostCommittedBytes) {
  const testing::Folder folder;
  const std::string path = folder.write("short", "abc");
  EXPECT_EQ(restore_error(path, FilePosition{path, 4}), ErrorCode::kDataCorrupted);
  EXPECT_EQ(folder.read("short"), "abc");
  const std::string gone = folder.path("gone");
  EXPECT_EQ(restore_error(gone, FilePosition{gone, 4}), ErrorCode::kDataCorrupted);
  EXPECT_FALSE(std::filesystem::exists(gone));
}

TEST(CommittedFileTest, RefusesWhatIsNoRegularFileOrHasNoFolder) {
  const testing::Folder folder;
  EXPECT_EQ(restore_error(folder.path(""), std::nullopt), ErrorCode::kInvalidArgument);
  EXPECT_EQ(restore_error(folder.path("no/such/out"), std::nullopt), ErrorCode::kInvalidArgument);
  EXPECT_EQ(restore_error("/dev/full", std::nullopt), ErrorCode::kInvalidArgument);
  ASSERT_EQ(::mkfifo(folder.path("pipe").c_str(), 0600), 0);
  EXPECT_EQ(restore_error(folder.path("pipe"), std::nullopt), ErrorCode::kInvalidArgument);
}

TEST(CommittedFileTest, HasOneWriterAtATime) {
  const testing::Folder folder;
  const std::string path = folder.path("out");
  {
    CommittedFile first(path);
    ASSERT_TRUE(restore(first, std::nullopt).ok());
    ASSERT_TRUE(first.append("one\n").ok());
    const std::string refused = restore_message(path, FilePosition{path, 2});
    EXPECT_THAT(refused, AllOf(HasSubstr(path + ": is being written by another worker"),
                               HasSubstr("stop that worker, or name another file")));
    EXPECT_EQ(folder.read("out"), "one\n");
  }
  EXPECT_TRUE(restore(path, FilePosition{path, 4}).ok());
}

TEST(CommittedFileTest, TwoThatBothFindNoFileDoNotShareOne) {
  const testing::Folder folder;
  std::filesystem::create_directory_symlink(".", folder.path("here"));
  CommittedFile first(folder.path("out"));
  CommittedFile second(folder.path("here/out"));
  ASSERT_TRUE(first.examine(std::nullopt).ok());
  ASSERT_TRUE(second.examine(std::nullopt).ok());
  ASSERT_TRUE(first.restore().ok());
  EXPECT_EQ(second.restore().error().code, ErrorCode::kIoError);
}

TEST(CommittedFileTest, NoticesThatTheFileWasTakenAway) {
  const testing::Folder folder;
  const std::string path = folder.path("out");
  struct Case {
    std::string expected;
    std::function<void()> take_away;
  };
  for (const auto& [expected, take_away] : {
           Case{"was removed", [&] { std::filesystem::remove(path); }},
           Case{"was removed", [&] { std::filesystem::rename(path, path + ".1"); }},
           Case{"was replaced",
                [&] {
                  std::filesystem::rename(path, path + ".1");
                  folder.write("out", "");
                }},
           Case{"was cut to 2 bytes", [&] { std::filesystem::resize_file(path, 2); }},
       }) {
    std::filesystem::remove(path);
    CommittedFile file(path);
    ASSERT_TRUE(restore(file, std::nullopt).ok());
    ASSERT_TRUE(file.append("one\n").ok());
    ASSERT_TRUE(file.sync().ok());
    take_away();
    const Result<void> appended = file.append("two\n");
    const Result<void> synced = file.sync();
    ASSERT_FALSE(appended.ok());
    ASSERT_FALSE(synced.ok());
    EXPECT_EQ(appended.error().code, ErrorCode::kDataCorrupted);
    EXPECT_THAT(appended.error().message, HasSubstr(path + ": " + expected));
    EXPECT_EQ(synced.error().message, appended.error().message);
    EXPECT_EQ(file.position().length, 4u);
  }
}

// A limit on the size of files makes a write stop half-way, as a full disk does.
TEST(CommittedFileTest, AFailedAppendLeavesTheGoodLength) {
  const testing::Folder folder;
  ::signal(SIGXFSZ, SIG_IGN);
  rlimit old_limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old_limit), 0);
  const rlimit small{6, old_limit.rlim_max};

  CommittedFile file(folder.path("out"));
  ASSERT_TRUE(restore(file, std::nullopt).ok());
  ASSERT_TRUE(file.append("good").ok());
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const Result<void> appended = file.append("too long");
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &old_limit), 0);

  ASSERT_FALSE(appended.ok());
  EXPECT_EQ(appended.error().code, ErrorCode::kIoError);
  EXPECT_EQ(folder.read("out"), "good");
  ASSERT_TRUE(file.append(" and more").ok());
  EXPECT_EQ(file.position().length, 13u);
  EXPECT_EQ(folder.read("out"), "good and more");
}

// A tmpfs of 64 KiB over a folder.
class SmallDisk {
 public:
  explicit SmallDisk(std::string path)
      : path_(std::move(path)),
        is_mounted_(::mount("none", path_.c_str(), "tmpfs", 0, "size=64k") == 0) {}
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  ~SmallDisk() {
    if (is_mounted_) {
      ::umount2(path_.c_str(), MNT_DETACH);
    }
  }

  bool is_mounted() const { return is_mounted_; }

 private:
  const std::string path_;
  const bool is_mounted_;
};

TEST(CommittedFileTest, AFullDiskIsOutOfSpace) {
  const testing::Folder folder;
  const SmallDisk disk(folder.path(""));
  if (!disk.is_mounted()) {
    GTEST_SKIP() << "mounting a small disk takes root";
  }
  CommittedFile file(folder.path("out"));
  ASSERT_TRUE(restore(file, std::nullopt).ok());
  ASSERT_TRUE(file.append("good").ok());
  const Result<void> appended = file.append(std::string(100'000, 'x'));
  ASSERT_FALSE(appended.ok());
  EXPECT_EQ(appended.error().code, ErrorCode::kOutOfSpace);
  EXPECT_EQ(folder.read("out"), "good");
}

}  // namespace
}  // namespace retinue::worker
