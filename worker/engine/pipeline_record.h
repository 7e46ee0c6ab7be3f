// The pipeline as a data directory remembers it: what its stored keys, partitions and messages were
// made with, so that a run with another shape is refused and a reader needs no spec.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
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
  bool is_gone = false;  // from the spec
};

struct RecordedSink {
  uint32_t partition_count = 1;
  bool is_gone = false;  // from the spec

  friend bool operator==(const RecordedSink&, const RecordedSink&) = default;
};

struct PipelineRecord {
  std::string name;
  std::map<StreamId, TableSchema> streams;
  std::map<ComputationId, RecordedComputation> computations;
  std::map<SinkName, RecordedSink> sinks;
};

PipelineRecord make_pipeline_record(const PipelineSpec& spec, const Topology& topology);

// Nullopt when no pipeline was ever run in the data directory. Errors: kDataCorrupted.
Result<std::optional<PipelineRecord>> find_pipeline_record(const Store& store);
// Errors: as find_pipeline_record, and kNotFound when there is none.
Result<PipelineRecord> load_pipeline_record(const Store& store);
Result<void> save_pipeline_record(const PipelineRecord& record, Store& store);

}  // namespace retinue::worker
