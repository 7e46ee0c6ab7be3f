// BatchAssembler: turns messages into a batch: groups them by key and loads the keys' states.
//
// Threads: one. Borrows: plan, cache, store.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "protocol/base/result.h"
#include "worker/epoch/batch.h"
#include "worker/state/state_cache.h"
#include "worker/store/store.h"

namespace retinue::worker {

// Rows [begin, end) of what a source has read, all of one source partition.
struct SourceRows {
  const RowBatchView& rows;
  uint32_t begin = 0;
  uint32_t end = 0;
  std::string_view partition;
};

class BatchAssembler {
 public:
  BatchAssembler(const ComputationPlan& plan, StateCache& cache, const Store& store);

  // A batch of messages that were taken out of the inbox.
  // Errors: kInvalidSpec for a stream the computation does not read any more; kSchemaMismatch for a
  // message whose key cannot be one.
  Result<std::unique_ptr<Batch>> assemble(std::span<const InboxRun> runs);
  // A batch of a source's rows, whose key is their partition. Borrows the rows for as long as the
  // batch lives.
  Result<std::unique_ptr<Batch>> assemble(const SourceRows& source, MessageId first_id,
                                          Timestamp now);
  // Loads the states that are not in the cache, with one look-up for all.
  Result<void> preload(Batch& batch);
  // Keeps the batch's buffers for the next one. Its keys stay in the cache until its stamp ends.
  void recycle(std::unique_ptr<Batch> batch);
  // Ends the stamp of a batch that changed nothing, and recycles it.
  void drop(std::unique_ptr<Batch> batch);

 private:
  std::unique_ptr<Batch> take_batch();
  Result<void> add_run(Batch& batch, MessageRun run);
  // The batch's index of the key; `append_row` appends the key's row when it is new to the batch.
  template <typename AppendRow>
  uint32_t key_index(Batch& batch, KeyHash hash, AppendRow&& append_row);

  const ComputationPlan& plan_;
  StateCache& cache_;
  const Store& store_;
  std::string key_;    // scratch
  std::string value_;  // scratch
  std::vector<std::unique_ptr<Batch>> free_;
};

}  // namespace retinue::worker
