// The identities that the protocol, the worker and the SDKs share.
#pragma once

#include <compare>
#include <cstdint>

#include "protocol/base/strong_type.h"

namespace retinue {

using ComputationId = StrongName<struct ComputationIdTag>;
using StreamId = StrongName<struct StreamIdTag>;
using StateName = StrongName<struct StateNameTag>;
using CompanionName = StrongName<struct CompanionNameTag>;
using FunctionName = StrongName<struct FunctionNameTag>;

using PartitionIndex = StrongNumber<struct PartitionIndexTag, uint32_t>;
// Counts the committed batches of one partition; the first is 1.
using Epoch = StrongNumber<struct EpochTag, uint64_t>;
// Names an open job on one session; never reused within a run of the worker.
using JobId = StrongNumber<struct JobIdTag, uint64_t>;
using SessionId = StrongNumber<struct SessionIdTag, uint64_t>;
// The row of Batch.keys.
using KeyIndex = StrongNumber<struct KeyIndexTag, uint32_t>;
// The place of a message, timer or visit in its batch's total order; the first is 0.
using OrderPosition = StrongNumber<struct OrderPositionTag, uint32_t>;
using SchemaRevision = StrongNumber<struct SchemaRevisionTag, uint32_t>;
// farm_hash of a key row; partitions own ranges of it.
using KeyHash = StrongNumber<struct KeyHashTag, uint64_t>;

// Unique within a pipeline: `sequence` names the epoch that emitted the message, `index` its place
// among that epoch's outputs.
struct MessageId {
  uint64_t sequence = 0;
  uint32_t index = 0;

  friend auto operator<=>(const MessageId&, const MessageId&) = default;
};

}  // namespace retinue
