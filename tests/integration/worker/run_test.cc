// Runs to the end, runs again, stops, and what a run tells about itself.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>

#include <fstream>

#include "tests/integration/harness/counting_job.h"
#include "tests/integration/worker/expectations.h"

namespace retinue::testing {
namespace {

using ::testing::HasSubstr;

TEST(Run, FinishesWithEveryMessageCountedOnce) {
  const CountingJob job({.messages = 2000, .keys = 100});
  const Finished finished = job.run_to_end({"--json"});
  ASSERT_EQ(finished.exit_code, 0) << finished.errors;
  const yson::Node summary = parsed_json(finished.output);
  EXPECT_EQ(summary.find("pipeline")->as_string(), "counting");
  EXPECT_EQ(summary.find("state")->as_string(), "finished");
  EXPECT_EQ(summary.find("error"), nullptr);
  for (const char* field :
       {"messages_in", "messages_in_total", "messages_out", "messages_out_total"}) {
    EXPECT_EQ(number(summary, field), 2000) << field;
  }
  EXPECT_EQ(number(summary, "lines_skipped"), 0);
  const yson::Node& read = *summary.find("computations")->find("read");
  EXPECT_EQ(number(read, "messages_in"), 2000);
  EXPECT_EQ(number(read, "messages_out"), 2000);
  EXPECT_GE(number(read, "epochs"), 1);
  const yson::Node& count = *summary.find("computations")->find("count");
  EXPECT_EQ(number(count, "messages_in"), 2000);
  EXPECT_EQ(number(count, "messages_out"), 2000);
  EXPECT_EQ(number(count, "failed_batches"), 0);
  EXPECT_EQ(number(count, "queued_messages"), 0);
  EXPECT_EQ(number(count, "keys_cached"), 100);
  expect_right_results(job);
}

TEST(Run, AddsNothingWhenItRunsAgain) {
  const CountingJob job;
  ASSERT_EQ(job.run_to_end().exit_code, 0);
  const std::string output = job.output();
  const Finished again = job.run_to_end({"--json"});
  ASSERT_EQ(again.exit_code, 0) << again.errors;
  const yson::Node summary = parsed_json(again.output);
  EXPECT_EQ(number(summary, "messages_in"), 0);
  EXPECT_EQ(number(summary, "messages_in_total"), 2000);
  EXPECT_EQ(number(summary, "messages_out"), 0);
  EXPECT_EQ(number(summary, "messages_out_total"), 2000);
  EXPECT_EQ(job.output(), output);
  expect_right_results(job);
}

TEST(Run, ReadsOnWhereTheInputHasGrown) {
  const CountingJob job;
  ASSERT_EQ(job.run_to_end().exit_code, 0);
  write_file(job.folder() / "input.jsonl", job.input() + "{\"key\":\"late\",\"value\":7}\n");
  const Finished again = job.run_to_end({"--json"});
  ASSERT_EQ(again.exit_code, 0) << again.errors;
  EXPECT_EQ(number(parsed_json(again.output), "messages_in"), 1);
  expect_right_results(job);
}

class StoppedBy : public ::testing::TestWithParam<int> {};

TEST_P(StoppedBy, EndsWellAndGoesOnLater) {
  const CountingJob job({.messages = 20'000, .dynamic_fields = "\"max_rows_per_batch\": 10,"});
  Process worker(job.run_options({"--json"}));
  ASSERT_TRUE(worker.wait_until([&] { return job.output_bytes() > 0; })) << worker.errors();
  worker.signal(GetParam());
  ASSERT_EQ(worker.wait(), 0) << worker.errors();
  const yson::Node summary = parsed_json(worker.output());
  EXPECT_EQ(summary.find("state")->as_string(), "stopped");
  EXPECT_LT(number(summary, "messages_out_total"), 20'000);
  EXPECT_FALSE(std::filesystem::exists(job.data_dir() / "companion.env"));

  const Finished rest = job.run_to_end({"--json"});
  ASSERT_EQ(rest.exit_code, 0) << rest.errors;
  EXPECT_EQ(number(parsed_json(rest.output), "messages_out"),
            20'000 - number(summary, "messages_out_total"));
  expect_right_results(job);
}

INSTANTIATE_TEST_SUITE_P(Signals, StoppedBy, ::testing::Values(SIGTERM, SIGINT));

TEST(Run, EndsAtASecondSignalThoughACompanionHangs) {
  const CountingJob job({.companion_command = {"{rogue}", "hang", "{folder}/marker", "{good}"}});
  Process worker(job.run_options());
  ASSERT_TRUE(worker.wait_until([&] { return std::filesystem::exists(job.folder() / "marker"); }));
  worker.signal(SIGTERM);
  ASSERT_TRUE(worker.wait_for_error_text("stopping: ")) << worker.errors();
  EXPECT_FALSE(worker.wait_for(std::chrono::milliseconds(0)));
  worker.signal(SIGTERM);
  EXPECT_EQ(worker.wait(), 130) << worker.errors();
  const Finished rest = job.run_to_end();
  ASSERT_EQ(rest.exit_code, 0) << rest.errors;
  expect_right_results(job);
}

class WithDurability : public ::testing::TestWithParam<const char*> {};

TEST_P(WithDurability, GivesTheSameResults) {
  const CountingJob job;
  const Finished finished = job.run_to_end({"--durability", GetParam()});
  ASSERT_EQ(finished.exit_code, 0) << finished.errors;
  expect_right_results(job);
}

INSTANTIATE_TEST_SUITE_P(Levels, WithDurability, ::testing::Values("group", "each", "os"),
                         [](const auto& level) { return std::string(level.param); });

TEST(Run, LetsItsStatesBeReadWhileItRuns) {
  const CountingJob job({.messages = 0, .input_path = "input.fifo"});
  const std::string fifo = job.folder() / "input.fifo";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  Process worker(job.run_options());
  std::ofstream input(fifo);  // waits until the worker reads
  input << "{\"key\":\"a\",\"value\":5}\n{\"key\":\"b\",\"value\":6}\n" << std::flush;
  const std::string expected =
      "{\"key\":{\"key\":\"a\"},\"state\":\"total\",\"value\":{\"count\":1,\"sum\":5}}\n"
      "{\"key\":{\"key\":\"b\"},\"state\":\"total\",\"value\":{\"count\":1,\"sum\":6}}\n";
  EXPECT_TRUE(worker.wait_until([&] {
    const Finished read = job.read_states();
    return read.exit_code == 0 && sorted_lines(read.output) == expected;
  })) << worker.errors();
  EXPECT_FALSE(worker.wait_for(std::chrono::milliseconds(0)));
  const Finished one = job.read_states({"--key", "b"});
  EXPECT_EQ(one.output,
            "{\"key\":{\"key\":\"b\"},\"state\":\"total\",\"value\":{\"count\":1,\"sum\":6}}\n");
  EXPECT_EQ(job.read_states({"--limit", "1"}).errors, "(the first row; --limit 0 prints all)\n");
  input.close();
  EXPECT_EQ(worker.wait(), 0) << worker.errors();
}

TEST(Run, KeepsSocketAndTokenToItsUser) {
  const CountingJob job({.companion_by_hand = true});
  Process worker(job.run_options());
  ASSERT_TRUE(worker.wait_for_error_text("pipeline starts"));
  for (const char* name : {"companion.sock", "companion.env"}) {
    struct stat status {};
    ASSERT_EQ(stat((job.data_dir() / name).c_str(), &status), 0) << name;
    EXPECT_EQ(status.st_mode & 0777, 0600u) << name;
  }
}

TEST(Check, TellsAllProblemsOfASpec) {
  const CountingJob job({.computation_fields = "\"timer_streams\": {}, \"colour\": 1,",
                         .dynamic_fields = "\"max_attempts\": 0,"});
  const std::vector<std::string> paths = {"/computations/count/timer_streams",
                                          "/computations/count/colour",
                                          "/dynamic_spec/computations/count/max_attempts"};
  const Finished run = job.run_to_end();
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_FALSE(std::filesystem::exists(job.data_dir()));
  const Finished check = testing::run({.command = {program("retinue"), "check", job.spec()}});
  EXPECT_EQ(check.exit_code, 2);
  const Finished json =
      testing::run({.command = {program("retinue"), "check", job.spec(), "--json"}});
  EXPECT_EQ(json.exit_code, 2);
  const yson::Node report = parsed_json(json.output);
  EXPECT_FALSE(report.find("ok")->as_boolean());
  ASSERT_EQ(report.find("problems")->as_list().size(), paths.size());
  for (const std::string& path : paths) {
    EXPECT_THAT(run.errors, HasSubstr(path));
    EXPECT_THAT(check.errors, HasSubstr(path));
    EXPECT_THAT(json.output, HasSubstr(path));
  }
}

TEST(Check, AcceptsAGoodSpec) {
  const CountingJob job;
  const Finished text = run({.command = {program("retinue"), "check", job.spec()}});
  EXPECT_EQ(text.exit_code, 0);
  EXPECT_THAT(text.output, HasSubstr("ok: pipeline \"counting\""));
  const Finished json = run({.command = {program("retinue"), "check", job.spec(), "--json"}});
  EXPECT_EQ(json.exit_code, 0);
  EXPECT_EQ(json.output, "{\"ok\":true,\"problems\":[]}\n");
}

}  // namespace
}  // namespace retinue::testing
