// Workers and companions that are killed at random moments leave what an undisturbed run leaves.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>
#include <stdexcept>
#include <vector>

#include "tests/integration/harness/counting_job.h"

namespace retinue::testing {
namespace {

using std::chrono::milliseconds;

constexpr uint64_t kTrials = 30;
constexpr uint64_t kFirstSeed = 1000;
constexpr int kKillsMax = 4;  // of a trial; then it may finish

CountingJobOptions job_options() {
  return {.messages = 200'000,
          .keys = 5000,
          .companion_fields = "\"processes\": 2, \"restarts_without_progress_max\": 1000,",
          .dynamic_fields = "\"max_rows_per_batch\": 500,"};
}

struct Results {
  std::string states;
  std::string output;
  milliseconds elapsed{0};
};

// What a run without faults leaves, and how long it takes.
const Results& undisturbed() {
  static const Results results = [] {
    const CountingJob job(job_options());
    const auto begin = std::chrono::steady_clock::now();
    const Finished finished = job.run_to_end();
    const auto elapsed =
        std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - begin);
    if (finished.exit_code != 0) {
      throw std::runtime_error(finished.errors);
    }
    return Results{.states = job.states(), .output = job.output(), .elapsed = elapsed};
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
  int below(int64_t bound) { return static_cast<int>(random_() % static_cast<uint64_t>(bound)); }

 private:
  std::mt19937_64 random_;
};

// Not EXPECT_EQ, which would print megabytes.
void expect_undisturbed_results(const CountingJob& job) {
  EXPECT_TRUE(job.states() == undisturbed().states) << "the states differ";
  EXPECT_TRUE(job.output() == undisturbed().output) << "the output differs";
}

// Kills the worker once, at a random moment; false if it finished before.
bool is_killed(const CountingJob& job, Chance& chance) {
  Process worker(job.run_options());
  const milliseconds moment(chance.below(undisturbed().elapsed.count() + 1));
  if (const auto status = worker.wait_for(moment)) {
    EXPECT_EQ(*status, 0) << worker.errors();
    return false;
  }
  worker.signal(SIGKILL);
  worker.wait();
  return true;
}

TEST(ExactlyOnce, HoldsWhenTheWorkerIsKilled) {
  size_t kills = 0;
  for (const uint64_t seed : seeds()) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Chance chance(seed);
    const CountingJob job(job_options());
    int kills_left = 1 + chance.below(kKillsMax);
    while (kills_left > 0 && is_killed(job, chance)) {
      --kills_left;
      ++kills;
    }
    const Finished finished = job.run_to_end();
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
    for (int left = 1 + chance.below(2 * kKillsMax); left > 0; --left) {
      if (worker.wait_for(milliseconds(chance.below(undisturbed().elapsed.count() / 2 + 1)))) {
        break;
      }
      const std::vector<int> companions = worker.children();
      if (!companions.empty()) {
        const auto chosen = chance.below(static_cast<int64_t>(companions.size()));
        kills += kill(companions[static_cast<size_t>(chosen)], SIGKILL) == 0 ? 1 : 0;
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
