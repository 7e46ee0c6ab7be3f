#include "worker/epoch/scatter.h"

#include <random>
#include <set>

#include "tests/unit/worker/epoch/fixture.h"
#include "worker/spec/key_ranges.h"

namespace retinue::worker::testing {
namespace {

using ::testing::ElementsAre;

class ScatterTest : public ::testing::Test {
 protected:
  std::vector<std::shared_ptr<const MessageBlock>> scatter(
      const OutputPlan& output, const std::vector<Row>& rows,
      const std::vector<int64_t>& event_timestamps = {}) {
    appends_.clear();
    const RowBatchBuilder builder = rows_of(output.schema, rows);
    scatter_.scatter(output, builder.view(), event_timestamps, appends_);
    std::vector<std::shared_ptr<const MessageBlock>> blocks;
    for (const InboxAppend& append : appends_) {
      auto block = MessageBlock::open(append.block);
      EXPECT_TRUE(block.ok()) << block.error().to_string();
      blocks.push_back(std::move(*block));
    }
    return blocks;
  }
  void begin(uint64_t epoch, uint32_t first_index = 0, uint32_t partition = 2) {
    scatter_.begin({.owner = OwnerNumber(7),
                    .partition = PartitionIndex(partition),
                    .epoch = Epoch(epoch),
                    .now = Timestamp(500),
                    .first_index = first_index});
  }

  const ComputationPlan plan_ = count_plan();
  OutputScatter scatter_;
  std::vector<InboxAppend> appends_;
};

TEST_F(ScatterTest, EveryRowReachesOnePartitionOfEachConsumer) {
  std::mt19937 random(1);
  for (uint64_t epoch = 1; epoch < 30; ++epoch) {
    std::vector<Row> rows;
    std::vector<int64_t> times;
    for (uint32_t i = random() % 50 + 1; i > 0; --i) {
      rows.push_back({std::to_string(random() % 40), uint64_t{rows.size()}, Null()});
      times.push_back(static_cast<int64_t>(random() % 3));
    }
    begin(epoch, 11);
    const auto blocks = scatter(plan_.outputs[0], rows, times);
    std::set<MessageId> ids;
    std::map<uint32_t, std::multiset<Row>> by_owner;
    for (size_t i = 0; i < blocks.size(); ++i) {
      const MessageBlock& block = *blocks[i];
      const PartitionRef inbox = appends_[i].inbox;
      EXPECT_EQ(block.stream(), "counts");
      EXPECT_EQ(block.header().system_timestamp, Timestamp(500));
      EXPECT_EQ(block.header().first_id.sequence,
                message_sequence(OwnerNumber(7), PartitionIndex(2), Epoch(epoch)));
      uint64_t last = 0;
      for (uint32_t row = 0; row < block.row_count(); ++row) {
        EXPECT_TRUE(
            ids.insert({block.header().first_id.sequence, block.header().first_id.index + row})
                .second);
        const Row values = row_at(block.rows(), row);
        const uint64_t index = std::get<uint64_t>(values[1]);
        EXPECT_EQ(values, rows[index]);
        EXPECT_TRUE(row == 0 || index > last) << "out of order";
        last = index;
        EXPECT_EQ(block.event_timestamp(row), Timestamp(times[index]));
        by_owner[inbox.owner.value()].insert(values);
        if (inbox.owner == OwnerNumber(8)) {
          FarmHasher hasher;
          hasher.add_string(std::get<std::string>(values[0]));
          EXPECT_EQ(partition_of(hasher.finish(), 4), inbox.partition);
        }
      }
      if (inbox.owner == OwnerNumber(9)) {
        EXPECT_EQ(inbox.partition, PartitionIndex(0));
      } else if (inbox.owner == OwnerNumber(10)) {
        EXPECT_EQ(inbox.partition, PartitionIndex(2)) << "a sink's is the producer's";
      }
    }
    const std::multiset<Row> all(rows.begin(), rows.end());
    EXPECT_EQ(by_owner.size(), 3u);
    for (const auto& [owner, reached] : by_owner) {
      EXPECT_EQ(reached, all) << owner;
    }
    EXPECT_EQ(ids.size(), 3 * rows.size());
    EXPECT_EQ(ids.begin()->index, 11u);
    EXPECT_EQ(ids.rbegin()->index, 11 + 3 * rows.size() - 1) << "ids have a gap";
  }
}

TEST_F(ScatterTest, EventTimesThatAreAllTheSameTakeNoRoom) {
  begin(1);
  OutputPlan output = plan_.outputs[0];
  output.consumers.erase(output.consumers.begin());
  auto blocks = scatter(output, {{std::string("a"), Null(), Null()}}, {77});
  EXPECT_FALSE(blocks[0]->has_event_timestamps());
  EXPECT_EQ(blocks[0]->event_timestamp(0), Timestamp(77));
  blocks = scatter(output, {{std::string("a"), Null(), Null()}});
  EXPECT_EQ(blocks[0]->event_timestamp(0), Timestamp(500)) << "none given: now";
}

TEST_F(ScatterTest, NothingComesOfNoRowsAndNoConsumers) {
  begin(1);
  EXPECT_THAT(scatter(plan_.outputs[0], {}), ElementsAre());
  EXPECT_THAT(scatter(plan_.outputs[1], {{Null()}}), ElementsAre());
}

}  // namespace
}  // namespace retinue::worker::testing
