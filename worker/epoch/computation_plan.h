// ComputationPlan: one computation of the spec with every name resolved, as the epoch core uses it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "protocol/base/ids.h"
#include "protocol/values/schema.h"
#include "worker/spec/spec.h"
#include "worker/store/store.h"
#include "worker/stream/key_extractor.h"

namespace retinue::worker {

struct InputPlan {
  StreamId stream;
  TableSchema schema;
  // nullopt for a source's stream: the key is the source partition.
  std::optional<KeyExtractor> key;
};

// Who reads a stream: a computation, which owns key ranges, or a sink.
struct ConsumerPlan {
  OwnerNumber owner;
  uint32_t partition_count = 1;
  // nullopt for a sink: its partition is the producer's, or 0 when it has one only.
  std::optional<KeyExtractor> key;
  // The producer reads, directly or through others, what the consumer emits.
  bool is_in_cycle = false;
};

struct OutputPlan {
  StreamId stream;
  TableSchema schema;
  std::vector<ConsumerPlan> consumers;

  // Whether every row has a key for every consumer. Errors: as KeyExtractor::check_keys.
  Result<void> check_keys(const RowBatchView& rows) const;
};

struct StatePlan {
  StateName name;
  StateNumber number;
  StateFormat format = StateFormat::kYson;
};

struct ComputationPlan {
  ComputationId id;
  OwnerNumber owner;
  ComputationKind kind = ComputationKind::kTransform;
  uint32_t partition_count = 1;
  TableSchema key_schema;
  std::vector<InputPlan> inputs;
  std::vector<OutputPlan> outputs;
  // The output that only dead letters go to.
  std::optional<uint32_t> dead_letter_output;
  std::vector<StatePlan> states;
  // The number of the cycle of computations that it is in.
  std::optional<uint32_t> cycle;
  DynamicComputationSpec limits;
};

// The key schema of an ordered source: its source partition, e.g. a file's path.
TableSchema source_key_schema();

// The `sequence` of the ids of all messages that an epoch emits: owner (12 bits) · partition (12) ·
// epoch (40), so that no two epochs of a pipeline share one.
uint64_t message_sequence(OwnerNumber owner, PartitionIndex partition, Epoch epoch);
inline constexpr uint32_t kOwnersMax = 1 << 12;
inline constexpr uint32_t kPartitionsMax = 1 << 12;

}  // namespace retinue::worker
