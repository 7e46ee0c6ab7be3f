// Companions that misbehave, fail, are refused, or are started by hand.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <map>
#include <sstream>

#include "tests/integration/harness/counting_job.h"
#include "tests/integration/worker/expectations.h"

namespace retinue::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// What the rogue companion does, and how the worker tells of it.
struct Deed {
  const char* name;
  const char* reason;
};

class Misdeed : public ::testing::TestWithParam<Deed> {};

TEST_P(Misdeed, ChangesNothingOfTheResults) {
  const CountingJob job(
      {.companion_command = {"{rogue}", GetParam().name, "{folder}/marker", "{good}"},
       .companion_fields = "\"batch_timeout\": \"2s\",",
       .dynamic_fields = "\"max_rows_per_batch\": 100,"});
  const Finished finished = job.run_to_end();
  ASSERT_EQ(finished.exit_code, 0) << finished.errors;
  EXPECT_EQ(read_file(job.folder() / "marker"), GetParam().name);
  EXPECT_THAT(finished.errors,
              AllOf(HasSubstr("companion process lost"), HasSubstr(GetParam().reason)));
  expect_right_results(job);
}

INSTANTIATE_TEST_SUITE_P(
    All, Misdeed,
    ::testing::Values(Deed{"unknown_key", "of key 999999, the batch has "},
                      Deed{"unknown_state", "it changes the state \\\"totals\\\", which"},
                      Deed{"unknown_stream", "it emits to the stream \\\"nowhere\\\", which"},
                      Deed{"unknown_job", ", which has no batch out"},
                      Deed{"unknown_epoch", "the answer is for epoch 2, attempt 1; epoch 1, "},
                      Deed{"bad_yson", "expected a value, found the end of the input"},
                      Deed{"timer", "it sets timers, which the job does not have"},
                      Deed{"oversized_frame", "a frame of 17179869184 bytes"},
                      Deed{"half_a_frame", "in the middle of a message"},
                      Deed{"random_bytes", "segments; the limit is "},
                      Deed{"hang", "within 2s (batch_timeout)"},
                      Deed{"exit", "its process exited with code 3"},
                      Deed{"crash", "its process was killed by signal 6"}),
    [](const auto& deed) { return std::string(deed.param.name); });

TEST(Companion, ThatDiesAtEveryStartStopsThePipeline) {
  const CountingJob job(
      {.companion_command = {"{rogue}", "exit_at_start", "{folder}/marker", "{good}"},
       .companion_fields = "\"restarts_without_progress_max\": 3,"});
  const Finished finished = job.run_to_end({"--json"});
  EXPECT_EQ(finished.exit_code, 1);
  const yson::Node summary = parsed_json(finished.output);
  EXPECT_EQ(summary.find("state")->as_string(), "failed");
  EXPECT_THAT(summary.find("error")->as_string(),
              AllOf(HasSubstr("companion \"counting\" failed 4 times in a row"),
                    HasSubstr("exited with code 3 before it said Hello")));
}

TEST(Companion, ThatDoesNotExistStopsThePipeline) {
  const CountingJob job({.companion_command = {"{folder}/nothing"}});
  const Finished finished = job.run_to_end();
  EXPECT_EQ(finished.exit_code, 1);
  EXPECT_THAT(finished.errors,
              AllOf(HasSubstr(job.folder() / "nothing"), HasSubstr("companions/counting/command")));
}

TEST(Companion, ThatHangsEndsWithTheWorkerAtTheSecondSignal) {
  const CountingJob job({.companion_command = {"{rogue}", "hang", "{folder}/marker", "{good}"}});
  Process worker(job.run_options());
  ASSERT_TRUE(worker.wait_until([&] { return std::filesystem::exists(job.folder() / "marker"); }));
  const std::vector<int> companions = worker.children();
  ASSERT_EQ(companions.size(), 1u);
  const int ended = static_cast<int>(::syscall(SYS_pidfd_open, companions[0], 0));
  ASSERT_GE(ended, 0);
  worker.signal(SIGINT);
  ASSERT_TRUE(worker.wait_for_error_text("stopping")) << worker.errors();
  worker.signal(SIGINT);
  EXPECT_EQ(worker.wait(), 130);
  pollfd entry{ended, POLLIN, 0};
  EXPECT_EQ(::poll(&entry, 1, 60'000), 1);
  ::close(ended);
}

// --- started by hand

// DIR/companion.env, as a shell would read it.
std::map<std::string, std::string> companion_environment(const CountingJob& job) {
  std::map<std::string, std::string> environment = {{"RETINUE_COMPANION", "counting"}};
  std::istringstream text(read_file(job.data_dir() / "companion.env"));
  for (std::string line; std::getline(text, line);) {
    const size_t sign = line.find('=');
    environment[line.substr(0, sign)] = line.substr(sign + 1);
  }
  return environment;
}

class RefusedHello : public ::testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(RefusedHello, DoesNotKeepAGoodCompanionFromWorking) {
  const auto [mode, code] = GetParam();
  const CountingJob job({.companion_by_hand = true});
  Process worker(job.run_options());
  ASSERT_TRUE(worker.wait_for_error_text("pipeline starts")) << worker.errors();
  const auto environment = companion_environment(job);
  const Finished refused =
      run({.command = {program("rogue_companion"), mode, job.folder() / "marker", "unused"},
           .environment = environment});
  EXPECT_EQ(refused.exit_code, 0);
  EXPECT_EQ(refused.output, fmt::format("rejected: {}\n", code));
  EXPECT_FALSE(worker.wait_for(std::chrono::milliseconds(0)));

  const Finished good =
      run({.command = {program("counting_companion")}, .environment = environment});
  EXPECT_EQ(good.exit_code, 0) << good.errors;
  EXPECT_EQ(worker.wait(), 0) << worker.errors();
  expect_right_results(job);
}

INSTANTIATE_TEST_SUITE_P(Hellos, RefusedHello,
                         ::testing::Values(std::pair("wrong_token", "303"),
                                           std::pair("future_version", "400")),
                         [](const auto& hello) { return std::string(hello.param.first); });

// --- functions that fail

TEST(Function, ThatFailsEveryTimeStopsThePipelineAndSaysWhere) {
  const CountingJob job({.computation_fields = "\"parameters\": {\"fail_at\": 1234},",
                         .dynamic_fields = "\"max_attempts\": 2, \"retry_delay\": \"10ms\","});
  const Finished finished = job.run_to_end({"--json"});
  EXPECT_EQ(finished.exit_code, 1);
  const yson::Node summary = parsed_json(finished.output);
  EXPECT_EQ(number(*summary.find("computations")->find("count"), "failed_batches"), 4)
      << "twice with others, twice alone";
  EXPECT_THAT(
      summary.find("error")->as_string(),
      AllOf(HasSubstr("user-code-failed"), HasSubstr("computation \"count\", partition "),
            HasSubstr("stream \"events\""), HasSubstr("message "), HasSubstr("key (\"key-"),
            HasSubstr("runtime_error"), HasSubstr("told to fail"), HasSubstr("attempt 2 of 2")));
}

TEST(Function, ThatFailsOnceIsTriedAgain) {
  const CountingJob job(
      {.computation_fields =
           "\"parameters\": {\"fail_at\": 1234, \"fail_once\": \"{folder}/failed\"},",
       .dynamic_fields = "\"retry_delay\": \"10ms\","});
  const Finished finished = job.run_to_end({"--json"});
  ASSERT_EQ(finished.exit_code, 0) << finished.errors;
  EXPECT_EQ(read_file(job.folder() / "failed"), "failed");
  EXPECT_EQ(
      number(*parsed_json(finished.output).find("computations")->find("count"), "failed_batches"),
      1);
  expect_right_results(job);
}

TEST(Function, ThatFailedGoesOnOnceItIsMended) {
  const CountingJob job({.computation_fields = "\"parameters\": {\"fail_at\": 1234},",
                         .dynamic_fields = "\"max_attempts\": 1,"});
  ASSERT_EQ(job.run_to_end().exit_code, 1);
  std::string spec = read_file(job.spec());
  write_file(job.spec(), spec.replace(spec.find("1234"), 4, "-1"));
  const Finished finished = job.run_to_end();
  ASSERT_EQ(finished.exit_code, 0) << finished.errors;
  expect_right_results(job);
}

}  // namespace
}  // namespace retinue::testing
