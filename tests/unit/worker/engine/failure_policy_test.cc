// Inputs that their function fails on, or that take the companion down.
#include <algorithm>

#include "tests/unit/worker/engine/poison.h"
#include "worker/stream/message_block.h"

namespace retinue::worker::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

const ComputationId kCount("count");
const ComputationId kRead("read");

TEST(FailurePolicy, ANamedInputIsTakenOutOfItsBatch) {
  World world({"a b poison a c"});
  Poisoned poisoned(world, Poisoned::Names::kTruly);
  world.start();
  world.run_to_end();
  EXPECT_THAT(poisoned.batches,
              ElementsAre("a b poison a c", "a b poison a c", "a b", "poison", "poison", "a c"));
  world.expect_complete("poison");
  EXPECT_EQ(world.store.dead_letter_count(), 1u);
  EXPECT_EQ(world.engine().summary().computations.at(1).dead_letters, 1u);
  EXPECT_EQ(world.engine().summary().computations.at(1).messages_in, 5u);
}

TEST(FailurePolicy, WithoutANameTheBatchIsHalved) {
  World world({"a b c d e poison g h"});
  Poisoned poisoned(world, Poisoned::Names::kNothing);
  world.start();
  world.run_to_end();
  EXPECT_THAT(poisoned.batches,
              ElementsAre("a b c d e poison g h", "a b c d e poison g h", "a b c d", "e poison g h",
                          "e poison", "e", "poison", "poison", "g h"));
  world.expect_complete("poison");
}

TEST(FailurePolicy, AnInnocentInputThatIsNamedIsBelievedOnce) {
  std::string line;
  for (int i = 0; i < 64; ++i) {
    line += "w" + std::to_string(i) + " ";
  }
  World world({line + "poison x y"});
  Poisoned poisoned(world, Poisoned::Names::kTheFirst);
  world.start();
  world.run_to_end();
  world.expect_complete("poison");
  EXPECT_EQ(world.store.dead_letter_count(), 1u);
  EXPECT_LT(poisoned.batches.size(), 24u) << "one by one";
}

TEST(FailurePolicy, EveryPoisonedInputIsFound) {
  World world({"poison poison a poison", "b", "poison", "a poison b"});
  Poisoned poisoned(world, Poisoned::Names::kNothing);
  world.start();
  world.run_to_end();
  world.expect_complete("poison");
  EXPECT_EQ(world.store.dead_letter_count(), 5u);
}

TEST(FailurePolicy, ADeadLetterHasTheMessageAndWhatWasSaid) {
  World world({"a poison"});
  Poisoned poisoned(world, Poisoned::Names::kTruly);
  world.start();
  world.run_to_end();
  const std::vector<DeadLetter> letters = dead_letters(world);
  ASSERT_THAT(letters, SizeIs(1));
  const DeadLetter& letter = letters[0];
  EXPECT_EQ(letter.kind, "message");
  EXPECT_EQ(letter.error.code, ErrorCode::kUserCodeFailed);
  EXPECT_EQ(letter.error.message, "Oops: cannot swallow it");
  EXPECT_EQ(letter.exception_type, "Oops");
  EXPECT_EQ(letter.trace, "trace of it");
  EXPECT_EQ(letter.attempts, 4u) << "twice with others, twice alone";
  EXPECT_GT(letter.failed_at, Timestamp(0));
  const auto block = MessageBlock::open(letter.block).value();
  EXPECT_EQ(block->stream(), "words");
  EXPECT_EQ(row_at(block->rows(), 0), Row{std::string("poison")});
  EXPECT_EQ(block->header().first_id.index, 2u) << "behind the line, and behind \"a\"";
  const auto again = decode_dead_letter(encode_dead_letter(letter)).value();
  EXPECT_EQ(again.key, letter.key);
  EXPECT_FALSE(decode_dead_letter("{kind=message}").ok());
  EXPECT_FALSE(decode_dead_letter("garbage{").ok());
}

TEST(FailurePolicy, StopNamesTheInputAndKeepsWhatWasBeforeIt) {
  World world({"a b poison a"});
  Poisoned poisoned(world, Poisoned::Names::kNothing);
  poisoned.limits(kCount).on_failure = FailureAction::kStop;
  world.start();
  world.run_to_end();
  ASSERT_EQ(world.state(), Engine::State::kFailed);
  EXPECT_THAT(world.engine().error().message,
              AllOf(HasSubstr("computation \"count\", partition 0, message "),
                    HasSubstr("of stream \"words\" with key ("), HasSubstr("{\"word\":\"poison\"}"),
                    HasSubstr("cannot swallow it (attempt 2 of 2"), HasSubstr("\ntrace of it")));
  world.store_commits();
  EXPECT_EQ(world.stored_states("count", "n"),
            (std::map<std::string, std::string>{{"a", "1"}, {"b", "1"}}));
  world.on_batch = nullptr;
  world.crash();
  world.start();
  world.run_to_end();
  world.expect_complete();
}

TEST(FailurePolicy, TheWaitDoublesUpToItsBound) {
  World world({"poison"});
  Poisoned poisoned(world, Poisoned::Names::kNothing);
  poisoned.limits(kCount).max_attempts = 6;
  poisoned.limits(kCount).retry_delay = Duration::seconds(1);
  poisoned.limits(kCount).retry_delay_max = Duration::seconds(5);
  world.start();
  world.settle();
  world.give_lines(5);
  world.settle();
  std::vector<int64_t> waits;
  while (const auto wakeup = world.engine().next_wakeup()) {
    waits.push_back((*wakeup - world.clock.monotonic()).microseconds() / 1'000'000);
    world.advance(*wakeup - world.clock.monotonic());
    world.settle();
  }
  EXPECT_THAT(waits, ElementsAre(1, 2, 4, 5, 5));
  world.run_to_end();
  world.expect_complete("poison");
}

TEST(FailurePolicy, ACompanionThatLeavesSaysNothingOfTheBatch) {
  World world({"a"});
  Poisoned poisoned(world, Poisoned::Names::kTruly);
  int left = 20;
  world.on_batch = [&](const std::string& function, ConnectionId from, wire::Batch::Reader batch) {
    if (function != "count" || left == 0) {
      return false;
    }
    --left;
    world.answer(from, [&](wire::Envelope::Builder out) {
      auto failed = out.initBatchFailed();
      failed.setJob(batch.getJob());
      failed.setEpoch(batch.getEpoch());
      failed.setAttempt(batch.getAttempt());
      failed.initError().setCode(static_cast<uint16_t>(ErrorCode::kDraining));
    });
    return true;
  };
  world.start();
  world.run_to_end();
  world.expect_complete();
  EXPECT_EQ(left, 0);
}

TEST(FailurePolicy, OtherPartitionsGoOnMeanwhile) {
  World world({"a b c d e f g h poison"});
  Poisoned poisoned(world, Poisoned::Names::kTruly);
  poisoned.limits(kCount).desired_partition_count = 3;
  poisoned.limits(kCount).retry_delay = Duration::seconds(1000);
  poisoned.limits(kCount).retry_delay_max = Duration::seconds(1000);
  world.start();
  world.settle();
  world.give_lines(1);
  world.settle();
  EXPECT_GT(world.stored_states("count", "n").size(), 3u);
}

TEST(FailurePolicy, ALineOfASourceIsTakenOutOfItsChunk) {
  World world({"a b", "poison", "c a", "b"});
  world.spec.dynamic_spec.computations.at(kRead).on_failure = FailureAction::kDeadLetter;
  world.spec.dynamic_spec.computations.at(kRead).max_attempts = 1;
  std::vector<std::string> chunks;
  world.on_batch = [&](const std::string& function, ConnectionId from, wire::Batch::Reader batch) {
    if (function != "split") {
      return false;
    }
    const std::vector<std::string> lines = words_of(batch);
    chunks.push_back(joined(lines));
    if (std::ranges::count(lines, "poison") == 0) {
      return false;
    }
    world.fail_batch(from, batch, "no", std::nullopt);
    return true;
  };
  world.start();
  world.settle();
  world.give_lines(5);
  for (int i = 0; i < 100 && world.stored_states("read", "lines")["-"] != "1"; ++i) {
    world.companions_step();
    world.store_commits();
  }
  // In the middle of the chunk; its first row is done.
  world.crash();
  world.start();
  world.run_to_end();
  EXPECT_EQ(world.state(), Engine::State::kFinished);
  EXPECT_EQ(world.stored_states("read", "lines")["-"], "3");
  EXPECT_EQ(world.stored_states("count", "n"),
            (std::map<std::string, std::string>{{"a", "2"}, {"b", "2"}, {"c", "1"}}));
  EXPECT_EQ(world.engine().summary().messages_in_total, 4u);
  const std::vector<DeadLetter> letters = dead_letters(world, "read");
  ASSERT_THAT(letters, SizeIs(1));
  EXPECT_EQ(MessageBlock::open(letters[0].block).value()->stream(), "lines");
}

TEST(FailurePolicy, ADeadLetterStreamHasThemAsMessages) {
  World world({"a poison b"});
  Poisoned poisoned(world, Poisoned::Names::kTruly);
  std::vector<Column> columns = {
      {.name = "message", .type = ColumnType::kAny, .required = false, .expression = ""},
      {.name = "error", .type = ColumnType::kString, .required = true, .expression = ""},
      {.name = "attempts", .type = ColumnType::kUint64, .required = true, .expression = ""},
      {.name = "key", .type = ColumnType::kAny, .required = true, .expression = ""}};
  const StreamId failures("failures");
  world.spec.streams[failures].schema = TableSchema::create(std::move(columns)).value();
  world.spec.computations.at(kCount).dead_letter_stream_id = failures;
  world.spec.sinks[SinkName("failures")] = {
      .type = SinkType::kJsonLines, .input_stream_ids = {failures}, .path = "/failures"};
  world.start();
  world.run_to_end();
  world.expect_complete("poison");
  EXPECT_EQ(world.store.dead_letter_count(), 0u);
  ASSERT_THAT(world.sink("failures"), SizeIs(1));
  const Row& row = world.sink("failures")[0];
  EXPECT_THAT(std::get<AnyValue>(row[0]).yson, HasSubstr("poison"));
  EXPECT_EQ(std::get<std::string>(row[1]), "Oops: cannot swallow it");
  EXPECT_EQ(std::get<uint64_t>(row[2]), 4u);
  EXPECT_THAT(std::get<AnyValue>(row[3]).yson, HasSubstr("word"));
}

TEST(FailurePolicy, TooManyDeadLettersEndThePipeline) {
  World world({"poison"});
  Poisoned poisoned(world, Poisoned::Names::kTruly);
  world.start();
  const auto owner = world.store.find_name(NameKind::kComputation, "count").value();
  world.crash();
  Progress progress;
  progress.epoch = Epoch(1);
  progress.dead_letters_kept = limits::kDeadLettersLimit;
  world.store.put_progress({OwnerNumber(*owner), PartitionIndex(0)}, encode_progress(progress));
  world.start();
  world.run_to_end();
  ASSERT_EQ(world.state(), Engine::State::kFailed);
  EXPECT_EQ(world.engine().error().code, ErrorCode::kLimitExceeded);
  EXPECT_EQ(world.store.dead_letter_count(), 0u);
}

// --- companions that die

TEST(FailurePolicy, AnInputThatKillsItsCompanionIsFound) {
  World world({"a b c d e poison g h", "a b"});
  Poisoned poisoned(world, Poisoned::Names::kNothing);
  world.spec.companions.at(CompanionName("words")).restarts_without_progress_max = 4;
  poisoned.limits(kCount).max_crashes_per_batch = 2;
  poisoned.limits(kCount).desired_partition_count = 3;
  world.on_batch = [&](const std::string& function, ConnectionId from, wire::Batch::Reader batch) {
    if (function != "count" || std::ranges::count(words_of(batch), "poison") == 0) {
      return false;
    }
    world.crash_companion_of(from);
    return true;
  };
  world.start();
  world.run_to_end();
  world.expect_complete("poison");
  const std::vector<DeadLetter> letters = dead_letters(world);
  ASSERT_THAT(letters, SizeIs(1)) << "of others, which the process had as well, too";
  EXPECT_EQ(letters[0].error.code, ErrorCode::kConnectionClosed);
  EXPECT_THAT(letters[0].error.message, HasSubstr("companion \"words\""));
}

TEST(FailurePolicy, AnInputThatHangsItsCompanionIsFound) {
  World world({"a b poison c"});
  Poisoned poisoned(world, Poisoned::Names::kNothing);
  poisoned.limits(kCount).max_crashes_per_batch = 1;
  poisoned.limits(kCount).on_failure = FailureAction::kStop;
  world.on_batch = [&](const std::string& function, ConnectionId, wire::Batch::Reader batch) {
    return function == "count" && std::ranges::count(words_of(batch), "poison") > 0;
  };
  world.start();
  world.run_to_end();
  ASSERT_EQ(world.state(), Engine::State::kFailed);
  EXPECT_EQ(world.engine().error().code, ErrorCode::kDeadlineExceeded);
  EXPECT_THAT(world.engine().error().message,
              AllOf(HasSubstr("{\"word\":\"poison\"}"), HasSubstr("(batch_timeout)"),
                    HasSubstr("attempt 1 of 1")));
}

TEST(FailurePolicy, AnInputWhoseAnswerBreaksTheProtocolIsFound) {
  World world({"a poison b"});
  Poisoned poisoned(world, Poisoned::Names::kNothing);
  poisoned.limits(kCount).max_crashes_per_batch = 1;
  world.on_batch = [&](const std::string& function, ConnectionId from, wire::Batch::Reader batch) {
    if (function != "count" || std::ranges::count(words_of(batch), "poison") == 0) {
      return false;
    }
    world.answer(from, [&](wire::Envelope::Builder out) {
      auto done = out.initBatchDone();
      done.setJob(batch.getJob());
      done.setEpoch(batch.getEpoch());
      done.setAttempt(batch.getAttempt() + 1);
    });
    return true;
  };
  world.start();
  world.run_to_end();
  world.expect_complete("poison");
  ASSERT_THAT(dead_letters(world), SizeIs(1));
  EXPECT_EQ(dead_letters(world)[0].error.code, ErrorCode::kProtocolViolation);
}

}  // namespace
}  // namespace retinue::worker::testing
