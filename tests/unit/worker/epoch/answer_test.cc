#include "worker/epoch/answer.h"

#include <fmt/format.h>

#include <cmath>

#include "tests/unit/worker/epoch/fixture.h"

namespace retinue::worker::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Done = wire::BatchDone::Builder;

// A batch of the words a, b, a at the event times 30, 20, 10, and answers to it.
class AnswerTest : public EpochFixture {
 protected:
  AnswerTest() {
    put_state("a", 0, "17");
    batch_ = assemble({whole(
        block("words", kWords,
              {{std::string("a"), Null()}, {std::string("b"), Null()}, {std::string("a"), Null()}},
              1, 1000, {30, 20, 10}))});
  }

  Result<Answer> read(const std::function<void(Done)>& fill) {
    Done done = out_.begin().initBatchDone();
    done.setEpoch(5);
    done.setAttempt(1);
    fill(done);
    frame_.emplace(frame_of(out_));
    return read_answer(plan, *batch_, frame_->envelope().getBatchDone());
  }
  Answer accept(const std::function<void(Done)>& fill) {
    auto answer = read(fill);
    EXPECT_TRUE(answer.ok()) << answer.error().to_string();
    return answer.ok() ? std::move(*answer) : Answer();
  }
  void expect_refused(const std::function<void(Done)>& fill, const std::string& message,
                      ErrorCode code = ErrorCode::kProtocolViolation) {
    const auto answer = read(fill);
    ASSERT_FALSE(answer.ok()) << message;
    EXPECT_THAT(answer.error().message, HasSubstr(message));
    EXPECT_EQ(answer.error().code, code) << answer.error().to_string();
  }

  static wire::OutputGroup::Builder output(Done done, const TableSchema& schema,
                                           const std::vector<Row>& rows,
                                           const std::vector<uint32_t>& parents,
                                           const std::string& stream = "counts") {
    auto group = done.initOutputs(1)[0];
    group.setStream(stream);
    write_rows(group.initRows(), rows_of(schema, rows));
    group.setParents(as_data(std::span(parents)));
    return group;
  }
  static Row count(const std::string& word) { return {word, uint64_t{1}, Null()}; }

  static void state(wire::InternalStateDelta::Builder delta, const std::string& name,
                    const std::vector<uint32_t>& keys,
                    const std::vector<std::optional<std::string>>& values,
                    ColumnType type = ColumnType::kString) {
    const ColumnType types[] = {type};
    RowBatchBuilder builder{std::span(types)};
    for (const auto& value : values) {
      if (value) {
        builder.set_bytes(ColumnIndex(0), *value);
      }
      builder.finish_row();
    }
    delta.setName(name);
    delta.setKeyIndexes(as_data(std::span(keys)));
    write_column(delta.initValues(), builder.column_bytes()[0]);
  }
  static std::function<void(Done)> one_state(const std::string& name,
                                             const std::vector<uint32_t>& keys,
                                             const std::vector<std::optional<std::string>>& values,
                                             ColumnType type = ColumnType::kString) {
    return [=](Done done) { state(done.initInternalStates(1)[0], name, keys, values, type); };
  }

  // What the accepted answer changes, as "word/state=value" or "word/state cleared".
  std::vector<std::string> apply(const std::function<void(Done)>& fill) {
    const Answer answer = accept(fill);
    StateChanges changes;
    apply_states(plan, *batch_, answer, cache, changes);
    std::vector<std::string> texts;
    for (size_t i = 0; i < changes.size(); ++i) {
      const StateChanges::Row row = changes.row(i);
      for (const char* word : {"a", "b"}) {
        for (const StatePlan& one : plan.states) {
          if (row.key == row_key(word, one.number)) {
            std::string buffer;
            texts.push_back(fmt::format(
                "{}/{}{}", word, one.name.value(),
                row.cleared ? " cleared"
                            : fmt::format("={}", decode_state_value(row.value, buffer).value())));
          }
        }
      }
      EXPECT_TRUE(i == 0 || changes.row(i - 1).key < row.key) << "not sorted";
    }
    EXPECT_EQ(texts.size(), changes.size());
    return texts;
  }

  std::unique_ptr<Batch> batch_;
  FrameWriter out_;
  std::optional<Frame> frame_;
};

TEST_F(AnswerTest, AnEmptyAnswerIsOne) {
  const Answer answer = accept([](Done done) { done.initCost().setCpuTimeNs(123); });
  EXPECT_TRUE(answer.outputs.empty());
  EXPECT_TRUE(answer.states.empty());
  EXPECT_EQ(answer.cpu_time_ns, 123u);
}

TEST_F(AnswerTest, AnswersToAnotherBatchAreRefused) {
  expect_refused([](Done done) { done.setEpoch(4); },
                 "the answer is for epoch 4, attempt 1; epoch 5, attempt 1 is out");
  expect_refused([](Done done) { done.setAttempt(2); }, "the answer is for epoch 5, attempt 2");
}

TEST_F(AnswerTest, WhatTheJobDoesNotHaveIsRefused) {
  expect_refused([](Done done) { done.initTimers(1); }, "it sets timers");
  expect_refused([](Done done) { done.initCancelledTimers(1); }, "it sets timers");
  expect_refused([](Done done) { done.initExternalStates(1); }, "it changes external states");
}

// --- outputs

TEST_F(AnswerTest, EventTimesAreTheLeastOfTheParents) {
  const Answer answer = accept([](Done done) {
    auto group = output(done, kCounts, {count("x"), count("y"), count("z")}, {0, 1, 2, 0, 1, 0});
    const uint32_t offsets[] = {0, 1, 4, 6};
    group.setParentOffsets(as_data(std::span(offsets)));
  });
  ASSERT_EQ(answer.outputs.size(), 1u);
  EXPECT_EQ(answer.outputs[0].output, 0u);
  EXPECT_THAT(answer.outputs[0].event_timestamps, ElementsAre(30, 10, 20));
  const Answer single = accept([](Done done) {
    output(done, kCounts, {count("x"), count("y")}, {2, 1});
  });
  EXPECT_THAT(single.outputs[0].event_timestamps, ElementsAre(10, 20));
}

TEST_F(AnswerTest, EventTimesThatAreGivenCount) {
  const int64_t times[] = {-5, 8};
  const Answer answer = accept([&](Done done) {
    auto group = output(done, kCounts, {count("x"), count("y")}, {0, 1});
    group.setEventTimestamps(as_data(std::span(times)));
  });
  EXPECT_THAT(answer.outputs[0].event_timestamps, ElementsAre(-5, 8));
  expect_refused(
      [&](Done done) {
        output(done, kCounts, {count("x")}, {0}).setEventTimestamps(as_data(std::span(times)));
      },
      "eventTimestamps");
}

TEST_F(AnswerTest, OutputsThatDoNotFitAreRefused) {
  expect_refused([](Done done) { output(done, kCounts, {count("x")}, {0}, "words"); },
                 "it emits to the stream \"words\", which is not among the output_stream_ids of "
                 "computation \"count\"");
  const TableSchema narrow = schema({column("word", ColumnType::kString)});
  expect_refused([&](Done done) { output(done, narrow, {{std::string("x")}}, {0}); },
                 "it has 1 columns, the schema 3");
  expect_refused(
      [](Done done) {
        auto rows = output(done, kCounts, {count("x")}, {0}).getRows();
        rows.setRowCount(2);
      },
      "outputs of stream \"counts\": column 0", ErrorCode::kSchemaMismatch);
}

TEST_F(AnswerTest, ParentsThatDoNotFitAreRefused) {
  const auto with = [](std::vector<uint32_t> parents, std::vector<uint32_t> offsets) {
    return [=](Done done) {
      auto group = output(done, kCounts, {count("x"), count("y")}, parents);
      if (!offsets.empty()) {
        group.setParentOffsets(as_data(std::span(offsets)));
      }
    };
  };
  expect_refused(with({0}, {}), "outputs of stream \"counts\": 1 parents for 2 messages");
  expect_refused(with({0, 3}, {}), "message 1 has the parent 3, the batch has 3 inputs");
  expect_refused(with({0, 1}, {0, 2}), "parentOffsets");
  expect_refused(with({0, 1}, {1, 1, 2}), "parentOffsets do not span parents");
  expect_refused(with({0, 1}, {0, 1, 1}), "parentOffsets do not span parents");
  expect_refused(with({0, 1}, {0, 2, 2}), "message 1 has no parent");
  expect_refused(with({0, 1}, {0, 9, 2}), "message 0 has no parent");
  expect_refused(
      [](Done done) {
        auto group = output(done, kCounts, {count("x")}, {0});
        const uint8_t odd[] = {0, 0, 0, 0, 0};
        group.setParents(as_data(std::span<const uint8_t>(odd)));
      },
      "parents");
}

TEST_F(AnswerTest, OutputsThatWouldStopTheirConsumersAreRefused) {
  expect_refused(
      [](Done done) {
        output(done, kCounts, {count("x"), {std::string("y"), Null(), std::nan("")}}, {0, 1});
      },
      "outputs of stream \"counts\": message 1: NaN cannot be in the key of its consumer",
      ErrorCode::kSchemaMismatch);
  expect_refused(
      [](Done done) {
        output(done, kNotes, {{Null()}, {AnyValue{"{a=1"}}}, {0, 1}, "notes");
      },
      "outputs of stream \"notes\": message 1, column \"note\"", ErrorCode::kInvalidYson);
  accept([](Done done) { output(done, kNotes, {{Null()}, {AnyValue{"{a=1}"}}}, {0, 1}, "notes"); });
}

// --- states

TEST_F(AnswerTest, StatesAreSetAndCleared) {
  EXPECT_THAT(apply([](Done done) {
                auto states = done.initInternalStates(2);
                state(states[0], "seen", {0, 1}, {"{}", "[1;2]"});
                state(states[1], "n", {0, 1}, {std::nullopt, ""});
              }),
              ::testing::UnorderedElementsAre("a/seen={}", "b/seen=[1;2]", "a/n cleared", "b/n="));
  EXPECT_EQ(batch_->keys[0]->states()[0].presence, StateSlot::Presence::kAbsent);
  EXPECT_EQ(batch_->keys[1]->states()[0].presence, StateSlot::Presence::kPresent);
  EXPECT_EQ(batch_->keys[1]->states()[1].value, "[1;2]");
}

TEST_F(AnswerTest, WhatStaysTheSameIsNoChange) {
  EXPECT_THAT(apply(one_state("n", {0, 1}, {"17", std::nullopt})), ElementsAre());
  EXPECT_THAT(apply(one_state("n", {1}, {""})), ElementsAre("b/n="))
      << "absent and empty are two things";
  EXPECT_THAT(apply(one_state("n", {1}, {""})), ElementsAre());
}

TEST_F(AnswerTest, StatesThatDoNotFitAreRefused) {
  expect_refused(one_state("m", {0}, {"1"}),
                 "it changes the state \"m\", which computation \"count\" does not declare");
  expect_refused(one_state("n", {2}, {"1"}),
                 "it changes state \"n\" of key 2, the batch has 2 keys");
  expect_refused(one_state("n", {1, 0}, {"1", "2"}),
                 "the key indexes of state \"n\" do not ascend at entry 1");
  expect_refused(one_state("n", {1, 1}, {"1", "2"}), "do not ascend");
  expect_refused(one_state("n", {0, 1}, {"1"}), "state \"n\"", ErrorCode::kSchemaMismatch);
  expect_refused(one_state("n", {0}, {"1"}, ColumnType::kAny),
                 "the values of state \"n\" are not a string column");
  expect_refused(one_state("seen", {0}, {"{"}), "state \"seen\" of computation \"count\", key 0",
                 ErrorCode::kInvalidYson);
  expect_refused(
      [](Done done) {
        auto states = done.initInternalStates(2);
        state(states[0], "n", {0}, {"1"});
        state(states[1], "n", {1}, {"1"});
      },
      "it has two deltas of state \"n\"");
}

TEST_F(AnswerTest, AValueOverTheLimitIsRefused) {
  const auto answer = read(one_state("n", {1}, {std::string(limits::kValueBytesLimit + 1, 'x')}));
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().code, ErrorCode::kLimitExceeded);
  EXPECT_THAT(answer.error().message, HasSubstr("state \"n\""));
}

TEST_F(AnswerTest, ARefusedAnswerChangesNothing) {
  expect_refused(
      [](Done done) {
        auto states = done.initInternalStates(2);
        state(states[0], "n", {0}, {"1"});
        state(states[1], "seen", {0}, {"{"});
      },
      "seen", ErrorCode::kInvalidYson);
  EXPECT_EQ(batch_->keys[0]->states()[0].value, "17");
}

// --- failures

TEST_F(AnswerTest, AFailureNamesItsInput) {
  auto failed = out_.begin().initBatchFailed();
  failed.setEpoch(5);
  failed.setAttempt(1);
  failed.initError().setCode(static_cast<uint16_t>(ErrorCode::kUserCodeFailed));
  failed.getError().setMessage("boom");
  failed.setExceptionType("std::logic_error");
  failed.setHasInput(true);
  failed.setOrder(2);
  failed.setTrace("at line 3");
  Frame frame = frame_of(out_);
  const auto failure = read_failure(plan, *batch_, frame.envelope().getBatchFailed());
  ASSERT_TRUE(failure.ok()) << failure.error().to_string();
  EXPECT_EQ(failure->error.code, ErrorCode::kUserCodeFailed);
  EXPECT_EQ(failure->error.message, "std::logic_error: boom");
  EXPECT_EQ(failure->exception_type, "std::logic_error");
  EXPECT_EQ(failure->order, OrderPosition(2));
  EXPECT_EQ(failure->input, describe_input(plan, *batch_, OrderPosition(2)));
  EXPECT_EQ(failure->trace, "at line 3");

  failed.setOrder(3);
  frame = frame_of(out_);
  const auto outside = read_failure(plan, *batch_, frame.envelope().getBatchFailed());
  ASSERT_FALSE(outside.ok());
  EXPECT_EQ(outside.error().message, "the failed input is 3, the batch has 3 inputs");
  failed.setHasInput(false);
  frame = frame_of(out_);
  EXPECT_EQ(read_failure(plan, *batch_, frame.envelope().getBatchFailed())->input, "");
  EXPECT_EQ(read_failure(plan, *batch_, frame.envelope().getBatchFailed())->order, std::nullopt);
  failed.setEpoch(6);
  frame = frame_of(out_);
  EXPECT_EQ(read_failure(plan, *batch_, frame.envelope().getBatchFailed()).error().code,
            ErrorCode::kProtocolViolation);
}

}  // namespace
}  // namespace retinue::worker::testing
