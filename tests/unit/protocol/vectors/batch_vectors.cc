#include <limits>

#include "tests/unit/protocol/vectors/vector_set.h"

namespace retinue::vectors {

namespace {

wire::Batch::Builder begin_batch(wire::Envelope::Builder envelope, const std::vector<Row>& keys) {
  auto batch = envelope.initBatch();
  batch.setJob(kJob);
  batch.setEpoch(kEpoch);
  batch.setAttempt(1);
  batch.setDeadlineUs(kNowUs + 60'000'000);
  batch.setNowUs(kNowUs);
  write_rows_of(batch.initKeys(), key_schema(), keys);
  return batch;
}

void set_run(wire::MessageRun::Builder out, uint32_t count, uint64_t sequence, uint32_t first) {
  out.setCount(count);
  out.setSequence(sequence);
  out.setFirstIndex(first);
  out.setSystemTimestampUs(kNowUs - 1'000);
}

void set_words(wire::MessageGroup::Builder group, const std::vector<Row>& rows) {
  group.setStream("words");
  group.setRevision(1);
  write_rows_of(group.initRows(), words_schema(), rows);
}

std::vector<Row> every_row() {
  return {{int64_t{-1}, uint64_t{1}, 0.5, true, std::string("text"), AnyValue{"\x01\x04hi"}},
          {Null{}, Null{}, Null{}, Null{}, Null{}, Null{}},
          {std::numeric_limits<int64_t>::min(), std::numeric_limits<uint64_t>::max(), -0.0, false,
           std::string(), AnyValue{"#"}},
          {std::numeric_limits<int64_t>::max(), Null{}, std::numeric_limits<double>::infinity(),
           Null{}, std::string("a\0b\xff", 4), Null{}},
          {Null{}, uint64_t{0}, Null{}, true, Null{}, AnyValue{"{a=1}"}}};
}

// Every type, nulls in every column, and a key of every row.
void add_columns(VectorSet& set) {
  auto build = [](const std::vector<Row>& rows, const std::vector<uint8_t>& keys) {
    return [rows, keys](wire::Envelope::Builder envelope) {
      auto batch = begin_batch(envelope, {key("a")});
      auto group = batch.initMessages(1)[0];
      group.setStream("every");
      group.setRevision(3);
      write_rows_of(group.initRows(), every_schema(), rows);
      group.setKeyIndexes(data(keys));
      set_run(group.initRuns(1)[0], static_cast<uint32_t>(rows.size()), 41, 0);
    };
  };
  set.add("batch_columns", build(every_row(), u32s({0, 0, 0, 0, 0})));
  set.add("batch_columns_all_null", build({every_row()[1]}, u32s({0})));
  // Nine rows: the bitmaps take a second byte.
  std::vector<Row> nine(9, every_row()[0]);
  nine[8] = every_row()[1];
  set.add("batch_columns_nine_rows", build(nine, u32s({0, 0, 0, 0, 0, 0, 0, 0, 0})));
}

void add_messages(VectorSet& set) {
  set.add("batch_messages", [](wire::Envelope::Builder envelope) {
    auto batch = begin_batch(envelope, {key("a"), key("b")});
    auto watermark = batch.initWatermarks(1)[0];
    watermark.setStream("words");
    watermark.setTimestampUs(kNowUs - 2'000'000);
    auto group = batch.initMessages(1)[0];
    set_words(group, {{std::string("a"), int64_t{1}},
                      {std::string("b"), int64_t{1}},
                      {std::string("a"), int64_t{2}}});
    group.setKeyIndexes(data(u32s({0, 1, 0})));
    auto runs = group.initRuns(2);
    set_run(runs[0], 2, 40, 17);
    set_run(runs[1], 1, 41, 0);
  });
  set.add("batch_messages_event_times", [](wire::Envelope::Builder envelope) {
    auto batch = begin_batch(envelope, {key("a")});
    batch.setAttempt(2);
    auto group = batch.initMessages(1)[0];
    set_words(group, {{std::string("a"), Null{}}, {std::string("a"), int64_t{5}}});
    group.setKeyIndexes(data(u32s({0, 0})));
    set_run(group.initRuns(1)[0], 2, 40, 0);
    group.setEventTimestamps(data(i64s({kNowUs - 9'000'000, kNowUs - 500})));
    group.setLate(data(bits({true, false})));
  });
  // Revision 1 had the first column only; a reader takes the others for null.
  set.add("batch_messages_older_revision", [](wire::Envelope::Builder envelope) {
    auto batch = begin_batch(envelope, {key("a")});
    auto group = batch.initMessages(1)[0];
    group.setStream("words");
    group.setRevision(1);
    write_rows_of(group.initRows(),
                  TableSchema::create({{"word", ColumnType::kString, true, ""}}).value(),
                  {{std::string("a")}});
    group.setKeyIndexes(data(u32s({0})));
    set_run(group.initRuns(1)[0], 1, 40, 0);
  });
  set.add("batch_no_rows", [](wire::Envelope::Builder envelope) {
    auto batch = begin_batch(envelope, {});
    set_words(batch.initMessages(1)[0], {});
  });
  set.add("batch_nothing",
          [](wire::Envelope::Builder envelope) { envelope.initBatch().setJob(kJob); });
}

// Two streams, a timer group and a visit group in one order: 0 and 4, 1, 2 and 5, 3.
void add_mixed(VectorSet& set) {
  set.add("batch_mixed_order", [](wire::Envelope::Builder envelope) {
    auto batch = begin_batch(envelope, {key("a"), key("b"), key("c")});
    auto groups = batch.initMessages(2);
    set_words(groups[0], {{std::string("a"), int64_t{1}}, {std::string("b"), int64_t{1}}});
    groups[0].setKeyIndexes(data(u32s({0, 1})));
    groups[0].setOrders(data(u32s({0, 4})));
    set_run(groups[0].initRuns(1)[0], 2, 40, 0);
    set_words(groups[1], {{std::string("a"), int64_t{2}}});
    groups[1].setStream("more-words");
    groups[1].setKeyIndexes(data(u32s({0})));
    groups[1].setOrders(data(u32s({1})));
    set_run(groups[1].initRuns(1)[0], 1, 12, 3);
    auto timers = batch.initTimers(1)[0];
    timers.setStream("flush");
    timers.setCount(2);
    timers.setKeyIndexes(data(u32s({0, 2})));
    timers.setOrders(data(u32s({2, 5})));
    timers.setTriggers(data(i64s({kNowUs - 100, kNowUs})));
    auto visits = batch.initVisits(1)[0];
    visits.setStream("sweep");
    visits.setCount(1);
    visits.setKeyIndexes(data(u32s({2})));
    visits.setOrders(data(u32s({3})));
    visits.setPass(6);
  });
  set.add("batch_timers_event_times", [](wire::Envelope::Builder envelope) {
    auto batch = begin_batch(envelope, {key("a")});
    auto timers = batch.initTimers(1)[0];
    timers.setStream("flush");
    timers.setCount(1);
    timers.setKeyIndexes(data(u32s({0})));
    timers.setOrders(data(u32s({0})));
    timers.setTriggers(data(i64s({kNowUs - 100})));
    timers.setEventTimestamps(data(i64s({kNowUs - 7'000'000})));
  });
}

}  // namespace

void add_batch_vectors(VectorSet& set) {
  add_columns(set);
  add_messages(set);
  add_mixed(set);
}

}  // namespace retinue::vectors
