// Random runs: everything happens in random order, batches fail, companions and the worker itself
// crash at random, and whatever was not stored by then is lost. In the end states and sinks must be
// what an undisturbed run leaves. A seed that fails reproduces by itself: --gtest_filter=*/SEED.
#include <optional>
#include <random>

#include "protocol/frame/wire_values.h"
#include "tests/unit/worker/engine/world.h"

namespace retinue::worker::testing {
namespace {

std::vector<std::string> some_lines(std::mt19937& random, size_t count) {
  static const char* const kWords[] = {"a", "b", "to", "be", "or", "not", "that", "question"};
  std::vector<std::string> lines(count);
  for (std::string& line : lines) {
    for (size_t words = random() % 5; words > 0; --words) {
      line += std::string(kWords[random() % std::size(kWords)]) + " ";
    }
  }
  return lines;
}

class Simulation : public ::testing::TestWithParam<uint32_t> {
 protected:
  Simulation() : random_(GetParam()), lines_(some_lines(random_, pick(60))), world_(lines_) {
    auto& dynamic = world_.spec.dynamic_spec;
    dynamic.state_cache_bytes_limit = chance(2) ? 1 : 1 << 20;
    for (auto& [id, computation] : dynamic.computations) {
      computation.max_rows_per_batch = 1 + pick(6);
      computation.max_bytes_per_batch = chance(3) ? 40 : 1 << 20;
      computation.inbox_bytes_limit = chance(2) ? 300 : 1 << 20;
      computation.batch_duration = Duration::milliseconds(chance(2) ? 0 : 20);
      computation.retry_delay = Duration::milliseconds(pick(50));
    }
    world_.spec.companions.at(CompanionName("words")).processes = 1 + pick(3);
    crashes_left_ = chance(4) ? 0 : pick(12);
    failures_left_ = chance(4) ? 0 : pick(20);
    companion_crashes_left_ = chance(4) ? 0 : pick(8);
    if (chance(3)) {
      poison();
      return;
    }
    world_.on_batch = [this](const std::string&, ConnectionId from, wire::Batch::Reader batch) {
      if (failures_left_ == 0 || !chance(8)) {
        return false;
      }
      --failures_left_;
      world_.fail_batch(from, batch, "no luck");
      return true;
    };
  }

  // "count" fails on one word, or its companion dies or hangs on it; nothing else fails.
  void poison() {
    dead_word_ = "question";
    failures_left_ = companion_crashes_left_ = 0;
    DynamicComputationSpec& count =
        world_.spec.dynamic_spec.computations.at(ComputationId("count"));
    count.on_failure = FailureAction::kDeadLetter;
    count.max_attempts = 1 + pick(3);
    count.max_crashes_per_batch = 1 + pick(3);
    world_.spec.companions.at(CompanionName("words")).batch_timeout = Duration::milliseconds(300);
    world_.on_batch = [this](const std::string& function, ConnectionId from,
                             wire::Batch::Reader batch) {
      const auto rows = read_rows(batch.getMessages()[0].getRows());
      std::optional<uint32_t> dead;
      for (uint32_t row = 0; function == "count" && row < rows->row_count(); ++row) {
        if (rows->column(ColumnIndex(0)).bytes_at(row) == dead_word_) {
          dead = row;
        }
      }
      if (!dead) {
        return false;
      }
      switch (pick(5)) {
        case 0: world_.fail_batch(from, batch, "named", *dead); break;
        case 1: world_.fail_batch(from, batch, "somebody", std::nullopt); break;
        case 2: world_.fail_batch(from, batch, "a lie", pick(rows->row_count())); break;
        case 3: world_.crash_companion_of(from); break;
        default: break;  // it hangs
      }
      return true;
    };
  }

  uint32_t pick(uint32_t count) {
    return count == 0 ? 0 : static_cast<uint32_t>(random_() % count);
  }
  bool chance(uint32_t one_in) { return pick(one_in) == 0; }

  void crash_worker() {
    --crashes_left_;
    // The store may have more than the engine has heard of.
    if (chance(2)) {
      world_.store_commits(pick(4));
    }
    world_.crash();
    world_.start();
  }

  void stop_worker() {
    --crashes_left_;
    world_.engine().stop();
    for (int i = 0; i < 10'000 && world_.state() == Engine::State::kRunning; ++i) {
      world_.settle();
      world_.advance(Duration::milliseconds(100));
    }
    ASSERT_NE(world_.state(), Engine::State::kRunning) << "it does not stop";
    if (world_.state() == Engine::State::kStopped) {
      world_.crash();
      world_.start();
    }
  }

  void step() {
    switch (pick(10)) {
      case 0: world_.connect_all(); return;
      case 1:
      case 2: world_.companions_step(); return;
      case 3: world_.do_blocking_work(); return;
      case 4:
      case 5: world_.store_commits(pick(4)); return;
      case 6: world_.give_lines(pick(4)); return;
      case 7: world_.advance(Duration::milliseconds(pick(60))); return;
      case 8:
        world_.obey_signals();
        if (companion_crashes_left_ > 0 && chance(10)) {
          --companion_crashes_left_;
          world_.crash_companion(pick(3));
        }
        return;
      case 9:
        if (crashes_left_ > 0 && chance(12)) {
          chance(4) ? stop_worker() : crash_worker();
        }
        return;
    }
  }

  size_t dead_words() const {
    size_t count = 0;
    for (const std::string& line : lines_) {
      for (size_t at = line.find(dead_word_); at != std::string::npos && !dead_word_.empty();
           at = line.find(dead_word_, at + 1)) {
        ++count;
      }
    }
    return count;
  }

  std::mt19937 random_;
  const std::vector<std::string> lines_;
  World world_;
  std::string dead_word_;
  uint32_t crashes_left_ = 0;
  uint32_t failures_left_ = 0;
  uint32_t companion_crashes_left_ = 0;
};

TEST_P(Simulation, EndsAsAnUndisturbedRunDoes) {
  SCOPED_TRACE(::testing::Message() << "seed " << GetParam());
  ASSERT_NO_FATAL_FAILURE(world_.start());
  for (int steps = 0; world_.state() == Engine::State::kRunning; ++steps) {
    ASSERT_LT(steps, 200'000) << "it never ends";
    ASSERT_NO_FATAL_FAILURE(step());
  }
  world_.expect_complete(dead_word_);
  EXPECT_EQ(world_.store.dead_letter_count(), dead_words());
}

INSTANTIATE_TEST_SUITE_P(Seeds, Simulation, ::testing::Range(0u, 300u));

TEST(CrashAtEveryCommit, EndsAsAnUndisturbedRunDoes) {
  const std::vector<std::string> lines = {"a b a", "", "to be or not to be", "a question", "b"};
  uint64_t commits = 0;
  for (uint64_t crash_at = 0; crash_at == 0 || crash_at <= commits; ++crash_at) {
    SCOPED_TRACE(::testing::Message() << "crash after commit " << crash_at);
    World world(lines);
    for (auto& [id, computation] : world.spec.dynamic_spec.computations) {
      computation.max_rows_per_batch = 2;
    }
    ASSERT_NO_FATAL_FAILURE(world.start());
    bool has_crashed = crash_at == 0;
    for (int i = 0; i < 10'000 && world.state() == Engine::State::kRunning; ++i) {
      world.connect_all();
      world.companions_step();
      world.do_blocking_work();
      world.give_lines(1);
      world.store_commits(1);
      if (!has_crashed && world.store.commit_count() >= crash_at) {
        has_crashed = true;
        world.crash();
        ASSERT_NO_FATAL_FAILURE(world.start());
      }
    }
    world.expect_complete();
    if (crash_at == 0) {
      commits = world.store.commit_count();
      ASSERT_GT(commits, 20u);
    }
  }
}

}  // namespace
}  // namespace retinue::worker::testing
