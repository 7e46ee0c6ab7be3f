// A computation `count` that reads words and marks, keyed by word, and emits counts and notes.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "protocol/frame/frame_reader.h"
#include "protocol/frame/frame_writer.h"
#include "protocol/frame/wire_values.h"
#include "protocol/values/farm_hash.h"
#include "protocol/values/value.h"
#include "tests/unit/worker/engine/memory_store.h"
#include "worker/epoch/answer.h"
#include "worker/epoch/assemble.h"
#include "worker/epoch/scatter.h"
#include "worker/epoch/ship.h"
#include "worker/state/state_value.h"

namespace retinue::worker::testing {

inline Column column(std::string name, ColumnType type, bool required = false,
                     std::string expression = "") {
  return {.name = std::move(name),
          .type = type,
          .required = required,
          .expression = std::move(expression)};
}

inline TableSchema schema(std::vector<Column> columns) {
  return TableSchema::create(std::move(columns)).value();
}

inline RowBatchBuilder rows_of(const TableSchema& schema, const std::vector<Row>& rows) {
  RowBatchBuilder builder(schema);
  for (const Row& row : rows) {
    EXPECT_TRUE(append_row(builder, schema, row).ok());
  }
  return builder;
}

inline Frame frame_of(FrameWriter& writer) {
  const std::string bytes = writer.to_bytes();
  auto words = kj::heapArray<capnp::word>(bytes.size() / sizeof(capnp::word));
  std::memcpy(words.begin(), bytes.data(), bytes.size());
  return Frame::open(std::move(words)).value();
}

inline const TableSchema kWords =
    schema({column("word", ColumnType::kString), column("n", ColumnType::kInt64)});
inline const TableSchema kMarks =
    schema({column("at", ColumnType::kInt64), column("word", ColumnType::kString)});
inline const TableSchema kCounts =
    schema({column("word", ColumnType::kString, true), column("count", ColumnType::kUint64),
            column("rate", ColumnType::kDouble)});
inline const TableSchema kNotes = schema({column("note", ColumnType::kAny)});

inline ComputationPlan count_plan() {
  ComputationPlan plan;
  plan.id = ComputationId("count");
  plan.owner = OwnerNumber(7);
  plan.key_schema = schema({column("hash", ColumnType::kUint64, false, "farm_hash(word)"),
                            column("word", ColumnType::kString)});
  plan.inputs.push_back({.stream = StreamId("words"),
                         .schema = kWords,
                         .key = KeyExtractor::create(plan.key_schema, kWords).value()});
  plan.inputs.push_back({.stream = StreamId("marks"),
                         .schema = kMarks,
                         .key = KeyExtractor::create(plan.key_schema, kMarks).value()});
  const TableSchema by_rate = schema({column("rate", ColumnType::kDouble)});
  plan.outputs.push_back({.stream = StreamId("counts"), .schema = kCounts, .consumers = {}});
  plan.outputs[0].consumers.push_back(
      {.owner = OwnerNumber(8),
       .partition_count = 4,
       .key = KeyExtractor::create(plan.key_schema, kCounts).value()});
  plan.outputs[0].consumers.push_back({.owner = OwnerNumber(9),
                                       .partition_count = 1,
                                       .key = KeyExtractor::create(by_rate, kCounts).value()});
  plan.outputs[0].consumers.push_back(
      {.owner = OwnerNumber(10), .partition_count = 5, .key = std::nullopt});
  plan.outputs.push_back({.stream = StreamId("notes"), .schema = kNotes, .consumers = {}});
  plan.states.push_back(
      {.name = StateName("n"), .number = StateNumber(3), .format = StateFormat::kRaw});
  plan.states.push_back(
      {.name = StateName("seen"), .number = StateNumber(4), .format = StateFormat::kYson});
  return plan;
}

class EpochFixture : public ::testing::Test {
 protected:
  // A block of an inbox, as an epoch at `now` would have sent it.
  static std::shared_ptr<const MessageBlock> block(
      const std::string& stream, const TableSchema& rows_schema, const std::vector<Row>& rows,
      uint64_t sequence, int64_t now = 1000, const std::vector<int64_t>& event_timestamps = {}) {
    const RowBatchBuilder builder = rows_of(rows_schema, rows);
    return MessageBlock::open(encode_message_block({.stream = stream,
                                                    .revision = SchemaRevision(1),
                                                    .first_id = {.sequence = sequence, .index = 10},
                                                    .system_timestamp = Timestamp(now),
                                                    .event_timestamp = Timestamp(now)},
                                                   builder.view(), event_timestamps))
        .value();
  }
  static std::shared_ptr<const MessageBlock> words(const std::vector<std::string>& words,
                                                   uint64_t sequence = 1) {
    std::vector<Row> rows;
    for (const std::string& word : words) {
      rows.push_back({word, int64_t{1}});
    }
    return block("words", kWords, rows, sequence);
  }
  static InboxRun whole(const std::shared_ptr<const MessageBlock>& block) {
    return {.sequence = BlockSequence(1), .block = block, .begin = 0, .end = block->row_count()};
  }

  std::string row_key(const std::string& word, StateNumber state) const {
    std::string key;
    append_state_row_key(key, plan.owner, stored_key(plan.key_schema, {word}).value(), state);
    return key;
  }
  void put_state(const std::string& word, uint32_t state, const std::string& value) {
    store.put_state(row_key(word, plan.states[state].number), kStoredPlain + value);
  }
  std::unique_ptr<Batch> assemble(const std::vector<InboxRun>& runs) {
    auto batch = assembler.assemble(runs);
    EXPECT_TRUE(batch.ok()) << batch.error().to_string();
    auto loaded = assembler.preload(**batch);
    EXPECT_TRUE(loaded.ok());
    (*batch)->epoch = Epoch(5);
    (*batch)->attempt = 1;
    (*batch)->now = Timestamp(2000);
    return std::move(*batch);
  }

  const ComputationPlan plan = count_plan();
  MemoryStore store;
  StateCache cache{plan.states.size(), 1 << 20};
  BatchAssembler assembler{plan, cache, store};
};

}  // namespace retinue::worker::testing
