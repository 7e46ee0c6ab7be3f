#include "worker/sink/committed_file.h"

#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <filesystem>
#include <string>
#include <utility>

#include "tests/folder/folder.h"

namespace retinue::worker {
namespace {

ErrorCode restore_error(const std::string& path, std::optional<uint64_t> length) {
  CommittedFile file(path);
  const Result<void> restored = file.restore(length);
  return restored ? ErrorCode::kInternal : restored.error().code;
}

TEST(CommittedFileTest, CreatesAndAppends) {
  const testing::Folder folder;
  CommittedFile file(folder.path("out"));
  ASSERT_TRUE(file.restore(std::nullopt).ok());
  EXPECT_EQ(file.length(), 0u);
  EXPECT_EQ(folder.read("out"), "");
  EXPECT_EQ(file.append("one\n").value(), 4u);
  EXPECT_EQ(file.append("").value(), 4u);
  EXPECT_EQ(file.append("two\n").value(), 8u);
  ASSERT_TRUE(file.sync().ok());
  EXPECT_EQ(folder.read("out"), "one\ntwo\n");
}

TEST(CommittedFileTest, RestoreTakesBackWhatWasNotCommitted) {
  const testing::Folder folder;
  folder.write("out", "one\ntwo\nhal");
  CommittedFile file(folder.path("out"));
  ASSERT_TRUE(file.restore(4).ok());
  EXPECT_EQ(folder.read("out"), "one\n");
  EXPECT_EQ(file.append("2\n").value(), 6u);
  EXPECT_EQ(folder.read("out"), "one\n2\n");
}

TEST(CommittedFileTest, RestoreToZeroEmptiesAFileThatIsTheWorkersOwn) {
  const testing::Folder folder;
  folder.write("out", "never committed");
  CommittedFile file(folder.path("out"));
  ASSERT_TRUE(file.restore(0).ok());
  EXPECT_EQ(folder.read("out"), "");
}

TEST(CommittedFileTest, NeverOverwritesWhatItDidNotWrite) {
  const testing::Folder folder;
  folder.write("out", "precious");
  CommittedFile file(folder.path("out"));
  const Result<void> restored = file.restore(std::nullopt);
  ASSERT_FALSE(restored.ok());
  EXPECT_EQ(restored.error().code, ErrorCode::kInvalidArgument);
  EXPECT_NE(restored.error().message.find(folder.path("out")), std::string::npos);
  EXPECT_NE(restored.error().message.find("move it away"), std::string::npos);
  EXPECT_EQ(folder.read("out"), "precious");
}

TEST(CommittedFileTest, TakesAnEmptyFileThatExists) {
  const testing::Folder folder;
  folder.write("out", "");
  CommittedFile file(folder.path("out"));
  ASSERT_TRUE(file.restore(std::nullopt).ok());
  EXPECT_EQ(file.append("x").value(), 1u);
}

TEST(CommittedFileTest, RefusesAFileThatLostCommittedBytes) {
  const testing::Folder folder;
  folder.write("short", "abc");
  EXPECT_EQ(restore_error(folder.path("short"), 4), ErrorCode::kDataCorrupted);
  EXPECT_EQ(folder.read("short"), "abc");
  EXPECT_EQ(restore_error(folder.path("gone"), 4), ErrorCode::kDataCorrupted);
  EXPECT_FALSE(std::filesystem::exists(folder.path("gone")));
}

TEST(CommittedFileTest, RefusesWhatIsNoRegularFileOrHasNoFolder) {
  const testing::Folder folder;
  EXPECT_EQ(restore_error(folder.path(""), std::nullopt), ErrorCode::kInvalidArgument);
  EXPECT_EQ(restore_error(folder.path("no/such/out"), std::nullopt), ErrorCode::kInvalidArgument);
  EXPECT_EQ(restore_error("/dev/full", std::nullopt), ErrorCode::kInvalidArgument);
  ASSERT_EQ(::mkfifo(folder.path("pipe").c_str(), 0600), 0);
  EXPECT_EQ(restore_error(folder.path("pipe"), std::nullopt), ErrorCode::kInvalidArgument);
}

// A limit on the size of files makes a write stop half-way, as a full disk does.
TEST(CommittedFileTest, AFailedAppendLeavesTheGoodLength) {
  const testing::Folder folder;
  ::signal(SIGXFSZ, SIG_IGN);
  rlimit old_limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old_limit), 0);
  const rlimit small{6, old_limit.rlim_max};

  CommittedFile file(folder.path("out"));
  ASSERT_TRUE(file.restore(std::nullopt).ok());
  EXPECT_EQ(file.append("good").value(), 4u);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const Result<uint64_t> appended = file.append("too long");
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &old_limit), 0);

  ASSERT_FALSE(appended.ok());
  EXPECT_EQ(appended.error().code, ErrorCode::kIoError);
  EXPECT_EQ(folder.read("out"), "good");
  EXPECT_EQ(file.append(" and more").value(), 13u);
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
  ASSERT_TRUE(file.restore(std::nullopt).ok());
  EXPECT_EQ(file.append("good").value(), 4u);
  const Result<uint64_t> appended = file.append(std::string(100'000, 'x'));
  ASSERT_FALSE(appended.ok());
  EXPECT_EQ(appended.error().code, ErrorCode::kOutOfSpace);
  EXPECT_EQ(folder.read("out"), "good");
}

}  // namespace
}  // namespace retinue::worker
