// What may change in a pipeline between two runs on one data directory.
//
// What is new is added; what is gone from the spec stays recorded, with its data. Refused is
// whatever would read stored keys, states or messages as something else than they were written as,
// and whatever would leave messages behind that nobody reads.
#pragma once

#include "protocol/base/result.h"
#include "worker/engine/topology.h"
#include "worker/log/log.h"
#include "worker/spec/spec.h"
#include "worker/store/store.h"

namespace retinue::worker {

// Compares the pipeline with the one that the data directory was written by, and records it. What
// has left the spec is said once, in a warning.
// Errors: kInvalidSpec that names the spec path of what must not change (the pipeline's name; a
// computation's kind, partition count or key; a state's format; a sink's partition count; while
// messages are queued, the columns of their stream and the computation or sink that they wait for),
// the old value, and the remedy; those of the store.
Result<void> check_and_record_pipeline(const PipelineSpec& spec, const Topology& topology,
                                       Store& store, LogSink& log);

}  // namespace retinue::worker
