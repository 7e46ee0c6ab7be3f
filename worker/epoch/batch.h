// Batch: what one epoch processes: messages in their total order, and their keys with their states.
//
// Made by BatchAssembler (assemble.h), shipped by write_batch (ship.h), and finished by the answer
// (answer.h). Its keys stay in the partition's StateCache until its stamp ends there.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "protocol/base/clock.h"
#include "protocol/base/ids.h"
#include "protocol/values/row_batch.h"
#include "worker/epoch/computation_plan.h"
#include "worker/state/state_cache.h"
#include "worker/stream/inbox.h"

namespace retinue::worker {

// Consecutive messages of one stream with consecutive ids: rows [begin, end) of `rows`.
struct MessageRun {
  uint32_t input = 0;                         // index into ComputationPlan::inputs
  std::shared_ptr<const MessageBlock> block;  // nullptr: rows of a source, in `source_rows`
  const RowBatchView* source_rows = nullptr;
  uint32_t begin = 0;
  uint32_t end = 0;
  MessageId first_id;  // of row `begin`
  Timestamp system_timestamp;

  uint32_t size() const { return end - begin; }
  const RowBatchView& rows() const { return block ? block->rows() : *source_rows; }
  Timestamp event_timestamp(uint32_t row) const {
    return block ? block->event_timestamp(row) : system_timestamp;
  }
};

// Threads: one. Order position i is the i-th row of the runs, taken one after the other.
struct Batch {
  Epoch epoch;
  uint32_t attempt = 0;  // how often it was shipped
  Timestamp now;
  std::vector<MessageRun> runs;
  uint32_t row_count = 0;
  std::vector<uint32_t> key_indexes;  // by order position
  std::vector<KeyEntry*> keys;
  RowBatchBuilder key_rows;  // by the key schema, one row a key
  BatchStamp stamp;
  std::vector<uint32_t> unloaded_keys;  // those with a state that is not in the cache

  // The run and the row of an order position. Precondition: position < row_count.
  std::pair<const MessageRun*, uint32_t> find(OrderPosition position) const;
  // Event timestamps in microseconds, by order position.
  std::vector<int64_t> event_timestamps() const;
  // Of messages and loaded states, about as they are on the wire.
  size_t byte_size() const;
};

// For a person: `message 1a2b:7 of stream "words" with key ("debian"): {"word":"debian","n":1}`.
// What it holds is clipped.
std::string describe_input(const ComputationPlan& plan, const Batch& batch, OrderPosition position);

}  // namespace retinue::worker
