#include "worker/stream/inbox.h"

#include <fmt/format.h>

#include <algorithm>

namespace retinue::worker {

Result<void> Inbox::restore(InboxPosition position, Blocks blocks, BlockSequence end) {
  RETINUE_CHECK(blocks_.empty() && next_announced_ == BlockSequence(1));
  position_ = position;
  spilled_begin_ = position.block;
  next_pushed_ = next_announced_ = std::max(position.block, end);
  RETINUE_TRY(refill(std::move(blocks)));
  if (position.row > 0 && (blocks_.empty() || position.row >= blocks_.front()->row_count())) {
    return Error{ErrorCode::kDataCorrupted,
                 fmt::format("the queue's position is row {} of message block {}, which has no "
                             "such row",
                             position.row, position.block.value())};
  }
  if (has_spilled() && !blocks_.empty()) {
    rows_spilled_ = rows_ready_ / blocks_.size() * (next_pushed_.value() - spilled_begin_.value());
  }
  rows_ready_ -= position.row;
  return {};
}

Result<void> Inbox::refill(Blocks blocks) {
  for (auto& [sequence, block] : blocks) {
    if (sequence != spilled_begin_ || sequence >= next_pushed_) {
      return Error{ErrorCode::kDataCorrupted,
                   fmt::format("expected message block {}, found {}: the queue has a gap",
                               spilled_begin_.value(), sequence.value())};
    }
    rows_spilled_ -= std::min<uint64_t>(block->row_count(), rows_spilled_);
    bytes_ += block->byte_size();
    hold(std::move(block));
  }
  if (!has_spilled()) {
    rows_spilled_ = 0;
  }
  return {};
}

void Inbox::hold(std::shared_ptr<const MessageBlock> block) {
  spilled_begin_ = spilled_begin_.next();
  held_bytes_ += block->byte_size();
  rows_ready_ += block->row_count();
  blocks_.push_back(std::move(block));
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
  const bool spills =
      has_spilled() || (!blocks_.empty() && held_bytes_ + block->byte_size() > bytes_limit_);
  next_pushed_ = next_pushed_.next();
  if (spills) {
    bytes_ -= block->byte_size();
    rows_spilled_ += block->row_count();
  } else {
    hold(std::move(block));
  }
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
      held_bytes_ -= block->byte_size();
      position_ = {.block = position_.block.next(), .row = 0};
      blocks_.pop_front();
    }
  }
}

}  // namespace retinue::worker
