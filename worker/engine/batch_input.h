// BatchInput: where a companion's partition takes its batches from: an inbox or a source.
//
// Threads: the engine's one.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "protocol/base/result.h"
#include "worker/engine/partition.h"
#include "worker/engine/source_follower.h"
#include "worker/epoch/assemble.h"
#include "worker/epoch/batch.h"

namespace retinue::worker {

// What is known of a batch that was cut out of one that failed.
struct Suspicion {
  bool is_suspect = false;  // it was cut out of one
  bool is_named = false;    // it is the one input that the companion named
  uint32_t failures = 0;    // how many failed batches it was in
};

// Consecutive rows of a batch that becomes one of its own.
struct BatchCut {
  uint32_t rows = 0;
  Suspicion suspicion;
};

// A source's chunk, which the batches made of it share.
struct HeldChunk {
  std::unique_ptr<SourceChunk> chunk;
  RowBatchView rows;
  // Rows of the same source partition behind the chunk that are done.
  uint64_t rows_done_behind = 0;
};

// A batch whose states are loaded, and where it leaves its input.
struct PreparedBatch {
  std::unique_ptr<Batch> batch;
  std::vector<InboxRun> runs;        // an inbox's, which the batch is made of
  std::shared_ptr<HeldChunk> chunk;  // a source's, whose rows [begin, end) the batch borrows
  uint32_t chunk_begin = 0;
  uint32_t chunk_end = 0;
  Suspicion suspicion;

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
  // Cuts a batch up: what take() gives next are batches of these rows, one after the other.
  // Precondition: the cuts cover the batch.
  virtual void cut(BatchAssembler& assembler, std::unique_ptr<PreparedBatch> prepared,
                   std::span<const BatchCut> cuts) = 0;
  // take() gives it again. Precondition: nothing of the input was taken after it.
  void put_back(BatchAssembler& assembler, std::unique_ptr<PreparedBatch> prepared) {
    const BatchCut whole{.rows = prepared->batch->row_count, .suspicion = prepared->suspicion};
    cut(assembler, std::move(prepared), {&whole, 1});
  }
  // The batch is done: makes it part of `progress`.
  virtual Result<void> settle(const PreparedBatch& prepared, Progress& progress) = 0;
  virtual void recycle(PreparedBatch& prepared) = 0;
  // True when no batch will come any more.
  virtual bool is_exhausted() const = 0;
  // Something waits to be taken.
  virtual bool has_queue() const { return false; }
  // Why it ended before its time; nullptr: it did not.
  virtual const Error* error() const { return nullptr; }
  virtual void on_input_ended() {}
  virtual std::optional<Duration> next_wakeup() const { return std::nullopt; }
  virtual uint64_t queued_messages() const { return 0; }
  virtual size_t inbox_bytes() const { return 0; }
  virtual void add_to(Summary&) const {}
};

class InboxInput final : public BatchInput {
 public:
  InboxInput(const ComputationPlan& plan, PartitionRef ref, PartitionContext& context);

  Result<void> open(const Progress& progress) override;
  Result<std::unique_ptr<PreparedBatch>> take(BatchAssembler& assembler, bool only_full) override;
  void cut(BatchAssembler& assembler, std::unique_ptr<PreparedBatch> prepared,
           std::span<const BatchCut> cuts) override;
  Result<void> settle(const PreparedBatch& prepared, Progress& progress) override;
  void recycle(PreparedBatch&) override {}
  bool is_exhausted() const override;
  void on_input_ended() override { input_ended_ = true; }
  std::optional<Duration> next_wakeup() const override { return wait_until_; }
  bool has_queue() const override { return !inbox_.is_empty() || !set_aside_.empty(); }
  uint64_t queued_messages() const override { return inbox_.rows_queued(); }
  size_t inbox_bytes() const override { return inbox_.byte_size(); }

 private:
  // Taken out of the inbox, and to be a batch.
  struct Part {
    std::vector<InboxRun> runs;
    Suspicion suspicion;
  };

  // False while it pays to wait for more messages.
  bool is_due(bool only_full);
  // A batch of these, or of as many of the first as fit in a frame.
  Result<std::unique_ptr<PreparedBatch>> prepare(BatchAssembler& assembler, Part part);

  const ComputationPlan& plan_;
  const PartitionRef ref_;
  PartitionContext& context_;
  Inbox& inbox_;
  std::deque<Part> set_aside_;  // before what the inbox has
  std::optional<Duration> wait_until_;
  bool input_ended_ = false;
};

class SourceInput final : public BatchInput {
 public:
  SourceInput(const ComputationPlan& plan, const SourceSpec& spec, PartitionContext& context);

  Result<void> open(const Progress& progress) override;
  Result<bool> begin(Progress& progress) override { return follower_.begin(progress); }
  Result<std::unique_ptr<PreparedBatch>> take(BatchAssembler& assembler, bool only_full) override;
  void cut(BatchAssembler& assembler, std::unique_ptr<PreparedBatch> prepared,
           std::span<const BatchCut> cuts) override;
  Result<void> settle(const PreparedBatch& prepared, Progress& progress) override;
  void recycle(PreparedBatch& prepared) override;
  bool is_exhausted() const override {
    return (follower_.has_ended() || context_.has_input_failed()) && set_aside_.empty();
  }
  const Error* error() const override { return follower_.error(); }
  void add_to(Summary& summary) const override { follower_.add_to(summary); }

 private:
  struct Part {
    std::shared_ptr<HeldChunk> chunk;
    uint32_t begin = 0;
    uint32_t end = 0;
    Suspicion suspicion;
  };

  // The next chunk, but for the rows that are done already; nullopt: there is none.
  std::optional<Part> take_chunk();

  const ComputationPlan& plan_;
  PartitionContext& context_;
  SourceFollower follower_;
  std::deque<Part> set_aside_;  // before what the follower has
  // As Progress::source_rows_done, of what take_chunk() comes to next.
  std::map<std::string, uint64_t> rows_done_;
};

}  // namespace retinue::worker
