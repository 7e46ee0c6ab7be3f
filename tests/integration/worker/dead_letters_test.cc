// Messages on which the function throws, crashes or hangs, and what becomes of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <sstream>

#include "tests/integration/harness/counting_job.h"
#include "tests/integration/worker/expectations.h"

namespace retinue::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::string_view kPoison = R"("fail_at": 1234, "crash_at": 777, "hang_at": 1500)";

CountingJobOptions poisoned() {
  return {.companion_fields = "\"processes\": 2, \"batch_timeout\": \"1s\",",
          .computation_fields = "\"parameters\": {" + std::string(kPoison) + "},",
          .dynamic_fields =
              "\"max_rows_per_batch\": 8, \"max_attempts\": 2, \"retry_delay\": "
              "\"10ms\", \"max_crashes_per_batch\": 1, \"on_failure\": "
              "\"dead_letter\","};
}

Finished dead_letters(const CountingJob& job, std::vector<std::string> more) {
  ProcessOptions options{.command = {program("retinue"), "dead-letters"}};
  options.command.insert(options.command.end(), more.begin(), more.end());
  options.command.insert(options.command.end(), {"--data-dir", job.data_dir().string()});
  return run(options);
}

// The values of the messages that lie aside, and why, in order.
std::vector<std::string> kept(const CountingJob& job) {
  const Finished listed = dead_letters(job, {"list", "--json"});
  EXPECT_EQ(listed.exit_code, 0) << listed.errors;
  std::vector<std::string> all;
  std::istringstream lines(listed.output);
  for (std::string line; std::getline(lines, line);) {
    const yson::Node letter = parsed_json(line);
    all.push_back(std::to_string(number(*letter.find("message"), "value")) + " " +
                  letter.find("error_code")->as_string());
  }
  std::ranges::sort(all);
  return all;
}

void mend(const CountingJob& job) {
  std::string spec = read_file(job.spec());
  spec.replace(spec.find(kPoison), kPoison.size(), "");
  write_file(job.spec(), spec);
}

TEST(DeadLetters, TakeNothingFromTheOthersThoughTheWorkerIsKilled) {
  const CountingJob job(poisoned());
  int kills = 0;
  for (const uint64_t bytes : {5'000, 20'000, 40'000}) {
    Process worker(job.run_options());
    if (worker.wait_until([&] { return job.output_bytes() >= bytes; })) {
      worker.signal(SIGKILL);
      kills += worker.wait() == 128 + SIGKILL ? 1 : 0;
    }
  }
  EXPECT_GE(kills, 1);
  const Finished finished = job.run_to_end();
  ASSERT_EQ(finished.exit_code, 0) << finished.errors;
  expect_right_results(job, {777, 1234, 1500});
  EXPECT_THAT(kept(job), ElementsAre("1234 user-code-failed", "1500 deadline-exceeded",
                                     ::testing::StartsWith("777 ")));

  // Mended, they count as well.
  mend(job);
  const Finished retried = dead_letters(job, {"retry", "--all"});
  ASSERT_EQ(retried.exit_code, 0) << retried.errors;
  EXPECT_EQ(retried.output, "3 will be tried again by the next run\n");
  EXPECT_THAT(kept(job), ElementsAre());
  const Finished again = job.run_to_end();
  ASSERT_EQ(again.exit_code, 0) << again.errors;
  expect_right_states(job);
}

TEST(DeadLetters, AreDroppedById) {
  CountingJobOptions options = poisoned();
  options.computation_fields = "\"parameters\": {\"fail_at\": 1234},";
  const CountingJob job(options);
  const Finished finished = job.run_to_end({"--json"});
  ASSERT_EQ(finished.exit_code, 0) << finished.errors;
  EXPECT_EQ(
      number(*parsed_json(finished.output).find("computations")->find("count"), "dead_letters"), 1);
  const Finished listed = dead_letters(job, {"list", "--computation", "count"});
  ASSERT_EQ(listed.exit_code, 0) << listed.errors;
  EXPECT_THAT(listed.output, HasSubstr("\tuser-code-failed: std::runtime_error: told to fail\t"
                                       "events\t{\"key\":\"key-"));
  const std::string id = listed.output.substr(0, listed.output.find('\t'));
  const Finished dropped = dead_letters(job, {"drop", "--id", id, "--json"});
  EXPECT_EQ(dropped.output, "{\"dropped\":1}\n") << dropped.errors;
  const Finished gone = dead_letters(job, {"drop", "--id", id});
  EXPECT_EQ(gone.exit_code, 1);
  EXPECT_THAT(gone.errors, HasSubstr("not-found: there is no dead letter " + id));
}

TEST(DeadLetters, AreSettledOnlyWhenNoWorkerRuns) {
  const CountingJob job({.companion_by_hand = true});
  Process worker(job.run_options());
  ASSERT_TRUE(worker.wait_for_error_text("pipeline starts")) << worker.errors();
  const Finished listed = dead_letters(job, {"list"});
  EXPECT_EQ(listed.exit_code, 0) << listed.errors;
  EXPECT_EQ(listed.output, "");
  const Finished retried = dead_letters(job, {"retry", "--all"});
  EXPECT_EQ(retried.exit_code, 1);
  EXPECT_THAT(retried.errors, HasSubstr("directory-in-use: "));
  EXPECT_THAT(retried.errors, HasSubstr("stop that worker first"));
  worker.signal(SIGTERM);
  EXPECT_EQ(worker.wait(), 0);
}

TEST(DeadLetters, OfNoDataDirectoryAreAnError) {
  const CountingJob job;
  for (const char* action : {"list", "drop"}) {
    const Finished finished = action == std::string("list") ? dead_letters(job, {"list"})
                                                            : dead_letters(job, {"drop", "--all"});
    EXPECT_EQ(finished.exit_code, 1);
    EXPECT_THAT(finished.errors, HasSubstr("not-found: "));
    EXPECT_FALSE(std::filesystem::exists(job.data_dir())) << "nothing is made";
  }
}

}  // namespace
}  // namespace retinue::testing
