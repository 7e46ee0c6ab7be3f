// Partition: one partition of a computation or a sink, driven by the engine's turns.
//
// PartitionContext is what all partitions share of the engine: inboxes, commits, costs.
//
// Threads: the engine's one.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "worker/engine/dependencies.h"
#include "worker/engine/pipeline_files.h"
#include "worker/engine/progress.h"
#include "worker/engine/summary.h"
#include "worker/epoch/computation_plan.h"
#include "worker/store/commit_queue.h"
#include "worker/stream/inbox.h"

namespace retinue::worker {

// Commits of one partition that may be on their way to the store at once.
inline constexpr size_t kCommitsInFlightMax = 4;

class PartitionContext {
 public:
  explicit PartitionContext(const EngineDependencies& dependencies) : dependencies_(dependencies) {}

  const EngineDependencies& dependencies() const { return dependencies_; }
  StageCosts& costs() { return costs_; }
  const StageCosts& costs() const { return costs_; }
  uint64_t epochs() const { return epochs_; }

  void start_commits();
  Commits& commits() { return *commits_; }
  const Commits& commits() const { return *commits_; }
  // An empty commit with the buffers of an earlier one.
  std::unique_ptr<EpochCommit> take_commit();
  // Gives every append its place in its inbox and hands the commit to the store.
  void submit(std::unique_ptr<EpochCommit> commit);
  // What the commit appended is stored: puts it into the inboxes, and keeps the buffers.
  // Errors: kDataCorrupted never happens but for a bug; passed on all the same.
  Result<void> publish(std::unique_ptr<EpochCommit> commit);

  void add_inbox(PartitionRef partition, size_t bytes_limit);
  Inbox& inbox(PartitionRef partition);
  PipelineFiles& files() { return files_; }
  // False while an inbox that these outputs feed is full. Inboxes of the producer's own cycle do
  // not count: it would wait for itself. They spill.
  bool has_room(std::span<const OutputPlan> outputs);

  // No new work is taken; what is out is finished.
  bool is_stopping() const { return is_stopping_; }
  void stop() { is_stopping_ = true; }
  // A source cannot be read on: none is read any more, and what was read is processed.
  bool has_input_failed() const { return has_input_failed_; }
  void fail_input() { has_input_failed_ = true; }

 private:
  const EngineDependencies dependencies_;
  StageCosts costs_;
  std::unique_ptr<Commits> commits_;
  std::vector<std::unique_ptr<EpochCommit>> free_commits_;
  std::map<PartitionRef, std::unique_ptr<Inbox>> inboxes_;
  PipelineFiles files_;
  uint64_t epochs_ = 0;
  bool is_stopping_ = false;
  bool has_input_failed_ = false;
};

class Partition {
 public:
  Partition(PartitionRef ref, PartitionContext& context) : ref_(ref), context_(context) {}
  virtual ~Partition() = default;
  Partition(const Partition&) = delete;
  Partition& operator=(const Partition&) = delete;

  PartitionRef ref() const { return ref_; }

  // Loads the last committed epoch, and looks whether it can go on from it. Called once, first.
  Result<void> restore();
  // Takes back what was written after that epoch. Called once, when all partitions are restored,
  // so that nothing is changed when one of them cannot go on.
  virtual Result<void> begin() { return {}; }
  // Does what can be done now. An error ends the pipeline.
  virtual Result<void> turn() = 0;
  // When a turn is needed even if nothing happens, on Clock::monotonic.
  virtual std::optional<Duration> next_wakeup() const { return std::nullopt; }
  // One of its commits is stored; they come back in order.
  void on_committed();
  // Nothing is out and nothing waits for the store.
  bool is_quiet() const { return commits_in_flight_ == 0 && !has_work_out(); }
  // It does nothing, and nothing waits for it.
  bool is_idle() const { return is_quiet() && !has_queue(); }
  // All that its producers will ever send is processed and committed.
  bool is_finished() const { return is_quiet() && has_no_input_left(); }
  // Its producers are finished.
  virtual void on_input_ended() {}

  // What ended its source before its time; what came before is processed all the same. Nullptr:
  // nothing did.
  virtual const Error* input_error() const { return nullptr; }

  virtual void add_to(Summary& summary) const = 0;

 protected:
  // Opens what the partition reads and writes, and changes none of it; progress_ holds what was
  // committed.
  virtual Result<void> open() = 0;
  virtual bool has_work_out() const = 0;
  virtual bool has_no_input_left() const = 0;
  virtual bool has_queue() const { return false; }
  virtual void release_committed() {}

  // What begin() submitted is stored; before that nothing is written outside the store.
  bool has_begun() { return has_begun_ |= commits_in_flight_ == 0; }
  bool may_commit() const { return commits_in_flight_ < kCommitsInFlightMax; }
  // A commit of the next epoch, progress_ aside.
  std::unique_ptr<EpochCommit> begin_commit();
  // Submits it with progress_ as it is now.
  void submit(std::unique_ptr<EpochCommit> commit);
  Epoch next_epoch() const { return progress_.epoch.next(); }

  const PartitionRef ref_;
  PartitionContext& context_;
  Progress progress_;  // as of the last epoch submitted
  Progress restored_;  // as of the start
  size_t commits_in_flight_ = 0;
  bool has_begun_ = false;
};

}  // namespace retinue::worker
