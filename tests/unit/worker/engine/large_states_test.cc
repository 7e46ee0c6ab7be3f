// Batches whose states do not fit in a frame.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "protocol/base/limits.h"
#include "protocol/frame/wire_values.h"
#include "tests/unit/worker/engine/world.h"

namespace retinue::worker::testing {
namespace {

// Answers batches of `count` with a state "n" of 15 MiB for every key, when the test says so.
class LargeStates {
 public:
  explicit LargeStates(World& world) : world_(world) {
    auto& count = world.spec.dynamic_spec.computations.at(ComputationId("count"));
    count.desired_partition_count = 1;
    count.max_rows_per_batch = 5;
    world.on_batch = [this](const std::string& function, ConnectionId from,
                            wire::Batch::Reader batch) {
      if (function == "count") {
        take(from, batch);
      }
      return function == "count";
    };
  }

  void answer() {
    RowBatchBuilder values{std::span<const ColumnType>(kValueColumn)};
    std::vector<uint32_t> indexes(keys_);
    for (uint32_t i = 0; i < keys_; ++i) {
      indexes[i] = i;
      values.set_bytes(ColumnIndex(0), std::string(size_t{15} << 20, 'x'));
      values.finish_row();
    }
    is_out_ = false;
    world_.answer(from_, [&](wire::Envelope::Builder out) {
      auto done = out.initBatchDone();
      done.setJob(job_);
      done.setEpoch(epoch_);
      done.setAttempt(1);
      auto state = done.initInternalStates(1)[0];
      state.setName("n");
      state.setKeyIndexes(as_data(std::span<const uint32_t>(indexes)));
      write_column(state.initValues(), values.column_bytes()[0]);
    });
  }

  bool is_out() const { return is_out_; }
  // The messages of every batch so far, batches apart.
  const std::string& words() const { return words_; }

 private:
  static constexpr ColumnType kValueColumn[] = {ColumnType::kString};

  void take(ConnectionId from, wire::Batch::Reader batch) {
    EXPECT_LE(batch.totalSize().wordCount * sizeof(capnp::word), limits::kFrameBytesLimit);
    const auto rows = read_rows(batch.getMessages()[0].getRows());
    words_ += words_.empty() ? "" : "|";
    for (uint32_t row = 0; row < rows->row_count(); ++row) {
      words_ += rows->column(ColumnIndex(0)).bytes_at(row);
    }
    from_ = from;
    job_ = batch.getJob();
    epoch_ = batch.getEpoch();
    keys_ = batch.getKeys().getRowCount();
    is_out_ = true;
  }

  World& world_;
  std::string words_;
  ConnectionId from_;
  uint64_t job_ = 0;
  uint64_t epoch_ = 0;
  uint32_t keys_ = 0;
  bool is_out_ = false;
};

TEST(LargeStates, BatchesAreCutUntilTheirStatesFitInAFrame) {
  // While "cde" is out the third batch is small enough; its states outgrow a frame with the answer.
  World world({"a b", "c d e", "a b c d e"});
  LargeStates count(world);
  world.start();
  world.settle();
  world.give_lines(1);
  world.settle();
  count.answer();
  world.give_lines(1);
  world.settle();
  world.give_lines(1);
  world.settle();
  ASSERT_EQ(count.words(), "ab|cde");
  while (world.state() == Engine::State::kRunning && count.is_out()) {
    count.answer();
    world.give_lines(1);  // the end
    world.settle();
  }
  ASSERT_EQ(world.state(), Engine::State::kFinished) << world.engine().error().to_string();
  EXPECT_EQ(count.words(), "ab|cde|ab|c|de");
}

}  // namespace
}  // namespace retinue::worker::testing
