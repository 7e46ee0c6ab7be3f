#include "protocol/frame/wire_values.h"
#include "tests/unit/protocol/vectors/vector_set.h"

namespace retinue::vectors {

namespace {

wire::BatchDone::Builder begin_done(wire::Envelope::Builder envelope) {
  auto done = envelope.initBatchDone();
  done.setJob(kJob);
  done.setEpoch(kEpoch);
  done.setAttempt(1);
  return done;
}

void set_counts(wire::OutputGroup::Builder group, const std::vector<Row>& rows) {
  group.setStream("counts");
  group.setRevision(1);
  write_rows_of(group.initRows(), words_schema(), rows);
}

void add_outputs(VectorSet& set) {
  set.add("batch_done_nothing", [](wire::Envelope::Builder envelope) { begin_done(envelope); });
  set.add("batch_done_outputs", [](wire::Envelope::Builder envelope) {
    auto done = begin_done(envelope);
    auto group = done.initOutputs(1)[0];
    set_counts(group, {{std::string("a"), int64_t{3}}, {std::string("b"), int64_t{1}}});
    group.setParents(data(u32s({2, 1})));
    done.initCost().setCpuTimeNs(1'200);
    done.getCost().setWallTimeNs(3'400);
  });
  // One row of three parents, one of one, with event times of their own.
  set.add("batch_done_outputs_parents", [](wire::Envelope::Builder envelope) {
    auto group = begin_done(envelope).initOutputs(1)[0];
    set_counts(group, {{std::string("a"), int64_t{3}}, {std::string("b"), Null{}}});
    group.setParents(data(u32s({0, 1, 2, 3})));
    group.setParentOffsets(data(u32s({0, 3, 4})));
    group.setEventTimestamps(data(i64s({kNowUs - 1, kNowUs + 1})));
  });
}

void add_timers(VectorSet& set) {
  set.add("batch_done_timers", [](wire::Envelope::Builder envelope) {
    auto done = begin_done(envelope);
    auto timers = done.initTimers(2);
    timers[0].setStream("flush");
    timers[0].setKeyIndexes(data(u32s({0, 2})));
    timers[0].setTriggers(data(i64s({kNowUs + 1'000'000, kNowUs + 2'000'000})));
    timers[0].setParents(data(u32s({0, 1})));
    timers[1].setStream("expire");
    timers[1].setKeyIndexes(data(u32s({1})));
    timers[1].setTriggers(data(i64s({kNowUs + 3'000'000})));
    timers[1].setEventTimestamps(data(i64s({kNowUs})));
    timers[1].setParents(data(u32s({3})));
    auto cancelled = done.initCancelledTimers(1)[0];
    cancelled.setStream("flush");
    cancelled.setKeyIndexes(data(u32s({1})));
    cancelled.setTriggers(data(i64s({kNowUs + 500'000})));
  });
}

void add_deltas(VectorSet& set) {
  // Set, set to no bytes, clear.
  set.add("batch_done_internal_states", [](wire::Envelope::Builder envelope) {
    auto deltas = begin_done(envelope).initInternalStates(2);
    deltas[0].setName("counter");
    deltas[0].setKeyIndexes(data(u32s({0, 1, 3})));
    write_strings(deltas[0].initValues(), {std::string("13"), std::string(), Null{}});
    deltas[1].setName("settings");
    deltas[1].setKeyIndexes(data(u32s({2})));
    write_strings(deltas[1].initValues(), {std::string("{a=2}")});
  });
  // Key 0: columns 1 and 2 change, name stays. Key 3: the whole row goes.
  set.add("batch_done_row_states_columns", [](wire::Envelope::Builder envelope) {
    auto delta = begin_done(envelope).initExternalStates(1)[0];
    delta.setName("/profiles");
    delta.setRevision(1);
    delta.setKeyIndexes(data(u32s({0, 3})));
    delta.setCleared(data(bits({false, true})));
    auto columns = delta.initColumns(2);
    columns.set(0, 1);
    columns.set(1, 2);
    write_rows_of(delta.initRows(),
                  TableSchema::create({{"visits", ColumnType::kUint64, false, ""},
                                       {"active", ColumnType::kBoolean, false, ""}})
                      .value(),
                  {{uint64_t{4}, Null{}}, {Null{}, Null{}}});
  });
  set.add("batch_done_row_states_whole", [](wire::Envelope::Builder envelope) {
    auto delta = begin_done(envelope).initExternalStates(1)[0];
    delta.setName("/profiles");
    delta.setRevision(1);
    delta.setKeyIndexes(data(u32s({1})));
    write_rows_of(delta.initRows(), profile_schema(), {{std::string("Bob"), uint64_t{1}, true}});
  });
}

void add_failures(VectorSet& set) {
  set.add("batch_failed_input", [](wire::Envelope::Builder envelope) {
    auto failed = envelope.initBatchFailed();
    failed.setJob(kJob);
    failed.setEpoch(kEpoch);
    failed.setAttempt(1);
    write_error(failed.initError(), {ErrorCode::kUserCodeFailed, "division by zero"});
    failed.setHasInput(true);
    failed.setOrder(2);
    failed.setExceptionType("ZeroDivisionError");
    failed.setTrace("Traceback (most recent call last):\n  File \"count.py\", line 3, in ratio\n");
  });
  set.add("batch_failed_whole", [](wire::Envelope::Builder envelope) {
    auto failed = envelope.initBatchFailed();
    failed.setJob(kJob);
    failed.setEpoch(kEpoch);
    failed.setAttempt(3);
    write_error(failed.initError(),
                {ErrorCode::kLimitExceeded, "the answer takes 70000000 bytes, a frame 67108864"},
                "Lower max_bytes_per_batch.");
  });
}

}  // namespace

void add_answer_vectors(VectorSet& set) {
  add_outputs(set);
  add_timers(set);
  add_deltas(set);
  add_failures(set);
}

}  // namespace retinue::vectors
