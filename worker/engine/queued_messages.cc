#include "worker/engine/queued_messages.h"

#include <utility>
#include <vector>

#include "worker/engine/progress.h"
#include "worker/stream/message_block.h"

namespace retinue::worker {

Result<std::map<std::string, uint64_t>> count_queued_messages(const Store& store, OwnerNumber owner,
                                                              uint32_t partition_count) {
  std::map<std::string, uint64_t> counts;
  for (uint32_t i = 0; i < partition_count; ++i) {
    const PartitionRef partition{owner, PartitionIndex(i)};
    RETINUE_ASSIGN(const Progress progress, load_progress(store, partition));
    RETINUE_ASSIGN(std::vector<StoredBlock> blocks, store.load_inbox(partition));
    for (StoredBlock& one : blocks) {
      RETINUE_ASSIGN(const auto block, MessageBlock::open(std::move(one.block)));
      const uint32_t consumed = one.sequence == progress.inbox.block ? progress.inbox.row : 0;
      counts[std::string(block->header().stream)] += block->row_count() - consumed;
    }
  }
  return counts;
}

}  // namespace retinue::worker
