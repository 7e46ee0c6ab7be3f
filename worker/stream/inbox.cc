#include "worker/stream/inbox.h"

#include <fmt/format.h>

#include <algorithm>

namespace retinue::worker {

Result<void> Inbox::restore(
    InboxPosition position,
    std::vector<std::pair<BlockSequence, std::shared_ptr<const MessageBlock>>> blocks) {
  RETINUE_CHECK(blocks_.empty() && next_announced_ == BlockSequence(1));
  position_ = position;
  next_pushed_ = position.block;
  for (auto& [sequence, block] : blocks) {
    if (sequence != next_pushed_) {
      return Error{ErrorCode::kDataCorrupted,
                   fmt::format("expected message block {}, found {}: the queue has a gap",
                               next_pushed_.value(), sequence.value())};
    }
    bytes_ += block->byte_size();
    rows_ready_ += block->row_count();
    blocks_.push_back(std::move(block));
    next_pushed_ = next_pushed_.next();
  }
  if (position.row > 0 && (blocks_.empty() || position.row >= blocks_.front()->row_count())) {
    return Error{ErrorCode::kDataCorrupted,
                 fmt::format("the queue's position is row {} of message block {}, which has no "
                             "such row",
                             position.row, position.block.value())};
  }
  rows_ready_ -= position.row;
  next_announced_ = next_pushed_;
  return {};
}

BlockSequence Inbox::announce(size_t block_bytes) {
  bytes_ += block_bytes;
  const BlockSequence sequence = next_announced_;
  next_announced_ = next_announced_.next();
  return sequence;
}

void Inbox::push(BlockSequence sequence, std::shared_ptr<const MessageBlock> block) {
  RETINUE_CHECK(sequence == next_pushed_ && sequence < next_announced_,
                "blocks are pushed in the order they were announced");
  next_pushed_ = next_pushed_.next();
  rows_ready_ += block->row_count();
  blocks_.push_back(std::move(block));
}

void Inbox::take(uint32_t rows_limit, size_t bytes_limit, std::vector<InboxRun>& runs) {
  uint32_t rows = 0;
  size_t bytes = 0;
  while (!blocks_.empty() && rows < rows_limit && (rows == 0 || bytes < bytes_limit)) {
    const std::shared_ptr<const MessageBlock>& block = blocks_.front();
    const size_t row_bytes = block->byte_size() / std::max(block->row_count(), 1u) + 1;
    const size_t affordable = std::max<size_t>((bytes_limit - bytes) / row_bytes, rows == 0);
    if (affordable == 0) {
      return;
    }
    const uint32_t count = static_cast<uint32_t>(std::min<size_t>(
        {affordable, rows_limit - rows, size_t{block->row_count()} - position_.row}));
    if (count > 0) {
      runs.push_back({.sequence = position_.block,
                      .block = block,
                      .begin = position_.row,
                      .end = position_.row + count});
    }
    rows += count;
    bytes += count * row_bytes;
    rows_ready_ -= count;
    position_.row += count;
    if (position_.row == block->row_count()) {
      bytes_ -= block->byte_size();
      position_ = {.block = position_.block.next(), .row = 0};
      blocks_.pop_front();
    }
  }
}

}  // namespace retinue::worker
