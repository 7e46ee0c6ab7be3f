// Summary: what a run has done, for progress lines and the final report.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "protocol/base/clock.h"

namespace retinue::worker {

// Where the worker's time goes, in nanoseconds, summed over all epochs. `wait` is the time batches
// were at companions, and overlaps with the others; `commit` is the store's own thread.
struct StageCosts {
  uint64_t assemble = 0;
  uint64_t preload = 0;
  uint64_t encode = 0;
  uint64_t wait = 0;
  uint64_t apply = 0;
  uint64_t scatter = 0;
  uint64_t commit = 0;
  uint64_t companion_cpu = 0;  // as the companions report it
};

struct ComputationSummary {
  std::string computation;
  uint64_t messages_in = 0;
  uint64_t messages_out = 0;
  uint64_t epochs = 0;
  uint64_t failed_batches = 0;
  uint64_t dead_letters = 0;
  uint64_t state_changes = 0;
  uint64_t keys_cached = 0;
  uint64_t queued_messages = 0;
  uint64_t inbox_bytes = 0;  // what is queued, as far as it is in memory
};

struct Summary {
  // Of this run.
  Duration elapsed;
  uint64_t messages_in = 0;         // read from sources
  uint64_t messages_processed = 0;  // by companions; as read in a pipeline without companions
  uint64_t messages_out = 0;        // written to sinks
  uint64_t epochs = 0;
  uint64_t lines_skipped = 0;
  // How much of the input is read, of all that there is; nullopt when that cannot be known.
  uint64_t source_bytes_read = 0;
  std::optional<uint64_t> source_bytes_total;
  StageCosts stage_costs;
  std::vector<ComputationSummary> computations;
  // Since the data directory was made.
  uint64_t messages_in_total = 0;
  uint64_t messages_out_total = 0;
};

}  // namespace retinue::worker
