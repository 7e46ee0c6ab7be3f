// DeadLetter: an input that a function failed on, alone and again and again, and what was said of
// it; as the store keeps it, or as a message of a dead-letter stream.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "protocol/base/clock.h"
#include "protocol/base/ids.h"
#include "protocol/base/result.h"
#include "protocol/values/row_batch.h"
#include "worker/epoch/answer.h"
#include "worker/epoch/batch.h"
#include "worker/epoch/computation_plan.h"

namespace retinue::worker {

inline constexpr char kDeadMessage[] = "message";

struct DeadLetter {
  std::string kind = kDeadMessage;
  std::string block;  // of a message: a MessageBlock of that one row
  std::string key;    // a YSON map of the key's plain columns
  Error error;
  std::string exception_type;
  std::string trace;
  uint64_t attempts = 0;  // failed batches that it was in
  Timestamp failed_at;
};

struct FailedInput {
  const ComputationPlan& plan;
  const Batch& batch;
  OrderPosition order;
  const BatchFailure& failure;
  uint64_t attempts = 0;
  Timestamp failed_at;
};
DeadLetter make_dead_letter(const FailedInput& input);

// A YSON map, on disk: fields are only ever added.
std::string encode_dead_letter(const DeadLetter& letter);
// Errors: kDataCorrupted.
Result<DeadLetter> decode_dead_letter(std::string_view record);

// `1a2b:7`, as describe_input has it.
std::string message_id_text(MessageId id);

// The letter of a failed input as one row of a dead-letter stream.
// Errors: kLimitExceeded when the message is too large for one value.
Result<RowBatchBuilder> dead_letter_row(const FailedInput& input, PartitionIndex partition,
                                        const TableSchema& stream_schema);

}  // namespace retinue::worker
