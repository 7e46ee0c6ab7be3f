// Workers and companions that are killed at random moments leave what an undisturbed run leaves.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/integration/harness/counting_job.h"

namespace retinue::testing {
namespace {

using std::chrono::milliseconds;

constexpr uint64_t kTrials = 30;
constexpr uint64_t kFirstSeed = 1000;
constexpr uint64_t kKillsMax = 4;  // of a trial; then it may finish

CountingJobOptions job_options() {
  return {.messages = 200'000,
          .keys = 5000,
          .companion_fields = "\"processes\": 2, \"restarts_without_progress_max\": 1000,",
          .dynamic_fields = "\"max_rows_per_batch\": 500,"};
}

struct Results {
  std::string states;
  std::string output;
  uint64_t output_bytes = 0;
};

// What a run without faults leaves.
const Results& undisturbed() {
  static const Results results = [] {
    const CountingJob job(job_options());
    const Finished finished = job.run_to_end();
    if (finished.exit_code != 0) {
      throw std::runtime_error(finished.errors);
    }
    return Results{
        .states = job.states(), .output = job.output(), .output_bytes = job.output_bytes()};
  }();
  return results;
}

uint64_t number_from_environment(const char* name, uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

// The seeds of the trials. RETINUE_TEST_SEED and RETINUE_TEST_TRIALS choose others, to repeat a
// failure or to look for more.
std::vector<uint64_t> seeds() {
  std::vector<uint64_t> all(number_from_environment("RETINUE_TEST_TRIALS", kTrials));
  std::iota(all.begin(), all.end(), number_from_environment("RETINUE_TEST_SEED", kFirstSeed));
  return all;
}

class Chance {
 public:
  explicit Chance(uint64_t seed) : random_(seed) {}
  uint64_t below(uint64_t bound) { return random_() % bound; }

 private:
  std::mt19937_64 random_;
};

// Not EXPECT_EQ, which would print megabytes.
void expect_undisturbed_results(const CountingJob& job) {
  EXPECT_TRUE(job.states() == undisturbed().states) << "the states differ";
  EXPECT_TRUE(job.output() == undisturbed().output) << "the output differs";
}

// Waits for a random moment of the run: soon after so much output is there, which is soon after the
// start where an earlier run has written as much. False if it ends before.
bool reaches_a_moment(Process& worker, const CountingJob& job, Chance& chance) {
  const uint64_t bytes = chance.below(undisturbed().output_bytes);
  const milliseconds delay(chance.below(50));
  return worker.wait_until([&] { return job.output_bytes() >= bytes; }) && !worker.wait_for(delay);
}

TEST(ExactlyOnce, HoldsWhenTheWorkerIsKilled) {
  size_t kills = 0;
  for (const uint64_t seed : seeds()) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Chance chance(seed);
    const std::vector<std::string> durability = {"--durability",
                                                 chance.below(2) == 0 ? "group" : "os"};
    const CountingJob job(job_options());
    for (uint64_t left = 1 + chance.below(kKillsMax); left > 0; --left) {
      Process worker(job.run_options(durability));
      if (reaches_a_moment(worker, job, chance)) {
        worker.signal(SIGKILL);
        kills += worker.wait() == 128 + SIGKILL ? 1 : 0;
      } else {
        ASSERT_EQ(worker.wait(), 0) << worker.errors();
      }
    }
    const Finished finished = job.run_to_end(durability);
    ASSERT_EQ(finished.exit_code, 0) << finished.errors;
    expect_undisturbed_results(job);
    ASSERT_FALSE(::testing::Test::HasFailure());
    fmt::print("seed {}: right, after {} kills so far\n", seed, kills);
    std::fflush(stdout);
  }
  EXPECT_GE(kills, seeds().size());
}

TEST(ExactlyOnce, HoldsWhenCompanionsAreKilled) {
  size_t kills = 0;
  for (const uint64_t seed : seeds()) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Chance chance(seed);
    const CountingJob job(job_options());
    Process worker(job.run_options());
    for (uint64_t left = 1 + chance.below(2 * kKillsMax); left > 0; --left) {
      if (!reaches_a_moment(worker, job, chance)) {
        break;
      }
      if (const std::vector<int> companions = worker.children(); !companions.empty()) {
        kills += kill(companions[chance.below(companions.size())], SIGKILL) == 0 ? 1 : 0;
      }
    }
    ASSERT_EQ(worker.wait(), 0) << worker.errors();
    expect_undisturbed_results(job);
    ASSERT_FALSE(::testing::Test::HasFailure());
    fmt::print("seed {}: right, after {} kills so far\n", seed, kills);
    std::fflush(stdout);
  }
  EXPECT_GE(kills, seeds().size());
}

}  // namespace
}  // namespace retinue::testing
