// How a pipeline ends before all its input is processed: bad input, and stops.
#include "tests/unit/worker/engine/world.h"
#include "worker/engine/engine.h"

namespace retinue::worker::testing {
namespace {

const std::vector<std::string> kLines = {"a b a", "to be or not to be", "b", "a question"};

// --- a source that cannot be read on

TEST(Engine, WhatCameBeforeABadLineIsProcessedBeforeThePipelineFails) {
  World world(kLines);
  world.bad_line = 3;
  for (int run = 0; run < 2; ++run) {
    world.start();
    world.run_to_end();
    ASSERT_EQ(world.state(), Engine::State::kFailed);
    EXPECT_EQ(world.engine().error().message, "bad line");
    EXPECT_EQ(world.stored_states("count", "n").at("be"), "2");
    EXPECT_EQ(world.sink("counts").size() + world.sink("counts", 1).size() +
                  world.sink("counts", 2).size(),
              10u)
        << "run " << run;
    world.crash();
  }
  world.bad_line.reset();
  world.start();
  world.run_to_end();
  world.expect_complete();
}

TEST(Engine, APassthroughSourceThatFailsLetsItsConsumersFinish) {
  World world({"a", "b", "a"});
  world.make_passthrough();
  world.bad_line = 2;
  world.start();
  world.run_to_end();
  ASSERT_EQ(world.state(), Engine::State::kFailed);
  EXPECT_EQ(world.engine().error().code, ErrorCode::kInvalidRecord);
  EXPECT_EQ(world.stored_states("count", "n"),
            (std::map<std::string, std::string>{{"a", "1"}, {"b", "1"}}));
}

TEST(Engine, AStopAfterABadLineIsAFailureAllTheSame) {
  World world(kLines);
  world.bad_line = 0;
  world.start();
  world.give_lines(1);
  world.engine().stop();
  world.settle();
  ASSERT_EQ(world.state(), Engine::State::kFailed);
  EXPECT_EQ(world.engine().error().message, "bad line");
}

// --- stopping

TEST(Engine, StopsBeforeAnyCompanionCame) {
  World world(kLines);
  world.start();
  world.store_commits();
  world.give_lines(2);
  world.engine().stop();
  world.advance(Duration());
  EXPECT_EQ(world.state(), Engine::State::kStopped);
}

TEST(Engine, AStopWaitsForWhatIsOutAndCommitsIt) {
  World world(kLines);
  world.start();
  world.settle();
  world.give_lines(2);
  world.engine().stop();
  world.advance(Duration());
  ASSERT_EQ(world.state(), Engine::State::kRunning) << "a batch is out";
  EXPECT_FALSE(world.engine().next_wakeup());
  world.companions_step();
  ASSERT_EQ(world.state(), Engine::State::kRunning) << "its commit is on the way";
  const uint64_t stored = world.store.commit_count();
  world.store_commits();
  EXPECT_EQ(world.state(), Engine::State::kStopped);
  EXPECT_EQ(world.store.commit_count(), stored + 1);
  world.crash();
  world.start();
  world.run_to_end();
  world.expect_complete();
}

TEST(Engine, WhatAStopDropsIsNotFinished) {
  // Two chunks, the second of them the last: it is taken while the first is out, and dropped. No
  // message is left in any inbox.
  World world({"", "b"});
  world.start();
  world.settle();
  world.give_lines(1);
  world.give_lines(5);
  world.engine().stop();
  world.settle();
  EXPECT_EQ(world.state(), Engine::State::kStopped);
  world.crash();
  world.start();
  world.run_to_end();
  world.expect_complete();
}

TEST(Engine, AStopDropsABatchThatWaitsForAnotherAttempt) {
  World world(kLines);
  world.on_batch = [&](const std::string&, ConnectionId from, wire::Batch::Reader batch) {
    world.fail_batch(from, batch, "no");
    return true;
  };
  world.start();
  world.settle();
  world.give_lines(1);
  world.settle();
  ASSERT_TRUE(world.engine().next_wakeup());
  world.engine().stop();
  world.advance(Duration());
  EXPECT_EQ(world.state(), Engine::State::kStopped);
}

TEST(Engine, AStopDoesNotWaitForABatchWhoseCompanionIsGone) {
  World world(kLines);
  world.start();
  world.settle();
  world.give_lines(1);
  world.engine().stop();
  world.advance(Duration());
  ASSERT_EQ(world.state(), Engine::State::kRunning);
  world.crash_companion(0);
  EXPECT_EQ(world.state(), Engine::State::kStopped);
}

}  // namespace
}  // namespace retinue::worker::testing
