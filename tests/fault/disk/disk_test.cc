// Disks that are full, and logs whose end was torn off.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mount.h>
#include <unistd.h>

#include <optional>
#include <stdexcept>

#include "tests/integration/harness/counting_job.h"

namespace retinue::testing {
namespace {

using ::testing::HasSubstr;

CountingJobOptions job_options() {
  return {.messages = 200'000, .keys = 5000, .dynamic_fields = "\"max_rows_per_batch\": 500,"};
}

struct Results {
  std::string states;
  std::string output;
};

Results results_of(const CountingJob& job) {
  return {.states = job.states(), .output = job.output()};
}

const Results& undisturbed() {
  static const Results results = [] {
    const CountingJob job(job_options());
    if (const Finished finished = job.run_to_end(); finished.exit_code != 0) {
      throw std::runtime_error(finished.errors);
    }
    return results_of(job);
  }();
  return results;
}

// Not EXPECT_EQ, which would print megabytes.
void expect_undisturbed_results(const CountingJob& job) {
  const Results results = results_of(job);
  EXPECT_TRUE(results.states == undisturbed().states) << "the states differ";
  EXPECT_TRUE(results.output == undisturbed().output) << "the output differs";
}

// A file system in memory.
class SmallDisk {
 public:
  SmallDisk(std::filesystem::path path, const char* size) : path_(std::move(path)) {
    std::filesystem::create_directories(path_);
    is_mounted_ = mount("none", path_.c_str(), "tmpfs", 0, size) == 0;
  }
  ~SmallDisk() {
    if (is_mounted_) {
      umount2(path_.c_str(), MNT_DETACH);
    }
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  bool is_mounted() const { return is_mounted_; }
  bool resize(const char* size) const {
    return mount("none", path_.c_str(), "tmpfs", MS_REMOUNT, size) == 0;
  }

 private:
  const std::filesystem::path path_;
  bool is_mounted_ = false;
};

// The folders that a run writes.
class FullDisk : public ::testing::TestWithParam<const char*> {};

TEST_P(FullDisk, StopsThePipelineAndLosesNothing) {
  const CountingJob job(job_options());
  const SmallDisk disk(job.folder() / GetParam(), "size=3m");
  if (!disk.is_mounted()) {
    GTEST_SKIP() << "file systems cannot be mounted here";
  }
  for (int i = 0; i < 2; ++i) {
    const Finished full = job.run_to_end();
    EXPECT_EQ(full.exit_code, 1) << full.errors;
    EXPECT_THAT(full.errors, HasSubstr("out-of-space"));
  }
  ASSERT_TRUE(disk.resize("size=1g"));
  const Finished finished = job.run_to_end();
  ASSERT_EQ(finished.exit_code, 0) << finished.errors;
  expect_undisturbed_results(job);
}

INSTANTIATE_TEST_SUITE_P(Folders, FullDisk, ::testing::Values("data", "out"),
                         [](const auto& folder) { return std::string(folder.param); });

// The log that is being written: names are numbers of one width.
std::optional<std::filesystem::path> newest_log(const CountingJob& job) {
  std::optional<std::filesystem::path> newest;
  for (const auto& file : std::filesystem::directory_iterator(job.data_dir() / "db")) {
    if (file.path().extension() == ".log" && (!newest || *newest < file.path())) {
      newest = file.path();
    }
  }
  return newest;
}

class TornLog : public ::testing::TestWithParam<uint64_t> {};

TEST_P(TornLog, LosesAtMostTheLastEpochsAndTheyAreDoneAgain) {
  const CountingJob job(job_options());
  {
    Process worker(job.run_options());
    ASSERT_TRUE(worker.wait_until([&] { return job.output_bytes() > 500'000; }));
    worker.signal(SIGKILL);
    ASSERT_EQ(worker.wait(), 128 + SIGKILL) << "it was done before it could be killed";
  }
  const auto log = newest_log(job);
  ASSERT_TRUE(log);
  const uint64_t size = std::filesystem::file_size(*log);
  ASSERT_GT(size, GetParam());
  std::filesystem::resize_file(*log, size - GetParam());
  const Finished finished = job.run_to_end();
  ASSERT_EQ(finished.exit_code, 0) << finished.errors;
  expect_undisturbed_results(job);
}

INSTANTIATE_TEST_SUITE_P(Bytes, TornLog, ::testing::Values(1, 7, 40, 5000, 100'000));

}  // namespace
}  // namespace retinue::testing
