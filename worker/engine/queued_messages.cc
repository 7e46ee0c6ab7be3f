#include "worker/engine/queued_messages.h"

#include <utility>
#include <vector>

#include "worker/engine/progress.h"
#include "worker/stream/message_block.h"

namespace retinue::worker {
namespace {

constexpr size_t kBytesAtOnce = size_t{8} << 20;

}  // namespace

Result<std::map<std::string, uint64_t>> count_queued_messages(const Store& store, OwnerNumber owner,
                                                              uint32_t partition_count) {
  std::map<std::string, uint64_t> counts;
  for (uint32_t i = 0; i < partition_count; ++i) {
    const PartitionRef partition{owner, PartitionIndex(i)};
    RETINUE_ASSIGN(const Progress progress, load_progress(store, partition));
    constexpr BlockSequence kEnd(UINT64_MAX);
    BlockSequence next(0);
    for (;;) {
      RETINUE_ASSIGN(std::vector<StoredBlock> blocks,
                     store.load_blocks(partition, next, kEnd, kBytesAtOnce));
      if (blocks.empty()) {
        break;
      }
      next = blocks.back().sequence.next();
      for (StoredBlock& one : blocks) {
        RETINUE_ASSIGN(const auto block, MessageBlock::open(std::move(one.block)));
        const uint32_t consumed = one.sequence == progress.inbox.block ? progress.inbox.row : 0;
        counts[std::string(block->header().stream)] += block->row_count() - consumed;
      }
    }
  }
  return counts;
}

}  // namespace retinue::worker
