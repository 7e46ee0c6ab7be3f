// BatchAnswer: what the handlers of one batch bring about, collected and written into a BatchDone.
//
// One a job, reused from batch to batch: buffers keep their size, so the steady state allocates
// nothing a message.
// Threads: one at a time. Borrows: the JobSpec, and the BatchView between begin() and write().
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "companion_sdk/core/batch_view.h"
#include "companion_sdk/core/job_spec.h"
#include "companion_sdk/core/output_rows.h"
#include "companion_sdk/core/state_deltas.h"
#include "protocol/base/result.h"
#include "protocol/schema/companion.capnp.h"

namespace retinue::companion {

class BatchAnswer {
 public:
  explicit BatchAnswer(const JobSpec& job);

  // Forgets the last batch, and follows the job's updates.
  void begin(const BatchView& batch);

  // Precondition: an output stream of the job.
  OutputRows& output(StreamIndex stream);

  // Setting the bytes that were loaded, or clearing what is absent, sends nothing.
  // Precondition of both: a key of the batch.
  void set_state(StateIndex state, KeyIndex key, std::string_view bytes);
  void clear_state(StateIndex state, KeyIndex key);

  // Precondition of both: a timer stream of the job, and a key of the batch. A timer without an
  // event time gets its trigger's. Of setting and cancelling the same timer the last one counts.
  void add_timer(StreamIndex stream, KeyIndex key, Timestamp trigger,
                 std::optional<Timestamp> event_timestamp, OrderPosition parent);
  void cancel_timer(StreamIndex stream, KeyIndex key, Timestamp trigger);

  void set_cost(uint64_t cpu_time_ns, uint64_t wall_time_ns);

  // Errors: kSchemaMismatch naming stream and column; kLimitExceeded when it cannot fit a frame.
  Result<void> write(wire::BatchDone::Builder out);

 private:
  struct Timers {
    std::vector<uint32_t> keys;
    std::vector<int64_t> triggers;
    std::vector<int64_t> event_timestamps;  // new timers only, as are the parents
    std::vector<uint32_t> parents;
    std::vector<uint32_t> turns;  // when each was asked for, among all of the batch

    void clear();
  };

  // On the wire cancelling comes before setting: takes out what was set and then cancelled.
  static void settle(Timers& set, const Timers& cancelled);

  Result<void> check() const;
  void write_outputs(wire::BatchDone::Builder out) const;
  void write_timers(wire::BatchDone::Builder out) const;
  void write_states(wire::BatchDone::Builder out) const;

  const JobSpec& job_;
  const BatchView* batch_ = nullptr;
  uint32_t updates_seen_ = 0;
  // One a stream of the job; those of other roles stay empty.
  std::vector<OutputRows> outputs_;
  std::vector<Timers> new_timers_;
  std::vector<Timers> cancelled_timers_;
  uint32_t next_turn_ = 0;
  std::vector<StateDeltas> states_;
  uint64_t cpu_time_ns_ = 0;
  uint64_t wall_time_ns_ = 0;
};

}  // namespace retinue::companion
