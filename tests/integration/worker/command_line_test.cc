// The program under odd circumstances: closed streams, full disks, low limits, terminals.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/integration/harness/counting_job.h"
#include "tests/integration/worker/expectations.h"

namespace retinue::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string command_line(const std::string& arguments) {
  return program("retinue") + " " + arguments;
}

std::string run_line(const CountingJob& job, const std::string& more = {}) {
  return command_line(
      fmt::format("run {} --data-dir {} {}", job.spec().string(), job.data_dir().string(), more));
}

Finished shell(const std::string& script) {
  return run({.command = {"/bin/sh", "-c", script}});
}

TEST(CommandLine, AResultThatWasCutShortIsAnError) {
  const CountingJob job;
  const Finished ran = shell(run_line(job, "--json > /dev/full"));
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_THAT(ran.errors, HasSubstr("out-of-space: cannot write to standard output"));
  for (const std::string& arguments :
       {std::string("version"), std::string("version --json"), std::string("--help"),
        "check " + job.spec().string(), "check --json " + job.spec().string(),
        "states read -c count -n 0 -d " + job.data_dir().string()}) {
    const Finished full = shell(command_line(arguments) + " > /dev/full");
    EXPECT_EQ(full.exit_code, 1) << arguments;
    EXPECT_THAT(full.errors, HasSubstr("out-of-space: cannot write to standard output"));
    const Finished closed = shell(command_line(arguments) + " >&-");
    EXPECT_EQ(closed.exit_code, 1) << arguments;
    EXPECT_THAT(closed.errors, HasSubstr("io-error: cannot write to standard output"));
  }
}

class Closed : public ::testing::TestWithParam<const char*> {};

TEST_P(Closed, StandardStreamsAreNoHarm) {
  const CountingJob job;
  const Finished finished = shell(run_line(job, GetParam()));
  EXPECT_EQ(finished.exit_code, 0) << finished.errors;
  expect_right_results(job);
}

INSTANTIATE_TEST_SUITE_P(Streams, Closed,
                         ::testing::Values("<&-", ">&-", "2>&-", "<&- >&-", "<&- >&- 2>&-"));

TEST(CommandLine, TooFewOpenFilesAreToldAtOnce) {
  for (const int limit : {8, 24}) {
    const CountingJob job;
    const Finished refused = shell(fmt::format("ulimit -n {}; {}", limit, run_line(job)));
    EXPECT_EQ(refused.exit_code, 1) << limit;
    EXPECT_THAT(refused.errors,
                AllOf(HasSubstr(fmt::format("io-error: the limit on open files is {}", limit)),
                      HasSubstr("ulimit -n")));
    EXPECT_FALSE(std::filesystem::exists(job.data_dir()));
  }
}

TEST(CommandLine, AFileOverItsLimitIsAnError) {
  const CountingJob job({.messages = 20'000});
  const Finished refused = shell("ulimit -f 100; " + run_line(job));
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.errors, HasSubstr("io-error"));
  EXPECT_EQ(job.run_to_end().exit_code, 0);
  expect_right_results(job);
}

TEST(CommandLine, WithJsonAFailedStartIsToldAsJsonToo) {
  const CountingJob job;
  const auto expect_failed = [](const Finished& finished, const std::string& error) {
    EXPECT_NE(finished.exit_code, 0);
    const yson::Node summary = parsed_json(finished.output);
    EXPECT_EQ(summary.find("state")->as_string(), "failed");
    EXPECT_THAT(summary.find("error")->as_string(), HasSubstr(error));
    EXPECT_EQ(number(summary, "messages_in"), 0);
  };
  expect_failed(shell(command_line("run --json /no/such.json")), "not-found");
  expect_failed(shell("ulimit -n 8; " + run_line(job, "--json")), "io-error");
  write_file(job.data_dir(), "a file");
  expect_failed(job.run_to_end({"--json"}), "invalid-argument");
  write_file(job.spec(), "{}");
  expect_failed(job.run_to_end({"--json"}), "the field \"computations\"");
}

TEST(CommandLine, AJsonLogIsJsonThroughout) {
  const auto expect_json = [](const Finished& finished) {
    EXPECT_NE(finished.errors, "");
    for (size_t at = 0; at < finished.errors.size();) {
      const size_t end = finished.errors.find('\n', at);
      EXPECT_TRUE(parsed_json(finished.errors.substr(at, end - at)).find("message")->is_string());
      at = end + 1;
    }
  };
  const CountingJob job;
  const Finished finished = job.run_to_end({"--log-format", "json"});
  expect_json(finished);
  EXPECT_THAT(finished.errors, HasSubstr("\"message\":\"pipeline ends\""));
  expect_json(shell(command_line("run --log-format json /no/such.json")));
  write_file(job.spec(), "{}");
  expect_json(job.run_to_end({"--log-format", "json"}));
}

TEST(CommandLine, ACompanionCannotFillTheLogOrSteerTheTerminal) {
  const CountingJob job(
      {.companion_command = {"/bin/sh", "-c",
                             "printf '\\\\033[2J\\\\377\\\\n'; yes | head -n 20000; exec {good}"}});
  const Finished finished = job.run_to_end();
  ASSERT_EQ(finished.exit_code, 0) << finished.errors;
  EXPECT_THAT(finished.errors, AllOf(HasSubstr("\\x1b[2J\ufffd"), Not(HasSubstr("\x1b"))));
  EXPECT_THAT(finished.errors, HasSubstr("lines were left out)"));
}

}  // namespace
}  // namespace retinue::testing
