// OutputScatter: cuts the messages that an epoch emits into blocks, one a consumer's inbox.
//
// Threads: one. Owns: scratch buffers, reused from epoch to epoch. Borrows: the outputs it is
// given.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "protocol/base/clock.h"
#include "protocol/values/row_batch.h"
#include "worker/epoch/computation_plan.h"
#include "worker/store/store.h"

namespace retinue::worker {

// Who emits, and when.
struct EmittingEpoch {
  OwnerNumber owner;
  PartitionIndex partition;
  Epoch epoch;
  Timestamp now;
  uint32_t first_index = 0;  // of the ids of the messages it emits
};

class OutputScatter {
 public:
  // Begins an epoch.
  void begin(const EmittingEpoch& epoch);
  // Appends one block an inbox that gets any of the rows. `event_timestamps` has microseconds, one
  // a row, or is empty: all are `now`. The appends have no place in their inbox yet.
  void scatter(const OutputPlan& output, const RowBatchView& rows,
               std::span<const int64_t> event_timestamps, std::vector<InboxAppend>& appends);

 private:
  struct Part {
    RowBatchBuilder rows;
    std::vector<int64_t> event_timestamps;
  };

  void append_block(const OutputPlan& output, PartitionRef inbox, const RowBatchView& rows,
                    std::span<const int64_t> event_timestamps, std::vector<InboxAppend>& appends);
  void scatter_by_key(const OutputPlan& output, const ConsumerPlan& consumer,
                      const RowBatchView& rows, std::span<const int64_t> event_timestamps,
                      std::vector<InboxAppend>& appends);

  EmittingEpoch epoch_;
  uint32_t next_index_ = 0;
  std::unordered_map<const OutputPlan*, std::vector<Part>> parts_;  // by partition, all empty
  std::vector<uint32_t> destinations_;
};

}  // namespace retinue::worker
