// What RocksDbStore finds after a crash: always a prefix of the commits, or an error.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <random>

#include "tests/unit/worker/store/rocksdb/fixture.h"
#include "worker/store/rocksdb/rocksdb_store.h"

namespace retinue::worker {
namespace {

constexpr char kChildDirectoryVariable[] = "RETINUE_TEST_CHILD_DIRECTORY";

class CrashTest : public RocksDbStoreTest {
 protected:
  // A copy of the database as a crash would leave it now.
  std::filesystem::path copy(const std::string& name) const {
    const auto path = temporary_.path() / name;
    std::filesystem::remove_all(path);
    std::filesystem::copy(directory(), path, std::filesystem::copy_options::recursive);
    return path;
  }
  static std::vector<std::filesystem::path> logs_of(const std::filesystem::path& path) {
    std::vector<std::filesystem::path> logs;
    for (const auto& entry : std::filesystem::directory_iterator(path / "db")) {
      if (entry.path().extension() == ".log") {
        logs.push_back(entry.path());
      }
    }
    std::sort(logs.begin(), logs.end());
    return logs;
  }
};

// Not a test: the process that is killed. Runs only when the one below starts it.
TEST_F(CrashTest, DISABLED_ChildCommitsUntilKilled) {
  const char* path = std::getenv(kChildDirectoryVariable);
  ASSERT_NE(path, nullptr);
  auto store = open(path);
  const uint64_t begin = chain_length(*store);
  for (uint64_t epoch = begin + 1;; ++epoch) {
    ASSERT_TRUE(commit_one(*store, chain_commit(epoch)).ok());
    ASSERT_EQ(::write(STDOUT_FILENO, &epoch, sizeof epoch), ssize_t{sizeof epoch});
  }
}

// The last commit that the child said was done, after at least `count` of them.
uint64_t run_child_and_kill(const std::filesystem::path& path, uint64_t count) {
  int pipe_fds[2];
  EXPECT_EQ(::pipe2(pipe_fds, O_CLOEXEC), 0);
  const std::string variable = std::string(kChildDirectoryVariable) + "=" + path.string();
  std::string self = "/proc/self/exe";
  std::string filter = "--gtest_filter=CrashTest.DISABLED_ChildCommitsUntilKilled";
  std::string disabled = "--gtest_also_run_disabled_tests";
  std::string quiet = "--gtest_brief=1";
  char* const arguments[] = {self.data(), filter.data(), disabled.data(), quiet.data(), nullptr};
  ::setenv(kChildDirectoryVariable, path.c_str(), 1);
  const pid_t child = ::fork();
  if (child == 0) {
    // GoogleTest's own words go nowhere: standard output carries the epochs.
    const int report = ::dup(pipe_fds[1]);
    ::dup2(report, STDOUT_FILENO);
    ::execv(self.c_str(), arguments);
    ::_exit(127);
  }
  ::unsetenv(kChildDirectoryVariable);
  ::close(pipe_fds[1]);
  uint64_t acknowledged = 0;
  uint64_t epoch = 0;
  for (uint64_t seen = 0; ::read(pipe_fds[0], &epoch, sizeof epoch) == ssize_t{sizeof epoch};) {
    acknowledged = epoch;
    if (++seen == count) {
      ::kill(child, SIGKILL);
    }
  }
  ::close(pipe_fds[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status)) << "the child ended by itself";
  return acknowledged;
}

TEST_F(CrashTest, AKilledProcessLeavesEveryFinishedCommit) {
  uint64_t before = 0;
  for (const uint64_t count : {1, 200, 3000}) {
    const uint64_t acknowledged = run_child_and_kill(directory(), count);
    EXPECT_GE(acknowledged, before + count);
    auto store = open();
    const uint64_t length = chain_length(*store);
    EXPECT_GE(length, acknowledged);
    EXPECT_LE(length, acknowledged + 1) << "one commit may be done and not yet told";
    before = length;
  }
}

TEST_F(CrashTest, ATornLogTailLeavesAPrefix) {
  auto store = open();
  commit_chain(*store, 1, 200);
  const auto logs = logs_of(directory());
  ASSERT_EQ(logs.size(), 1u);
  const uint64_t size = std::filesystem::file_size(logs[0]);
  uint64_t length = 200;
  for (const uint64_t cut : {uint64_t{0}, uint64_t{1}, uint64_t{6}, uint64_t{7}, uint64_t{8},
                             uint64_t{100}, uint64_t{1000}, size / 2, size - 1, size}) {
    SCOPED_TRACE(cut);
    const auto torn = copy("torn");
    std::filesystem::resize_file(logs_of(torn)[0], size - cut);
    const uint64_t left = chain_length(*open(torn));
    EXPECT_LE(left, length);
    EXPECT_EQ(left == 200, cut == 0);
    length = left;
    // What is left is a store like any other.
    auto again = open(torn);
    commit_chain(*again, left + 1, left + 5);
    again.reset();
    EXPECT_EQ(chain_length(*open(torn)), left + 5);
  }
  EXPECT_EQ(length, 0u);
}

TEST_F(CrashTest, ALogTailOfZerosOrGarbageLeavesAPrefix) {
  auto store = open();
  commit_chain(*store, 1, 100);
  const uint64_t size = std::filesystem::file_size(logs_of(directory())[0]);
  std::mt19937_64 random(3);
  for (const bool zeros : {true, false}) {
    for (const uint64_t damaged : {10, 1000, 5000}) {
      SCOPED_TRACE(damaged);
      const auto torn = copy("torn");
      std::string log = testing::read_file(logs_of(torn)[0]);
      ASSERT_EQ(log.size(), size);
      for (uint64_t at = size - damaged; at < size; ++at) {
        log[at] = zeros ? '\0' : static_cast<char>(random());
      }
      testing::write_file(logs_of(torn)[0], log);
      const uint64_t left = chain_length(*open(torn));
      EXPECT_LT(left, 100u);
      EXPECT_GT(left, 0u);
    }
  }
}

constexpr size_t kLogBlock = 32 << 10;

// Damage with commits behind it.
TEST_F(CrashTest, ADamagedMiddleOfTheLogIsAnErrorUnlessTheLogIsUnsynced) {
  auto store = open();
  commit_chain(*store, 1, 600);
  const std::string whole = testing::read_file(logs_of(directory())[0]);
  ASSERT_GT(whole.size(), 5 * kLogBlock);
  struct Damage {
    size_t begin;
    size_t size;
    bool leaves_some;
  };
  for (const auto& [begin, size, leaves_some] :
       {Damage{3, 1, false}, Damage{500, 1, true}, Damage{whole.size() / 3, 1, true},
        Damage{whole.size() / 2, 1, true}, Damage{whole.size() / 2, 3 * kLogBlock / 2, true},
        Damage{2 * kLogBlock, kLogBlock, true}, Damage{2 * kLogBlock + 4096, 4096, true}}) {
    SCOPED_TRACE(std::to_string(begin) + "+" + std::to_string(size));
    const auto damaged = copy("damaged");
    std::string log = whole;
    for (size_t at = begin; at < begin + size; ++at) {
      log[at] = size == 1 ? static_cast<char>(log[at] ^ 0x40) : '\0';
    }
    testing::write_file(logs_of(damaged)[0], log);
    for (const bool read_only : {false, true}) {
      const auto opened = try_open(damaged, read_only);
      ASSERT_FALSE(opened.ok());
      EXPECT_EQ(opened.error().code, ErrorCode::kDataCorrupted);
      EXPECT_THAT(opened.error().message, ::testing::HasSubstr(damaged.string()));
    }
    EXPECT_EQ(testing::read_file(logs_of(damaged)[0]), log) << "the evidence is kept";

    for (const bool read_only : {true, false}) {
      auto opened = try_open(damaged, read_only, true);
      ASSERT_TRUE(opened.ok()) << opened.error().to_string();
      const uint64_t left = chain_length(**opened);
      EXPECT_LT(left, 600u);
      EXPECT_EQ(left > 0, leaves_some);
    }
  }
}

// A hole of zeros between whole records: RocksDB's log reader skips it without a word.
TEST_F(CrashTest, AHoleBetweenRecordsIsNotSkipped) {
  const auto padded = [](uint64_t epoch, size_t padding) {
    EpochCommit commit = chain_commit(epoch);
    set_state(commit, row_key(2, 1, "padding", 1), std::string(padding, 'p'));
    return commit;
  };
  constexpr size_t kFirstPadding = 20'000;
  ASSERT_TRUE(commit_one(*open(temporary_.path() / "other"), padded(1, kFirstPadding)).ok());
  const size_t record = std::filesystem::file_size(logs_of(temporary_.path() / "other")[0]);
  auto store = open();
  for (uint64_t epoch = 1; epoch <= 9; ++epoch) {
    ASSERT_TRUE(commit_one(*store, padded(epoch, kFirstPadding + kLogBlock - record)).ok());
  }
  std::string log = testing::read_file(logs_of(directory())[0]);
  ASSERT_EQ(log.size(), 9 * kLogBlock) << "one record a block";
  log.replace(4 * kLogBlock, kLogBlock, kLogBlock, '\0');
  const auto damaged = copy("damaged");
  testing::write_file(logs_of(damaged)[0], log);
  for (const bool read_only : {false, true}) {
    const auto opened = try_open(damaged, read_only);
    ASSERT_FALSE(opened.ok());
    EXPECT_EQ(opened.error().code, ErrorCode::kDataCorrupted);
  }
  for (const bool read_only : {true, false}) {
    auto opened = try_open(damaged, read_only, true);
    ASSERT_TRUE(opened.ok()) << opened.error().to_string();
    EXPECT_EQ(chain_length(**opened), 4u);
  }
  EXPECT_EQ(chain_length(*open(damaged)), 4u);
}

TEST_F(CrashTest, AMissingManifestIsAnError) {
  commit_chain(*open(), 1, 5);
  for (const auto& entry : std::filesystem::directory_iterator(directory() / "db")) {
    if (entry.path().filename().string().starts_with("MANIFEST")) {
      std::filesystem::remove(entry.path());
    }
  }
  const auto opened = try_open(directory());
  ASSERT_FALSE(opened.ok());
  EXPECT_THAT(opened.error().code,
              ::testing::AnyOf(ErrorCode::kDataCorrupted, ErrorCode::kIoError));
}

// A file system of a few megabytes, if we may mount one.
class FullDiskTest : public CrashTest {
 protected:
  void SetUp() override {
    mounted_ = temporary_.path() / "small";
    std::filesystem::create_directory(mounted_);
    if (::mount("tmpfs", mounted_.c_str(), "tmpfs", 0, "size=24m") != 0) {
      GTEST_SKIP() << "mounting a tmpfs needs root";
    }
    is_mounted_ = true;
  }
  void TearDown() override {
    if (is_mounted_) {
      ::umount2(mounted_.c_str(), MNT_DETACH);
    }
  }

  std::filesystem::path mounted_;
  bool is_mounted_ = false;
};

TEST_F(FullDiskTest, AFullDiskStopsTheStoreAndLosesNothing) {
  const auto path = mounted_ / "data";
  // Space that an operator can free.
  testing::write_file(mounted_ / "ballast", std::string(12 << 20, 'b'));
  auto store = open(path);
  const std::string value(100'000, 'v');
  uint64_t committed = 0;
  std::optional<Error> failure;
  while (!failure && committed < 1000) {
    EpochCommit commit = chain_commit(committed + 1);
    set_state(commit, row_key(2, committed, "large", 1), value);
    const Result<void> result = commit_one(*store, commit, true);
    if (result.ok()) {
      ++committed;
    } else {
      failure = result.error();
    }
  }
  ASSERT_TRUE(failure.has_value());
  EXPECT_EQ(failure->code, ErrorCode::kOutOfSpace) << failure->message;
  EXPECT_THAT(failure->message, ::testing::HasSubstr(path.string()));
  EXPECT_GT(committed, 0u);

  // Freeing space does not revive it: only reopening does.
  std::filesystem::remove(mounted_ / "ballast");
  EXPECT_EQ(commit_one(*store, chain_commit(committed + 1)).error().code, ErrorCode::kOutOfSpace);
  EXPECT_EQ(store->save_record("r", "v").error().code, ErrorCode::kOutOfSpace);
  EXPECT_EQ(store->sync().error().code, ErrorCode::kOutOfSpace);
  EXPECT_EQ(chain_length(*store), committed);
  store.reset();

  store = open(path);
  EXPECT_EQ(chain_length(*store), committed);
  commit_chain(*store, committed + 1, committed + 3);
  store.reset();
  EXPECT_EQ(chain_length(*open(path)), committed + 3);
}

TEST_F(FullDiskTest, OpeningOnAFullDiskSaysSo) {
  testing::write_file(mounted_ / "ballast", std::string(24 << 20, 'b'));
  const auto opened = try_open(mounted_ / "data");
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().code, ErrorCode::kOutOfSpace) << opened.error().message;
}

}  // namespace
}  // namespace retinue::worker
