#include "worker/stream/inbox.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "protocol/values/value.h"

namespace retinue::worker {
namespace {

using Block = std::shared_ptr<const MessageBlock>;

const TableSchema kNumbers =
    TableSchema::create(
        {{.name = "n", .type = ColumnType::kUint64, .required = false, .expression = ""}})
        .value();

// A block of the numbers first, first + 1, …
Block block(uint64_t first, uint32_t rows) {
  RowBatchBuilder builder(kNumbers);
  for (uint32_t i = 0; i < rows; ++i) {
    builder.set_uint64(ColumnIndex(0), first + i);
    builder.finish_row();
  }
  return MessageBlock::open(encode_message_block(BlockHeader(), builder.view(), {})).value();
}

BlockSequence append(Inbox& inbox, const Block& added) {
  const BlockSequence sequence = inbox.announce(added->byte_size());
  inbox.push(sequence, added);
  return sequence;
}

std::vector<uint64_t> numbers(const std::vector<InboxRun>& runs) {
  std::vector<uint64_t> all;
  for (const InboxRun& run : runs) {
    EXPECT_LT(run.begin, run.end);
    for (uint32_t row = run.begin; row < run.end; ++row) {
      all.push_back(run.block->rows().column(ColumnIndex(0)).uint64_at(row));
    }
  }
  return all;
}

std::vector<InboxRun> take(Inbox& inbox, uint32_t rows, size_t bytes = 1 << 20) {
  std::vector<InboxRun> runs;
  inbox.take(rows, bytes, runs);
  return runs;
}

TEST(Inbox, GivesRowsInOrderAcrossBlocks) {
  Inbox inbox(1 << 20);
  EXPECT_EQ(append(inbox, block(0, 3)), BlockSequence(1));
  EXPECT_EQ(append(inbox, block(3, 1)), BlockSequence(2));
  EXPECT_EQ(append(inbox, block(4, 4)), BlockSequence(3));
  EXPECT_EQ(inbox.rows_ready(), 8u);

  auto runs = take(inbox, 2);
  EXPECT_THAT(numbers(runs), ::testing::ElementsAre(0, 1));
  EXPECT_EQ(runs.back().end_position(), (InboxPosition{BlockSequence(1), 2}));
  runs = take(inbox, 3);
  EXPECT_THAT(numbers(runs), ::testing::ElementsAre(2, 3, 4));
  EXPECT_EQ(runs.size(), 3u);
  EXPECT_EQ(runs[0].end_position(), (InboxPosition{BlockSequence(2), 0}));
  EXPECT_EQ(runs.back().end_position(), (InboxPosition{BlockSequence(3), 1}));
  runs = take(inbox, 100);
  EXPECT_THAT(numbers(runs), ::testing::ElementsAre(5, 6, 7));
  EXPECT_EQ(runs.back().end_position(), (InboxPosition{BlockSequence(4), 0}));
  EXPECT_TRUE(inbox.is_empty());
  EXPECT_TRUE(take(inbox, 100).empty());
}

TEST(Inbox, AnnouncedBlocksCountBeforeTheyAreThere) {
  const Block one = block(0, 2);
  Inbox inbox(one->byte_size() + 1);
  const BlockSequence first = inbox.announce(one->byte_size());
  EXPECT_FALSE(inbox.is_empty());
  EXPECT_FALSE(inbox.is_full());
  EXPECT_EQ(inbox.rows_ready(), 0u);
  EXPECT_TRUE(take(inbox, 10).empty());
  const BlockSequence second = inbox.announce(1);
  EXPECT_EQ(second, first.next());
  EXPECT_TRUE(inbox.is_full());
  inbox.push(first, one);
  EXPECT_THAT(numbers(take(inbox, 10)), ::testing::ElementsAre(0, 1));
  EXPECT_FALSE(inbox.is_full());
  EXPECT_FALSE(inbox.is_empty()) << "the second is still to come";
}

TEST(Inbox, TakesOneRowAtLeastHoweverLarge) {
  Inbox inbox(1 << 20);
  append(inbox, block(0, 3));
  append(inbox, block(3, 3));
  EXPECT_THAT(numbers(take(inbox, 10, 1)), ::testing::ElementsAre(0));
  EXPECT_THAT(numbers(take(inbox, 10, 0)), ::testing::ElementsAre(1));
  EXPECT_THAT(numbers(take(inbox, 0)), ::testing::ElementsAre());
  // About as many bytes as asked for: row sizes are the block's average.
  const size_t row_bytes = block(0, 3)->byte_size() / 3 + 1;
  EXPECT_THAT(numbers(take(inbox, 10, 2 * row_bytes)), ::testing::ElementsAre(2, 3));
}

TEST(Inbox, RestoresInTheMiddleOfABlock) {
  Inbox inbox(1 << 20);
  ASSERT_TRUE(inbox
                  .restore({BlockSequence(7), 2},
                           {{BlockSequence(7), block(0, 3)}, {BlockSequence(8), block(3, 1)}},
                           BlockSequence(9))
                  .ok());
  EXPECT_EQ(inbox.rows_ready(), 2u);
  EXPECT_EQ(append(inbox, block(4, 1)), BlockSequence(9));
  EXPECT_THAT(numbers(take(inbox, 10)), ::testing::ElementsAre(2, 3, 4));
}

TEST(Inbox, RestoresNothing) {
  Inbox inbox(1 << 20);
  ASSERT_TRUE(inbox.restore({BlockSequence(5), 0}, {}, BlockSequence(5)).ok());
  EXPECT_TRUE(inbox.is_empty());
  EXPECT_EQ(append(inbox, block(0, 1)), BlockSequence(5));
}

TEST(Inbox, WhatIsBeyondTheLimitSpills) {
  const size_t block_bytes = block(0, 2)->byte_size();
  Inbox inbox(2 * block_bytes);
  Inbox::Blocks all;
  for (uint64_t i = 0; i < 6; ++i) {
    all.emplace_back(BlockSequence(i + 1), block(2 * i, 2));
    append(inbox, all.back().second);
  }
  EXPECT_TRUE(inbox.is_full());
  EXPECT_EQ(inbox.byte_size(), 2 * block_bytes);
  EXPECT_EQ(inbox.rows_ready(), 4u);
  EXPECT_EQ(inbox.rows_queued(), 12u);
  EXPECT_FALSE(inbox.wants_blocks());
  EXPECT_EQ(inbox.spilled_begin(), BlockSequence(3));
  EXPECT_EQ(inbox.spilled_end(), BlockSequence(7));

  EXPECT_THAT(numbers(take(inbox, 3)), ::testing::ElementsAre(0, 1, 2));
  EXPECT_TRUE(inbox.wants_blocks());
  EXPECT_FALSE(inbox.refill({all[3]}).ok()) << "the third comes first";
  ASSERT_TRUE(inbox.refill({all[2]}).ok());
  EXPECT_FALSE(inbox.wants_blocks());
  EXPECT_THAT(numbers(take(inbox, 100)), ::testing::ElementsAre(3, 4, 5));
  EXPECT_FALSE(inbox.is_empty());
  ASSERT_TRUE(inbox.refill({all[3], all[4], all[5]}).ok());
  EXPECT_FALSE(inbox.has_spilled());
  EXPECT_THAT(numbers(take(inbox, 100)), ::testing::ElementsAre(6, 7, 8, 9, 10, 11));
  EXPECT_TRUE(inbox.is_empty());
  append(inbox, block(12, 1));
  EXPECT_THAT(numbers(take(inbox, 100)), ::testing::ElementsAre(12)) << "kept again";
}

TEST(Inbox, ARestartTellsAboutHowManyHaveSpilled) {
  Inbox inbox(1000);
  ASSERT_TRUE(
      inbox.restore({BlockSequence(7), 1}, {{BlockSequence(7), block(0, 3)}}, BlockSequence(17))
          .ok());
  EXPECT_EQ(inbox.rows_ready(), 2u);
  EXPECT_EQ(inbox.rows_queued(), 29u);
  EXPECT_TRUE(inbox.is_full());
  EXPECT_EQ(append(inbox, block(30, 1)), BlockSequence(17)) << "behind them";
  EXPECT_EQ(inbox.rows_ready(), 2u);
}

TEST(Inbox, RefusesBlocksThatDoNotFitThePosition) {
  const auto expect_corrupted = [](InboxPosition position,
                                   std::vector<std::pair<BlockSequence, Block>> blocks,
                                   const std::string& message) {
    Inbox inbox(1 << 20);
    const BlockSequence end = blocks.empty() ? position.block : blocks.back().first.next();
    const auto restored = inbox.restore(position, std::move(blocks), end);
    ASSERT_FALSE(restored.ok());
    EXPECT_EQ(restored.error().code, ErrorCode::kDataCorrupted);
    EXPECT_THAT(restored.error().message, ::testing::HasSubstr(message));
  };
  const Block three = block(0, 3);
  expect_corrupted({BlockSequence(2), 0}, {{BlockSequence(1), three}},
                   "expected message block 2, found 1");
  expect_corrupted({BlockSequence(2), 0}, {{BlockSequence(2), three}, {BlockSequence(4), three}},
                   "expected message block 3, found 4");
  expect_corrupted({BlockSequence(2), 3}, {{BlockSequence(2), three}}, "row 3 of message block 2");
  expect_corrupted({BlockSequence(2), 1}, {}, "row 1 of message block 2");
}

// What a store would hold of an inbox: blocks from the committed position on.
class Model {
 public:
  explicit Model(uint32_t seed) : random_(seed), inbox_(std::make_unique<Inbox>(kLimit)) {}

  void step() {
    switch (pick(6)) {
      case 0:
      case 1: announce(); break;
      case 2: push(); break;
      case 3:
      case 4: take(); break;
      case 5:
        if (pick(5) == 0) {
          restart();
        } else {
          commit();
        }
        break;
    }
    check();
  }

  uint64_t refills() const { return refills_; }

 private:
  uint32_t pick(uint32_t count) { return static_cast<uint32_t>(random_() % count); }

  void announce() {
    Block added = block(next_number_, 1 + pick(5));
    next_number_ += added->row_count();
    const BlockSequence sequence = inbox_->announce(added->byte_size());
    ASSERT_EQ(sequence, BlockSequence(stored_end_ + announced_.size()));
    announced_.push_back(std::move(added));
  }
  void push() {
    if (!announced_.empty()) {
      const BlockSequence sequence(stored_end_++);
      stored_[sequence] = announced_.front();
      inbox_->push(sequence, announced_.front());
      announced_.erase(announced_.begin());
    }
  }
  // As a store loads them.
  Inbox::Blocks stored(BlockSequence begin, BlockSequence end) const {
    Inbox::Blocks blocks;
    size_t bytes = 0;
    for (auto at = stored_.lower_bound(begin); at != stored_.end() && at->first < end &&
                                               (blocks.empty() || bytes < inbox_->bytes_wanted());
         ++at) {
      blocks.emplace_back(*at);
      bytes += at->second->byte_size();
    }
    return blocks;
  }
  void take() {
    if (inbox_->wants_blocks()) {
      ASSERT_TRUE(inbox_->refill(stored(inbox_->spilled_begin(), inbox_->spilled_end())).ok());
      ASSERT_GT(inbox_->rows_ready(), 0u);
      ++refills_;
    }
    std::vector<InboxRun> runs;
    inbox_->take(1 + pick(7), 1 + pick(200), runs);
    for (const uint64_t number : numbers(runs)) {
      ASSERT_EQ(number, next_taken_++);
    }
    if (!runs.empty()) {
      taken_ = runs.back().end_position();
    }
  }
  void commit() {
    committed_ = taken_;
    committed_numbers_ = next_taken_;
    stored_.erase(stored_.begin(), stored_.lower_bound(committed_.block));
  }
  // What was announced and not stored is lost, and its numbers are given out again.
  void restart() {
    for (const Block& lost : announced_) {
      next_number_ -= lost->row_count();
    }
    announced_.clear();
    inbox_ = std::make_unique<Inbox>(kLimit);
    ASSERT_TRUE(inbox_
                    ->restore(committed_, stored(BlockSequence(0), BlockSequence(stored_end_)),
                              BlockSequence(stored_end_))
                    .ok());
    has_estimate_ = inbox_->has_spilled();
    taken_ = committed_;
    next_taken_ = committed_numbers_;
  }
  void check() {
    size_t bytes = 0;
    uint64_t rows = 0;
    for (const auto& [sequence, one] : stored_) {
      if (sequence >= taken_.block) {
        bytes += one->byte_size();
        rows += one->row_count() - (sequence == taken_.block ? taken_.row : 0);
      }
    }
    has_estimate_ &= inbox_->has_spilled();
    if (!has_estimate_) {
      ASSERT_EQ(inbox_->rows_queued(), rows);
    }
    size_t announced = 0;
    for (const Block& one : announced_) {
      announced += one->byte_size();
    }
    bytes += announced;
    ASSERT_LE(inbox_->byte_size(), announced + kLimit + kBlockBytesMax);
    if (inbox_->has_spilled()) {
      ASSERT_TRUE(inbox_->is_full());
      ASSERT_LT(inbox_->byte_size(), bytes);
    } else {
      ASSERT_EQ(inbox_->byte_size(), bytes);
      ASSERT_EQ(inbox_->rows_ready(), rows);
      ASSERT_EQ(inbox_->is_full(), bytes >= kLimit);
    }
    ASSERT_EQ(inbox_->is_empty(), bytes == 0);
  }

  static constexpr size_t kLimit = 300;
  // Of a block of five rows, and more.
  static constexpr size_t kBlockBytesMax = 200;

  std::mt19937 random_;
  std::unique_ptr<Inbox> inbox_;
  std::vector<Block> announced_;
  std::map<BlockSequence, Block> stored_;
  uint64_t stored_end_ = 1;
  uint64_t next_number_ = 0;
  InboxPosition taken_;
  uint64_t next_taken_ = 0;
  InboxPosition committed_;
  uint64_t committed_numbers_ = 0;
  uint64_t refills_ = 0;
  bool has_estimate_ = false;  // rows_queued() is not exact
};

TEST(Inbox, DoesWhatASimpleModelDoes) {
  uint64_t refills = 0;
  for (uint32_t seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE(seed);
    Model model(seed);
    for (int i = 0; i < 500; ++i) {
      ASSERT_NO_FATAL_FAILURE(model.step());
    }
    refills += model.refills();
  }
  EXPECT_GT(refills, 100u);
}

}  // namespace
}  // namespace retinue::worker
