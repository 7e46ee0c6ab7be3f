// Reading a companion's answer: nothing of it is believed before it is checked.
//
// read_answer checks a BatchDone as a whole against the batch it answers and changes nothing;
// apply_states then turns its deltas into state changes, in the cache and for the store.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "protocol/base/result.h"
#include "protocol/frame/wire_values.h"
#include "worker/epoch/batch.h"
#include "worker/epoch/computation_plan.h"
#include "worker/store/state_changes.h"

namespace retinue::worker {

// The messages emitted to one stream. Borrows: the answer's frame.
struct AnsweredOutput {
  uint32_t output = 0;  // index into ComputationPlan::outputs
  RowBatchView rows;
  std::vector<int64_t> event_timestamps;  // microseconds, one a row
};

// The changes of one state. Borrows: the answer's frame.
struct AnsweredState {
  uint32_t state = 0;  // index into ComputationPlan::states
  std::span<const uint32_t> key_indexes;
  RowBatchView values;  // one string column; null: clear
};

struct Answer {
  std::vector<AnsweredOutput> outputs;
  std::vector<AnsweredState> states;
  uint64_t cpu_time_ns = 0;
};

// Errors: kProtocolViolation that names the field, kMalformedFrame, kLimitExceeded,
// kSchemaMismatch; each means that the companion broke the protocol.
Result<Answer> read_answer(const ComputationPlan& plan, const Batch& batch,
                           wire::BatchDone::Reader done);

// Writes the changes into the cache's entries and into `changes`. A value with the same bytes as
// the one there is no change.
void apply_states(const ComputationPlan& plan, const Batch& batch, const Answer& answer,
                  StateCache& cache, StateChanges& changes);

// What a companion says of a batch that failed.
struct BatchFailure {
  Error error;  // with the exception's type before its message, if there is one
  std::optional<OrderPosition> order;  // of the input that failed; nullopt when it does not say
  std::string input;                   // describe_input of that
  std::string exception_type;
  std::string trace;
};

// Errors: as read_answer.
Result<BatchFailure> read_failure(const ComputationPlan& plan, const Batch& batch,
                                  wire::BatchFailed::Reader failed);

}  // namespace retinue::worker
