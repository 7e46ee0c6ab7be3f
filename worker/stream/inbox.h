// Inbox: the durable queue in front of one partition of a computation or a sink.
//
// Blocks stand in the order their epochs committed, whatever stream they belong to, so the inbox
// has one total order and one position. Every block is in memory from its commit until it is
// consumed; `bytes_limit` bounds them by stopping the producers (is_full).
//
// Threads: one.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
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

  // What a restart finds: the position of the last commit and the blocks from there on, in order.
  // Errors: kDataCorrupted when they do not fit together.
  Result<void> restore(
      InboxPosition position,
      std::vector<std::pair<BlockSequence, std::shared_ptr<const MessageBlock>>> blocks);

  // A producer is about to commit a block of this size: its place in the inbox.
  BlockSequence announce(size_t block_bytes);
  // The block of that place is committed. Places come in order.
  void push(BlockSequence sequence, std::shared_ptr<const MessageBlock> block);
  // Producers hold back while this is so.
  bool is_full() const { return bytes_ >= bytes_limit_; }

  // Moves up to that many rows and about that many bytes, at least one row if there is any, to the
  // end of `runs`.
  void take(uint32_t rows_limit, size_t bytes_limit, std::vector<InboxRun>& runs);
  uint64_t rows_ready() const { return rows_ready_; }
  // Of the blocks that were announced and are not wholly taken.
  size_t byte_size() const { return bytes_; }
  bool is_empty() const { return bytes_ == 0; }

 private:
  const size_t bytes_limit_;
  InboxPosition position_;
  BlockSequence next_announced_ = BlockSequence(1);
  BlockSequence next_pushed_ = BlockSequence(1);
  std::deque<std::shared_ptr<const MessageBlock>> blocks_;  // from position_.block on
  uint64_t rows_ready_ = 0;
  size_t bytes_ = 0;
};

}  // namespace retinue::worker
