#include "worker/engine/inbox_loading.h"

#include <optional>
#include <utility>
#include <vector>

namespace retinue::worker {
namespace {

Result<Inbox::Blocks> open_blocks(std::vector<StoredBlock> stored) {
  Inbox::Blocks blocks;
  blocks.reserve(stored.size());
  for (StoredBlock& one : stored) {
    RETINUE_ASSIGN(auto block, MessageBlock::open(std::move(one.block)));
    blocks.emplace_back(one.sequence, std::move(block));
  }
  return blocks;
}

}  // namespace

Result<void> load_inbox(const Store& store, PartitionRef partition, InboxPosition position,
                        Inbox& inbox) {
  RETINUE_ASSIGN(const std::optional<BlockSequence> last, store.last_block(partition));
  const BlockSequence end = last ? last->next() : position.block;
  RETINUE_ASSIGN(std::vector<StoredBlock> stored,
                 store.load_blocks(partition, BlockSequence(0), end, inbox.bytes_wanted()));
  RETINUE_ASSIGN(Inbox::Blocks blocks, open_blocks(std::move(stored)));
  return inbox.restore(position, std::move(blocks), end);
}

Result<void> refill_inbox(const Store& store, PartitionRef partition, Inbox& inbox) {
  if (!inbox.wants_blocks()) {
    return {};
  }
  RETINUE_ASSIGN(std::vector<StoredBlock> stored,
                 store.load_blocks(partition, inbox.spilled_begin(), inbox.spilled_end(),
                                   inbox.bytes_wanted()));
  if (stored.empty()) {
    return Error{ErrorCode::kDataCorrupted, "a queue's message blocks are gone from the store"};
  }
  RETINUE_ASSIGN(Inbox::Blocks blocks, open_blocks(std::move(stored)));
  return inbox.refill(std::move(blocks));
}

}  // namespace retinue::worker
