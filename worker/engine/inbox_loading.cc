#include "worker/engine/inbox_loading.h"

#include <utility>
#include <vector>

namespace retinue::worker {

Result<void> load_inbox(const Store& store, PartitionRef partition, InboxPosition position,
                        Inbox& inbox) {
  RETINUE_ASSIGN(std::vector<StoredBlock> stored, store.load_inbox(partition));
  std::vector<std::pair<BlockSequence, std::shared_ptr<const MessageBlock>>> blocks;
  blocks.reserve(stored.size());
  for (StoredBlock& one : stored) {
    RETINUE_ASSIGN(auto block, MessageBlock::open(std::move(one.block)));
    blocks.emplace_back(one.sequence, std::move(block));
  }
  return inbox.restore(position, std::move(blocks));
}

}  // namespace retinue::worker
