// Inbox: the durable queue in front of one partition of a computation or a sink.
//
// Blocks stand in the order their epochs committed, whatever stream they belong to, so the inbox
// has one total order and one position. The first blocks are in memory, as many as `bytes_limit`
// allows; those behind them have spilled: they are only in the store, from where the owner brings
// them back when their turn comes (wants_blocks). Producers hold back while the inbox is full, but
// for those of its own cycle.
//
// Threads: one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "worker/store/store.h"
#include "worker/stream/message_block.h"

namespace retinue::worker {

// Everything before (block, row) is consumed.
struct InboxPosition {
  BlockSequence block = BlockSequence(1);
  uint32_t row = 0;

  friend auto operator<=>(const InboxPosition&, const InboxPosition&) = default;
};

// Rows [begin, end) of a block.
struct InboxRun {
  BlockSequence sequence;
  std::shared_ptr<const MessageBlock> block;
  uint32_t begin = 0;
  uint32_t end = 0;

  uint32_t size() const { return end - begin; }
  // What comes after the run.
  InboxPosition end_position() const {
    return end == block->row_count() ? InboxPosition{.block = sequence.next(), .row = 0}
                                     : InboxPosition{.block = sequence, .row = end};
  }
};

class Inbox {
 public:
  explicit Inbox(size_t bytes_limit) : bytes_limit_(bytes_limit) {}

  using Blocks = std::vector<std::pair<BlockSequence, std::shared_ptr<const MessageBlock>>>;

  // What a restart finds: the position of the last commit, the first blocks from there on, in
  // order, and the place behind the last one that is stored. At least one block if any is stored.
  // Errors: kDataCorrupted when they do not fit together.
  Result<void> restore(InboxPosition position, Blocks blocks, BlockSequence end);

  // A producer is about to commit a block of this size: its place in the inbox.
  BlockSequence announce(size_t block_bytes);
  // The block of that place is committed. Places come in order. It is kept, or spills.
  void push(BlockSequence sequence, std::shared_ptr<const MessageBlock> block);
  // Producers hold back while this is so.
  bool is_full() const { return bytes_ >= bytes_limit_ || has_spilled(); }

  // Moves up to that many rows and about that many bytes, at least one row if there is any in
  // memory, to the end of `runs`.
  void take(uint32_t rows_limit, size_t bytes_limit, std::vector<InboxRun>& runs);
  // Rows that can be taken.
  uint64_t rows_ready() const { return rows_ready_; }
  // With those that have spilled; after a restart, while such are left, about so many.
  uint64_t rows_queued() const { return rows_ready_ + rows_spilled_; }
  // In memory: of the blocks that were announced and are not wholly taken, without the spilled.
  size_t byte_size() const { return bytes_; }
  bool is_empty() const { return bytes_ == 0 && !has_spilled(); }

  // --- blocks that have spilled
  bool has_spilled() const { return spilled_begin_ < next_pushed_; }
  // Some of [spilled_begin(), spilled_end()), from the first on, should be loaded: about
  // bytes_wanted() of them.
  bool wants_blocks() const { return has_spilled() && held_bytes_ <= window_bytes() / 2; }
  BlockSequence spilled_begin() const { return spilled_begin_; }
  BlockSequence spilled_end() const { return next_pushed_; }
  size_t bytes_wanted() const { return window_bytes() - std::min(held_bytes_, window_bytes()); }
  // Errors: kDataCorrupted when they are not the first spilled ones.
  Result<void> refill(Blocks blocks);

 private:
  // How much of the spilled blocks is brought back at once at most: the engine waits for it.
  static constexpr size_t kWindowBytesMax = size_t{8} << 20;

  size_t window_bytes() const { return std::min(bytes_limit_, kWindowBytesMax); }
  void hold(std::shared_ptr<const MessageBlock> block);

  const size_t bytes_limit_;
  InboxPosition position_;
  BlockSequence next_announced_ = BlockSequence(1);
  BlockSequence next_pushed_ = BlockSequence(1);
  BlockSequence spilled_begin_ = BlockSequence(1);          // up to next_pushed_
  std::deque<std::shared_ptr<const MessageBlock>> blocks_;  // [position_.block, spilled_begin_)
  uint64_t rows_ready_ = 0;
  uint64_t rows_spilled_ = 0;
  size_t held_bytes_ = 0;  // of blocks_
  size_t bytes_ = 0;       // of blocks_, and of those announced and not pushed
};

}  // namespace retinue::worker
