// Topology: the pipeline with every name resolved: who reads what, and under which numbers the
// store keeps it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "protocol/base/result.h"
#include "worker/epoch/computation_plan.h"
#include "worker/spec/spec.h"
#include "worker/store/store.h"

namespace retinue::worker {

struct SinkPlan {
  SinkName name;
  OwnerNumber owner;
  uint32_t partition_count = 1;
  struct Input {
    StreamId stream;
    TableSchema schema;
  };
  std::vector<Input> inputs;
};

struct Topology {
  // In an order in which every stream's producer stands before its consumers, but for cycles.
  std::vector<std::unique_ptr<ComputationPlan>> computations;
  std::vector<std::unique_ptr<SinkPlan>> sinks;

  // The owners that feed a consumer.
  std::vector<OwnerNumber> producers_of(OwnerNumber consumer) const;
};

// Gives out numbers for names that the store does not know yet. Precondition: a checked spec.
// Errors: those of the store; kLimitExceeded when a store has seen too many names.
Result<Topology> resolve_topology(const PipelineSpec& spec, Store& store);

}  // namespace retinue::worker
