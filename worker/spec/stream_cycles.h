// Which computations feed each other in circles.
#pragma once

#include <cstdint>
#include <map>

#include "worker/spec/spec.h"

namespace retinue::worker {

// The number of its cycle by computation; those that are in none are left out. Two computations are
// in one cycle when messages get from each to the other; one that reads its own output is in one.
std::map<ComputationId, uint32_t> stream_cycles(const PipelineSpec& spec);

// Who produces each stream. Of a stream with several producers, which a checked spec does not have,
// the first.
std::map<StreamId, ComputationId> stream_producers(const PipelineSpec& spec);

}  // namespace retinue::worker
