// BatchView: a Batch, checked as a whole and then read in place.
//
// A companion processes the inputs of one key in their total order across all groups; inputs()
// lists every input of the batch in that order. Threads: one at a time. Borrows: the frame and the
// JobSpec that open() was given.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "companion_sdk/core/job_spec.h"
#include "protocol/base/clock.h"
#include "protocol/base/ids.h"
#include "protocol/base/result.h"
#include "protocol/schema/companion.capnp.h"
#include "protocol/values/row_batch.h"

namespace retinue::companion {

enum class InputKind : uint8_t { kMessage, kTimer, kVisit };

// Where an input lies: a row of one of the batch's groups of its kind.
struct InputRef {
  InputKind kind = InputKind::kMessage;
  uint32_t group = 0;
  uint32_t row = 0;
};

// Consecutive messages with consecutive ids.
struct MessageRun {
  uint32_t end_row = 0;
  uint32_t count = 0;
  uint64_t sequence = 0;
  uint32_t first_index = 0;
  Timestamp system_timestamp;
};

struct MessageGroupView {
  StreamIndex stream;
  RowBatchView rows;  // fewer columns than the stream's schema when written under an older revision
  std::span<const uint32_t> key_indexes;
  std::vector<MessageRun> runs;
  std::span<const int64_t> event_timestamps;  // empty: the system timestamps
  std::span<const uint8_t> late_bitmap;       // empty: none is late

  const MessageRun& run(uint32_t row) const;
  MessageId id(uint32_t row) const;
  Timestamp system_timestamp(uint32_t row) const { return run(row).system_timestamp; }
  Timestamp event_timestamp(uint32_t row) const {
    return event_timestamps.empty() ? system_timestamp(row) : Timestamp(event_timestamps[row]);
  }
  bool is_late(uint32_t row) const {
    return !late_bitmap.empty() && bitmap_get(late_bitmap.data(), row);
  }
};

struct TimerGroupView {
  StreamIndex stream;
  std::span<const uint32_t> key_indexes;
  std::span<const int64_t> triggers;
  std::span<const int64_t> event_timestamps;  // equal to triggers when the batch left them out
};

struct VisitGroupView {
  StreamIndex stream;
  std::span<const uint32_t> key_indexes;
  std::span<const int64_t> event_timestamps;  // empty: the batch's now()
  uint64_t pass = 0;
};

enum class StatePresence : uint8_t { kNotLoaded, kAbsent, kPresent };

struct StateValue {
  StatePresence presence = StatePresence::kNotLoaded;
  std::string_view bytes;  // kPresent only
};

class BatchView {
 public:
  // Forgets the last batch and reads another; buffers are reused. Runs under decode_guarded.
  // Errors: kProtocolViolation (kSchemaMismatch, kLimitExceeded for rows) that names the field.
  Result<void> open(const JobSpec& job, wire::Batch::Reader in);

  const JobSpec& job() const { return *job_; }
  Epoch epoch() const { return epoch_; }
  uint32_t attempt() const { return attempt_; }
  Timestamp deadline() const { return deadline_; }
  Timestamp now() const { return now_; }
  // nullopt: the worker told none.
  std::optional<Timestamp> watermark(StreamIndex stream) const {
    return watermarks_[stream.value()];
  }

  const RowBatchView& keys() const { return keys_; }
  std::span<const MessageGroupView> messages() const { return messages_; }
  std::span<const TimerGroupView> timers() const { return timers_; }
  std::span<const VisitGroupView> visits() const { return visits_; }

  // Every input; input i has order position i.
  std::span<const InputRef> inputs() const { return inputs_; }
  // Precondition of these: the position is below inputs().size().
  StreamIndex stream(OrderPosition order) const;
  KeyIndex key_index(OrderPosition order) const;
  Timestamp event_timestamp(OrderPosition order) const;

  // What was loaded of a state. Precondition: a key of the batch.
  StateValue state(StateIndex state, KeyIndex key) const;

 private:
  struct StateColumn {
    bool is_shipped = false;
    std::span<const uint8_t> loaded;  // empty: every key
    RowBatchView values;              // one column
  };

  Result<StreamIndex> find_stream(capnp::Text::Reader name, StreamRole role) const;
  Result<std::span<const uint32_t>> read_key_indexes(capnp::Data::Reader in, uint32_t count) const;
  Result<void> read_watermarks(wire::Batch::Reader in);
  Result<void> read_messages(wire::MessageGroup::Reader in);
  Result<void> read_timers(wire::TimerGroup::Reader in);
  Result<void> read_visits(wire::VisitGroup::Reader in);
  Result<void> read_state(wire::InternalStates::Reader in);
  // Puts the rows of a group into inputs_; `orders` empty: their own order.
  Result<void> place(InputKind kind, uint32_t group, uint32_t count,
                     std::span<const uint32_t> orders);

  const JobSpec* job_ = nullptr;
  Epoch epoch_;
  uint32_t attempt_ = 0;
  Timestamp deadline_;
  Timestamp now_;
  std::vector<std::optional<Timestamp>> watermarks_;  // a stream of the job
  RowBatchView keys_;
  std::vector<MessageGroupView> messages_;
  std::vector<TimerGroupView> timers_;
  std::vector<VisitGroupView> visits_;
  std::vector<InputRef> inputs_;
  std::vector<uint8_t> is_placed_;   // an order position
  std::vector<StateColumn> states_;  // a state of the job
};

}  // namespace retinue::companion
