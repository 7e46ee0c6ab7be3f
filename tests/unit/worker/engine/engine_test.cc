#include "worker/engine/engine.h"

#include "tests/unit/worker/engine/world.h"

namespace retinue::worker::testing {
namespace {

using ::testing::HasSubstr;

const std::vector<std::string> kLines = {"a b a", "to be or not to be", "b", "a question"};

TEST(Engine, RunsToTheEnd) {
  World world(kLines);
  world.start();
  EXPECT_EQ(world.state(), Engine::State::kRunning);
  world.run_to_end();
  world.expect_complete();
  const Summary summary = world.engine().summary();
  EXPECT_EQ(summary.messages_in, 4u);
  EXPECT_EQ(summary.messages_out, 4u * 12);
  EXPECT_EQ(summary.source_bytes_read, 4u);
  EXPECT_EQ(summary.source_bytes_total, 4u);
  ASSERT_EQ(summary.computations.size(), 3u);
  EXPECT_EQ(summary.computations[0].computation, "read") << "producers come first";
  EXPECT_EQ(summary.computations[1].messages_in, 12u);
}

TEST(Engine, AFinishedPipelineFinishesAgainAndCountsOn) {
  World world(kLines);
  world.start();
  world.run_to_end();
  world.crash();
  world.start();
  world.run_to_end();
  world.expect_complete();
  EXPECT_EQ(world.engine().summary().messages_in, 0u);
  EXPECT_EQ(world.engine().summary().messages_in_total, 4u);
  EXPECT_EQ(world.engine().summary().source_bytes_read, 4u) << "of all that there is";
}

TEST(Engine, NothingToRead) {
  World world({});
  world.start();
  world.run_to_end();
  world.expect_complete();
}

TEST(Engine, APassthroughSourceFeedsItsConsumers) {
  World world({"a", "b", "a"});
  world.make_passthrough();
  world.start();
  world.run_to_end();
  ASSERT_EQ(world.state(), Engine::State::kFinished);
  EXPECT_EQ(world.stored_states("count", "n"),
            (std::map<std::string, std::string>{{"a", "2"}, {"b", "1"}}));
  EXPECT_EQ(world.sink("all").size(), 6u);
}

// --- failures

TEST(Engine, AFailedBatchIsTriedAgainLater) {
  World world({"a"});
  world.spec.dynamic_spec.computations.at(ComputationId("count")).retry_delay =
      Duration::seconds(2);
  std::vector<uint32_t> attempts;
  world.on_batch = [&](const std::string& function, ConnectionId from, wire::Batch::Reader batch) {
    if (function != "count") {
      return false;
    }
    attempts.push_back(batch.getAttempt());
    if (attempts.size() < 3) {
      world.fail_batch(from, batch, "not yet");
    }
    return attempts.size() < 3;
  };
  world.start();
  world.settle();
  world.give_lines(5);
  world.settle();
  EXPECT_EQ(attempts, (std::vector<uint32_t>{1}));
  EXPECT_EQ(world.engine().next_wakeup(), world.clock.monotonic() + Duration::seconds(2));
  world.advance(Duration::milliseconds(1999));
  world.settle();
  EXPECT_EQ(attempts.size(), 1u);
  world.advance(Duration::milliseconds(1));
  world.settle();
  EXPECT_EQ(attempts, (std::vector<uint32_t>{1, 2}));
  world.run_to_end();
  EXPECT_EQ(attempts, (std::vector<uint32_t>{1, 2, 3}));
  world.expect_complete();
}

TEST(Engine, ARetryWhoseJobIsGoneWakesNobody) {
  World world({"a"});
  bool fails = true;
  world.on_batch = [&](const std::string&, ConnectionId from, wire::Batch::Reader batch) {
    if (fails) {
      world.fail_batch(from, batch, "no");
    }
    return fails;
  };
  world.start();
  world.settle();
  world.give_lines(5);
  world.settle();
  world.crash_companion(0);
  world.clock.advance(Duration::seconds(1));
  EXPECT_FALSE(world.engine().next_wakeup()) << "the loop would spin until the job is back";
  fails = false;
  world.run_to_end();
  world.expect_complete();
}

TEST(Engine, TooManyAttemptsEndThePipelineWithThePlace) {
  World world({"a"});
  world.spec.dynamic_spec.computations.at(ComputationId("count")).max_attempts = 2;
  world.on_batch = [&](const std::string& function, ConnectionId from, wire::Batch::Reader batch) {
    if (function == "count") {
      world.fail_batch(from, batch, "division by zero");
    }
    return function == "count";
  };
  world.start();
  world.run_to_end();
  ASSERT_EQ(world.state(), Engine::State::kFailed);
  EXPECT_EQ(world.engine().error().code, ErrorCode::kUserCodeFailed);
  EXPECT_THAT(world.engine().error().message, HasSubstr("computation \"count\", partition "));
  EXPECT_THAT(world.engine().error().message, HasSubstr("of stream \"words\" with key ("));
  EXPECT_THAT(world.engine().error().message, HasSubstr("division by zero (attempt 2 of 2"));
  EXPECT_THAT(world.engine().error().message, HasSubstr("\ntrace of it"));
  // Once the function is mended nothing is missing.
  world.on_batch = nullptr;
  world.crash();
  world.start();
  world.run_to_end();
  world.expect_complete();
}

TEST(Engine, AnAnswerThatBreaksTheProtocolCostsItsCompanion) {
  World world(kLines);
  bool lies = true;
  world.on_batch = [&](const std::string&, ConnectionId from, wire::Batch::Reader batch) {
    if (std::exchange(lies, false)) {
      world.answer(from, [&](wire::Envelope::Builder out) {
        auto done = out.initBatchDone();
        done.setJob(batch.getJob());
        done.setEpoch(batch.getEpoch() + 1);
        done.setAttempt(batch.getAttempt());
      });
      return true;
    }
    return false;
  };
  world.start();
  world.run_to_end();
  world.expect_complete();
  EXPECT_EQ(world.companions().status().at(0).protocol_violations, 1u);
}

TEST(Engine, ACommitThatFailsEndsThePipeline) {
  World world(kLines);
  world.start();
  world.settle();
  world.give_lines(2);
  world.companions_step();
  world.store.fail_next_commit({ErrorCode::kOutOfSpace, "disk full"});
  world.run_to_end();
  ASSERT_EQ(world.state(), Engine::State::kFailed);
  EXPECT_EQ(world.engine().error().code, ErrorCode::kOutOfSpace);
  world.crash();
  world.start();
  world.run_to_end();
  world.expect_complete();
}

TEST(Engine, ASinkThatFailsEndsThePipelineByName) {
  World world(kLines);
  world.start();
  world.settle();
  world.next_sink_failure = Error{ErrorCode::kOutOfSpace, "disk full"};
  world.run_to_end();
  ASSERT_EQ(world.state(), Engine::State::kFailed);
  EXPECT_THAT(world.engine().error().message, HasSubstr("sink \""));
  world.crash();
  world.start();
  world.run_to_end();
  world.expect_complete();
}

TEST(Engine, ALookUpThatFailsEndsThePipeline) {
  World world(kLines);
  world.start();
  world.settle();
  world.store.fail_next_load({ErrorCode::kIoError, "bad disk"});
  world.run_to_end();
  ASSERT_EQ(world.state(), Engine::State::kFailed);
  EXPECT_EQ(world.engine().error().message, "bad disk");
}

// --- order and pace

TEST(Engine, TheNextBatchIsShippedBeforeTheCommitOfTheLast) {
  World world(kLines);
  size_t batches = 0;
  world.on_batch = [&](const std::string&, ConnectionId, wire::Batch::Reader) {
    ++batches;
    return false;
  };
  world.start();
  world.settle();
  for (int i = 0; i < 3; ++i) {
    world.give_lines(1);
  }
  while (world.companions_step()) {
  }
  EXPECT_EQ(batches, 3u);
  EXPECT_EQ(world.pending_commits(), 3u);
  world.run_to_end();
  world.expect_complete();
}

TEST(Engine, AFullInboxHoldsItsProducerBack) {
  World world(std::vector<std::string>(50, "a b c d e f g h"));
  for (auto& [id, computation] : world.spec.dynamic_spec.computations) {
    computation.inbox_bytes_limit = 1000;
  }
  bool hangs = true;
  size_t batches = 0;
  world.on_batch = [&](const std::string& function, ConnectionId, wire::Batch::Reader) {
    batches += function == "split";
    return hangs && function == "count";
  };
  world.start();
  world.settle();
  for (int i = 0; i < 50; ++i) {
    world.give_lines(1);
    world.settle();
  }
  EXPECT_GT(batches, 3u);
  EXPECT_LT(batches, 30u);
  hangs = false;
  world.crash_companion(0);
  world.run_to_end();
  world.expect_complete();
}

TEST(Engine, ABatchWaitsForMoreMessagesAsLongAsItMay) {
  World world({"a", "a"});
  size_t batches = 0;
  world.on_batch = [&](const std::string& function, ConnectionId, wire::Batch::Reader) {
    batches += function == "count";
    return false;
  };
  world.spec.dynamic_spec.computations.at(ComputationId("count")).batch_duration =
      Duration::seconds(5);
  world.start();
  world.settle();
  world.give_lines(1);
  world.settle();
  EXPECT_EQ(batches, 0u);
  EXPECT_EQ(world.engine().next_wakeup(), world.clock.monotonic() + Duration::seconds(5));
  world.advance(Duration::seconds(4));
  world.give_lines(1);
  world.settle();
  EXPECT_EQ(batches, 0u);
  world.advance(Duration::seconds(1));
  world.settle();
  EXPECT_EQ(batches, 1u) << "both in one";
  world.run_to_end();
  world.expect_complete();
}

TEST(Engine, OutsideFailuresEndIt) {
  World world(kLines);
  world.start();
  world.engine().fail({ErrorCode::kIoError, "socket gone"});
  EXPECT_EQ(world.state(), Engine::State::kFailed);
  world.engine().fail({ErrorCode::kIoError, "later"});
  EXPECT_EQ(world.engine().error().message, "socket gone") << "the first one counts";
}

TEST(Engine, RefusesToStartOnAGarbledStore) {
  World world(kLines);
  world.start();
  world.run_to_end();
  world.crash();
  const auto owner = world.store.find_name(NameKind::kComputation, "count").value();
  world.store.put_progress({OwnerNumber(*owner), PartitionIndex(0)}, "garbage");
  const auto started = world.try_start();
  ASSERT_FALSE(started.ok());
  EXPECT_EQ(started.error().code, ErrorCode::kDataCorrupted);
}

}  // namespace
}  // namespace retinue::worker::testing
