// BatchInput: where a companion's partition takes its batches from: an inbox or a source.
//
// Threads: the engine's one.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "protocol/base/result.h"
#include "worker/engine/partition.h"
#include "worker/engine/source_follower.h"
#include "worker/epoch/assemble.h"
#include "worker/epoch/batch.h"

namespace retinue::worker {

// A batch whose states are loaded, and where it leaves its input.
struct PreparedBatch {
  std::unique_ptr<Batch> batch;
  std::vector<InboxRun> runs;          // an inbox's, which the batch is made of
  std::unique_ptr<SourceChunk> chunk;  // a source's rows, which the batch borrows
  RowBatchView chunk_rows;

  // Precondition: of an inbox.
  InboxPosition inbox_position() const { return runs.back().end_position(); }
};

class BatchInput {
 public:
  virtual ~BatchInput() = default;

  // As SourceFollower::open, or loads the inbox.
  virtual Result<void> open(const Progress& progress) = 0;
  // As SourceFollower::begin.
  virtual Result<bool> begin(Progress&) { return false; }
  // The next batch; nullptr when there is nothing to make one of yet. With `only_full` it waits
  // until a batch reaches the computation's limits.
  virtual Result<std::unique_ptr<PreparedBatch>> take(BatchAssembler& assembler,
                                                      bool only_full) = 0;
  // The first half of a batch, the rest being next; for one that turned out too large for a frame,
  // states and all. Nullptr when it cannot be cut, and is dropped.
  virtual Result<std::unique_ptr<PreparedBatch>> cut(BatchAssembler& assembler,
                                                     std::unique_ptr<PreparedBatch> prepared) = 0;
  // The batch is done: makes it part of `progress`.
  virtual Result<void> settle(const PreparedBatch& prepared, Progress& progress) = 0;
  virtual void recycle(PreparedBatch& prepared) = 0;
  // True when no batch will come any more.
  virtual bool is_exhausted() const = 0;
  // Why it ended before its time; nullptr: it did not.
  virtual const Error* error() const { return nullptr; }
  virtual void on_input_ended() {}
  virtual std::optional<Duration> next_wakeup() const { return std::nullopt; }
  virtual uint64_t queued_messages() const { return 0; }
  virtual void add_to(Summary&) const {}
};

class InboxInput final : public BatchInput {
 public:
  InboxInput(const ComputationPlan& plan, PartitionRef ref, PartitionContext& context);

  Result<void> open(const Progress& progress) override;
  Result<std::unique_ptr<PreparedBatch>> take(BatchAssembler& assembler, bool only_full) override;
  Result<std::unique_ptr<PreparedBatch>> cut(BatchAssembler& assembler,
                                             std::unique_ptr<PreparedBatch> prepared) override;
  Result<void> settle(const PreparedBatch& prepared, Progress& progress) override;
  void recycle(PreparedBatch&) override {}
  bool is_exhausted() const override;
  void on_input_ended() override { input_ended_ = true; }
  std::optional<Duration> next_wakeup() const override { return wait_until_; }
  uint64_t queued_messages() const override { return inbox_.rows_ready(); }

 private:
  // False while it pays to wait for more messages.
  bool is_due(bool only_full);
  std::vector<InboxRun> take_runs();
  // A batch of these, or of as many of the first as fit in a frame.
  Result<std::unique_ptr<PreparedBatch>> prepare(BatchAssembler& assembler,
                                                 std::vector<InboxRun> runs);

  const ComputationPlan& plan_;
  const PartitionRef ref_;
  PartitionContext& context_;
  Inbox& inbox_;
  std::deque<InboxRun> set_aside_;  // cut off a batch that was too large
  std::optional<Duration> wait_until_;
  bool input_ended_ = false;
};

class SourceInput final : public BatchInput {
 public:
  SourceInput(const ComputationPlan& plan, const SourceSpec& spec, PartitionContext& context);

  Result<void> open(const Progress& progress) override;
  Result<bool> begin(Progress& progress) override { return follower_.begin(progress); }
  Result<std::unique_ptr<PreparedBatch>> take(BatchAssembler& assembler, bool only_full) override;
  // A source's rows are committed with the position behind them: they stay together.
  Result<std::unique_ptr<PreparedBatch>> cut(BatchAssembler&,
                                             std::unique_ptr<PreparedBatch>) override {
    return std::unique_ptr<PreparedBatch>();
  }
  Result<void> settle(const PreparedBatch& prepared, Progress& progress) override;
  void recycle(PreparedBatch& prepared) override;
  bool is_exhausted() const override {
    return follower_.has_ended() || context_.has_input_failed();
  }
  const Error* error() const override { return follower_.error(); }
  void add_to(Summary& summary) const override { follower_.add_to(summary); }

 private:
  const ComputationPlan& plan_;
  PartitionContext& context_;
  SourceFollower follower_;
};

}  // namespace retinue::worker
