// World: a pipeline's engine with everything around it played by hand: source, sinks, commits,
// companion processes. Nothing happens unless the test says so, on one thread.
//
//   lines -> read (ordered_source, "split") -> words -> count (3 partitions) -> counts
//        counts -> sizes (2 partitions) -> sizes -> sink "sizes"
//        counts -> sink "counts", one file a partition; counts and sizes -> sink "all"
//
// What survives crash() is what a machine's disk would hold: the store's commits, and whatever was
// written to sinks.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "protocol/base/clock.h"
#include "tests/unit/worker/engine/memory_store.h"
#include "tests/unit/worker/engine/scripted_companion.h"
#include "tests/unit/worker/engine/word_pipeline.h"
#include "tests/unit/worker/session/fixture.h"
#include "worker/engine/engine.h"

namespace retinue::worker::testing {

// Commits that reach the store when the test says so.
class HeldCommits final : public Commits {
 public:
  explicit HeldCommits(MemoryStore& store) : store_(store) {}

  void submit(std::unique_ptr<EpochCommit> commit) override {
    pending_.push_back(std::move(commit));
  }
  void take_done(std::vector<Done>& done) override {
    std::move(done_.begin(), done_.end(), std::back_inserter(done));
    done_.clear();
  }
  uint64_t store_time_ns() const override { return 0; }

  size_t pending() const { return pending_.size(); }
  // Stores the first `count`, all at most.
  void store(size_t count);

 private:
  MemoryStore& store_;
  std::deque<std::unique_ptr<EpochCommit>> pending_;
  std::vector<Done> done_;
  std::optional<Error> failure_;
};

class World {
 public:
  explicit World(std::vector<std::string> lines)
      : spec(word_pipeline()), lines_(std::move(lines)) {}
  ~World() { crash(); }
  // Words instead of lines come from the source. Call before start.
  void make_passthrough();

  // --- the worker
  Result<void> try_start();
  void start();
  // Everything in memory is lost.
  void crash();
  Engine& engine() { return *run_->engine; }
  Companions& companions() { return *run_->companions; }
  Engine::State state() const { return run_->engine->state(); }
  std::vector<LogEntry>& log() { return run_->log.entries; }
  void advance(Duration by);

  // --- the store
  size_t pending_commits() const { return run_->commits->pending(); }
  void store_commits(size_t count = SIZE_MAX);

  // --- the source: hands `rows` more lines to the engine, as one chunk
  bool give_lines(uint32_t rows);

  // --- what runs on other threads, in two steps: the work, and saying that it is done
  bool do_blocking_work();

  // --- companions
  size_t live_processes() const;
  // Connects every process that was spawned and has not yet.
  void connect_all();
  // Lets the companions take their next frames, one each. False when there are none.
  bool companions_step();
  void crash_companion(size_t index);
  // The one of this connection.
  void crash_companion_of(ConnectionId connection);
  void obey_signals();
  // What the next batch of a function is answered with instead.
  std::function<bool(const std::string& function, ConnectionId, wire::Batch::Reader)> on_batch;
  // `order`: of the input that it names.
  void fail_batch(ConnectionId to, wire::Batch::Reader batch, std::string message,
                  std::optional<uint32_t> order = 0);
  void answer(ConnectionId from, const std::function<void(wire::Envelope::Builder)>& fill);

  // Does everything there is to do until nothing moves any more.
  void settle();
  // settle(), giving lines too.
  void run_to_end();

  // The rows of a sink's file, committed or not.
  const std::vector<Row>& sink(const std::string& name, uint32_t partition = 0) {
    return sinks_[{name, partition}];
  }
  // What a run without trouble ends with, however its partitions interleave; without `dead_word`,
  // which never came through "count".
  void expect_complete(const std::string& dead_word = "");
  // The state of a key, by name, as the store has it.
  std::map<std::string, std::string> stored_states(const std::string& computation,
                                                   const std::string& state) const;

  PipelineSpec spec;
  MemoryStore store;
  ManualClock clock;
  std::optional<Error> next_sink_failure;
  std::optional<size_t> bad_line;  // the source fails there
  uint64_t failing_batches = 0;

 private:
  struct Feed;
  struct FakeSink;
  struct Task {
    std::function<void()> work;
    std::function<void()> done;
    bool is_worked = false;
  };
  struct Peer {
    size_t process = 0;
    size_t next_frame = 0;
    std::map<uint64_t, std::unique_ptr<ScriptedJob>> jobs;
    std::map<uint64_t, std::string> functions;
  };
  struct Run {
    FakeTransport transport;
    RecordingLog log;
    std::unique_ptr<Companions> companions;
    HeldCommits* commits = nullptr;
    Feed* feed = nullptr;
    std::deque<Task> tasks;
    std::map<ConnectionId, Peer> peers;
    std::set<size_t> connected;  // processes
    std::set<size_t> exited;
    uint64_t last_connection = 0;
    std::unique_ptr<Engine> engine;
  };

  EngineDependencies dependencies();
  void turn();
  void handle(ConnectionId from, Peer& peer, wire::Envelope::Reader message);

  // The process of the peer is gone.
  void lose_process(ConnectionId lost);

  const std::vector<std::string> lines_;
  std::map<std::pair<std::string, uint32_t>, std::vector<Row>> sinks_;
  std::unique_ptr<Run> run_;
};

}  // namespace retinue::worker::testing
