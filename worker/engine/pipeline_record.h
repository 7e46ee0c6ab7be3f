// The pipeline as a data directory remembers it: what its stored keys and partitions were made
// with, so that a run with another shape is refused and a reader needs no spec.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "protocol/base/result.h"
#include "protocol/values/schema.h"
#include "worker/engine/topology.h"
#include "worker/spec/spec.h"
#include "worker/store/store.h"

namespace retinue::worker {

struct RecordedComputation {
  ComputationKind kind = ComputationKind::kTransform;
  uint32_t partition_count = 1;
  TableSchema key_schema;
  std::map<StateName, StateFormat> states;
};

struct PipelineRecord {
  std::string name;
  std::map<ComputationId, RecordedComputation> computations;
  std::map<SinkName, uint32_t> sinks;  // partition counts
};

// Errors: kNotFound when no pipeline was ever run in the data directory; kDataCorrupted.
Result<PipelineRecord> load_pipeline_record(const Store& store);

// Compares the pipeline with the one that the data directory was written by, and records it. What
// is new is added; what is gone from the spec stays recorded, with its data.
// Errors: kInvalidSpec that names the spec path of what must not change (the pipeline's name; a
// computation's kind, partition count or key; a state's format; a sink's partition count), the old
// value, and the remedy.
Result<void> check_and_record_pipeline(const PipelineSpec& spec, const Topology& topology,
                                       Store& store);

}  // namespace retinue::worker
