// What a data directory refuses: newer releases, second workers, changed pipelines, changed files.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/integration/harness/counting_job.h"
#include "tests/integration/worker/expectations.h"

namespace retinue::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(DataDirectory, OfANewerReleaseIsRefused) {
  const CountingJob job;
  ASSERT_EQ(job.run_to_end().exit_code, 0);
  write_file(job.data_dir() / "FORMAT", "retinue-data 2\n");
  const auto refused = AllOf(HasSubstr("newer-data-format"), HasSubstr(job.data_dir().string()),
                             HasSubstr("format 2"), HasSubstr("format 1"));
  const Finished run = job.run_to_end();
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.errors, refused);
  const Finished read = job.read_states();
  EXPECT_EQ(read.exit_code, 1);
  EXPECT_THAT(read.errors, refused);
  write_file(job.data_dir() / "FORMAT", "retinue-data 1\n");
  expect_right_results(job);
}

TEST(DataDirectory, BelongsToOneWorkerAtATime) {
  const CountingJob job({.companion_by_hand = true});
  Process first(job.run_options());
  ASSERT_TRUE(first.wait_for_error_text("pipeline starts")) << first.errors();
  const std::string environment = read_file(job.data_dir() / "companion.env");
  const Finished second = job.run_to_end();
  EXPECT_EQ(second.exit_code, 1);
  EXPECT_THAT(second.errors,
              AllOf(HasSubstr("directory-in-use"), HasSubstr(fmt::format("{}", first.pid()))));
  EXPECT_EQ(read_file(job.data_dir() / "companion.env"), environment);
  EXPECT_TRUE(std::filesystem::exists(job.data_dir() / "companion.sock"));

  // The first one serves on.
  const Finished companion =
      run({.command = {"/bin/sh", "-c",
                       fmt::format("set -a; . {}/companion.env; RETINUE_COMPANION=counting exec {}",
                                   job.data_dir().string(), program("counting_companion"))}});
  EXPECT_EQ(companion.exit_code, 0) << companion.errors;
  EXPECT_EQ(first.wait(), 0) << first.errors();
  expect_right_results(job);
}

struct Change {
  const char* name;
  const char* before;
  const char* after;
  const char* path;
};

class ChangedSpec : public ::testing::TestWithParam<Change> {};

TEST_P(ChangedSpec, IsRefusedAndHarmsNothing) {
  const CountingJob job;
  ASSERT_EQ(job.run_to_end().exit_code, 0);
  const std::string spec = read_file(job.spec());
  std::string changed = spec;
  const size_t at = changed.find(GetParam().before);
  ASSERT_NE(at, std::string::npos);
  write_file(job.spec(),
             changed.replace(at, std::string_view(GetParam().before).size(), GetParam().after));
  const Finished refused = job.run_to_end();
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.errors, AllOf(HasSubstr("invalid-spec"), HasSubstr(GetParam().path)));
  write_file(job.spec(), spec);
  EXPECT_EQ(job.run_to_end().exit_code, 0);
  expect_right_results(job);
}

INSTANTIATE_TEST_SUITE_P(
    All, ChangedSpec,
    ::testing::Values(Change{"name", "\"name\": \"counting\"", "\"name\": \"other\"", "/name"},
                      Change{"partition_count", "\"desired_partition_count\": 4",
                             "\"desired_partition_count\": 8",
                             "/dynamic_spec/computations/count/desired_partition_count"},
                      Change{"key_schema", "\"group_by_schema\": [",
                             "\"group_by_schema\": [{\"name\": \"hash\", \"type\": \"uint64\", "
                             "\"expression\": \"farm_hash(key)\"}, ",
                             "/computations/count/group_by_schema"},
                      Change{"state_format", "{\"format\": \"yson\"}", "{\"format\": \"raw\"}",
                             "/computations/count/internal_states/total"}),
    [](const auto& change) { return std::string(change.param.name); });

TEST(OutputFile, ThatWasShortenedIsTold) {
  const CountingJob job;
  ASSERT_EQ(job.run_to_end().exit_code, 0);
  const auto file = job.output_file(2);
  const uint64_t size = std::filesystem::file_size(file);
  std::filesystem::resize_file(file, size - 1);
  const Finished refused = job.run_to_end();
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.errors, AllOf(HasSubstr("data-corrupted"), HasSubstr(file.string()),
                                    HasSubstr(fmt::format("has {} bytes", size - 1)),
                                    HasSubstr(fmt::format("{} were committed", size))));
}

TEST(OutputFile, ThatGrewIsCutBack) {
  const CountingJob job;
  ASSERT_EQ(job.run_to_end().exit_code, 0);
  write_file(job.output_file(1), read_file(job.output_file(1)) + "half a li");
  ASSERT_EQ(job.run_to_end().exit_code, 0);
  expect_right_results(job);
}

}  // namespace
}  // namespace retinue::testing
