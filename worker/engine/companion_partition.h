// CompanionPartition: a partition whose messages are processed by a companion: of a transform or an
// ordered_source.
//
// One batch is at the companion; the next is assembled and its states are loaded meanwhile, and it
// is shipped as soon as the answer has been applied to the cache, before that answer's commit.
// Commits reach the store in order, so what is stored is always a prefix.
//
// Threads: the engine's one. Borrows: plan, context.
#pragma once

#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "worker/engine/batch_input.h"
#include "worker/engine/batch_trial.h"
#include "worker/engine/dead_letter.h"
#include "worker/engine/partition.h"
#include "worker/epoch/answer.h"
#include "worker/epoch/assemble.h"
#include "worker/epoch/scatter.h"
#include "worker/epoch/ship.h"
#include "worker/session/companions.h"
#include "worker/state/state_cache.h"

namespace retinue::worker {

class CompanionPartition final : public Partition, public JobListener {
 public:
  CompanionPartition(const ComputationPlan& plan, PartitionIndex partition,
                     size_t cache_bytes_limit, std::unique_ptr<BatchInput> input,
                     PartitionContext& context);

  // Call before Companions::start.
  void register_job();

  Result<void> begin() override;
  Result<void> turn() override;
  std::optional<Duration> next_wakeup() const override;
  void on_input_ended() override { input_->on_input_ended(); }
  void add_to(Summary& summary) const override;

  void on_job_ready(JobId job) override;
  void on_job_lost(const Error& reason, bool is_suspect) override;
  void on_batch_done(Frame frame) override;
  void on_batch_failed(Frame frame) override;

 private:
  Result<void> open() override { return input_->open(progress_); }
  bool has_work_out() const override { return out_ != nullptr || next_ != nullptr; }
  const Error* input_error() const override { return input_->error(); }
  bool has_no_input_left() const override { return input_->is_exhausted() && !has_dropped_work_; }
  bool has_queue() const override { return input_->has_queue(); }
  void release_committed() override;

  Result<void> prepare_next();
  // Ships next_ if it may go now, or commits it at once if it holds no message.
  Result<void> ship_next();
  void ship_out();
  // Puts out_ back in halves: the states have grown since it was prepared.
  Result<void> cut_too_large(size_t frame_bytes);
  // What comes next are these parts of out_, and then next_.
  void put_out_back(std::span<const BatchCut> cuts);
  void reject(const Error& violation);
  // The answer to out_, checked as a whole.
  Result<Answer> read(const Frame& frame) const;
  Result<void> finish(PreparedBatch& done, const Answer& answer,
                      std::unique_ptr<EpochCommit> commit);
  Result<void> handle_failure(const BatchFailure& failure, BatchTrial::Kind kind);
  void retry_out(const BatchFailure& failure);
  // Cuts out_, to find the input that is to blame.
  void cut_failed(const BatchFailure& failure);
  // out_ is one input, which has failed for good.
  Result<void> give_up(const BatchFailure& failure);
  Result<void> dead_letter(const FailedInput& input);
  // Where out_ is: its input too, when it has only one or `failure` names it.
  std::string place_of_out(const BatchFailure& failure) const;
  void drop_work();
  void submit_of_batch(std::unique_ptr<EpochCommit> commit, BatchStamp stamp);
  // Keeps an error of a callback for the next turn.
  void keep_error(Result<void> result);

  const ComputationPlan& plan_;
  const Duration batch_timeout_;
  StateCache cache_;
  BatchAssembler assembler_;
  BatchWriter writer_;
  OutputScatter scatter_;
  std::unique_ptr<BatchInput> input_;

  JobSlot slot_;
  std::optional<JobId> job_;
  std::unique_ptr<PreparedBatch> next_;  // loaded, not shipped
  std::unique_ptr<PreparedBatch> out_;   // at the companion, or to be shipped to it again
  bool out_needs_shipping_ = false;
  bool has_dropped_work_ = false;  // taken from the input, and given up in order to stop
  std::optional<Duration> retry_at_;
  BatchTrial trial_;                 // of out_
  bool is_answer_rejected_ = false;  // out_'s: that is why its companion is lost
  bool trusts_names_ = true;         // the inputs that the companion names are to blame
  std::chrono::steady_clock::time_point shipped_at_;
  std::deque<BatchStamp> committing_;  // whose commits are in flight
  std::optional<Error> error_;

  uint64_t epochs_ = 0;
  uint64_t failed_batches_ = 0;
  uint64_t state_changes_ = 0;
  uint64_t dead_letters_ = 0;
};

}  // namespace retinue::worker
