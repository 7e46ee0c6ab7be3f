// BatchWriter: writes a batch as the wire's Batch.
//
// Threads: one. Owns: scratch buffers that are reused from batch to batch. Borrows: plan.
#pragma once

#include <cstdint>
#include <vector>

#include "protocol/base/clock.h"
#include "protocol/frame/wire_values.h"
#include "worker/epoch/batch.h"

namespace retinue::worker {

class BatchWriter {
 public:
  explicit BatchWriter(const ComputationPlan& plan);

  // Fills `out` but for the watermarks, which no stream has yet. The states are written as the
  // cache has them now. Precondition: the batch is preloaded.
  void write(const Batch& batch, JobId job, Timestamp deadline, wire::Batch::Builder out);

 private:
  // The runs of one input stream and what goes with them, row by row.
  struct Group {
    std::vector<const MessageRun*> runs;
    uint32_t row_count = 0;
    std::vector<uint32_t> key_indexes;
    std::vector<uint32_t> orders;
    RowBatchBuilder rows;
  };

  void collect_groups(const Batch& batch);
  void write_group(const Batch& batch, Group& group, const InputPlan& input, bool is_only,
                   wire::MessageGroup::Builder out);
  void write_states(const Batch& batch, wire::Batch::Builder out);

  const ComputationPlan& plan_;
  std::vector<Group> groups_;  // by input
  RowBatchBuilder state_values_;
};

}  // namespace retinue::worker
