// Engine: the pipeline at work: every partition of every computation and sink, on one thread.
//
// The embedded engine: streams, states and positions live in one Store on this machine. It does no
// I/O of its own and never blocks but for the store's reads; the owner calls turn() whenever
// something may have happened (EngineDependencies::wake says so), at next_wakeup(), and after every
// event that it passed to Companions.
//
// Threads: one. Owns: partitions, inboxes, the commit queue. Borrows: the dependencies.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "protocol/base/result.h"
#include "worker/engine/dependencies.h"
#include "worker/engine/partition.h"
#include "worker/engine/summary.h"
#include "worker/engine/topology.h"

namespace retinue::worker {

class Engine {
 public:
  enum class State : uint8_t {
    kRunning,
    kFinished,  // the input is finite, and all of it is processed and committed
    kStopped,   // stop() was called, and what was out is committed
    kFailed,    // error() says why; what was committed stays
  };

  // Resolves the pipeline, checks it against the data directory, restores every partition, and
  // registers the jobs with the companions.
  // Errors: those of the store, of sources and sinks, and of check_and_record_pipeline.
  static Result<std::unique_ptr<Engine>> create(EngineDependencies dependencies);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  void turn();
  std::optional<Duration> next_wakeup() const;
  // Takes no new input, waits for what is out, and commits it.
  void stop();
  // Something outside has failed for good.
  void fail(Error error);

  State state() const { return state_; }
  // Precondition: kFailed.
  const Error& error() const { return *error_; }
  // Since it was made.
  Duration elapsed() const;
  Summary summary() const;

 private:
  // A partition, and the partitions whose output it reads, but for those of its own cycle.
  struct Entry {
    std::unique_ptr<Partition> partition;
    std::optional<uint32_t> cycle;
    std::vector<const Partition*> producers;
    bool input_ended = false;
  };

  explicit Engine(EngineDependencies dependencies);
  Result<void> build();
  Result<void> add_computation(const ComputationPlan& plan);
  void add_entry(std::unique_ptr<Partition> partition, std::optional<uint32_t> cycle = {});
  void connect_entries();
  // Nothing will come into its inbox any more.
  bool has_input_ended(const Entry& entry) const;
  void end_inputs();
  void note_input_errors();
  Result<void> take_commits();
  Result<void> run_partitions();

  PartitionContext context_;
  Topology topology_;
  std::vector<Entry> entries_;  // producers before consumers, as far as cycles allow
  std::vector<Commits::Done> done_;
  Duration started_at_;
  State state_ = State::kRunning;
  std::optional<Error> error_;
  std::optional<Error> input_error_;  // once all is processed it becomes error_
};

}  // namespace retinue::worker
