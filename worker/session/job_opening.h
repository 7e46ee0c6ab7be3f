// Fills an OpenJob from the spec: what a companion is told about one partition of one computation.
#pragma once

#include <cstdint>

#include "protocol/base/ids.h"
#include "protocol/schema/companion.capnp.h"
#include "worker/spec/spec.h"

namespace retinue::worker {

// The revision of every stream's schema until schemas change on a running pipeline.
inline constexpr SchemaRevision kFirstSchemaRevision{1};

struct JobPlace {
  ComputationId computation;
  PartitionIndex partition;
  uint32_t partition_count = 1;
};

// Precondition: the spec has the computation, and it has a companion.
void write_open_job(wire::OpenJob::Builder out, JobId job, const JobPlace& place,
                    const PipelineSpec& spec);

}  // namespace retinue::worker
