// PipelineRun: one `retinue run`, from the checked spec to the exit code. Everything is wired here.
#pragma once

#include <memory>
#include <optional>

#include "protocol/base/clock.h"
#include "protocol/base/result.h"
#include "worker/cli/command_line.h"
#include "worker/cli/progress_printer.h"
#include "worker/daemon/companion_socket.h"
#include "worker/engine/engine.h"
#include "worker/runtime/companion_server.h"
#include "worker/runtime/event_loop.h"
#include "worker/runtime/executor.h"
#include "worker/session/companions.h"
#include "worker/spec/spec.h"
#include "worker/store/rocksdb/rocksdb_store.h"

namespace retinue::worker {

// Threads: the main one. Borrows: options, spec.
class PipelineRun {
 public:
  PipelineRun(const RunOptions& options, const PipelineSpec& spec);
  ~PipelineRun();

  // Runs to the end and prints the summary. Returns the exit code.
  int run();

 private:
  // Opens everything. Errors: those of store, engine and socket.
  Result<void> start();
  void turn();
  void begin_drain();
  void set_wakeup();
  // False when the summary could not be written.
  bool report(Engine::State state, const std::string& error, const Summary& summary);
  EngineDependencies engine_dependencies();

  // In this order, so that each outlives those that borrow it. The executor goes first of all
  // (~PipelineRun): its work is the engine's.
  const RunOptions& options_;
  const PipelineSpec& spec_;
  SystemClock clock_;
  SpdlogSink log_;
  ProgressPrinter progress_;
  EventLoop loop_;
  std::unique_ptr<RocksDbStore> store_;
  std::optional<CompanionSocket> socket_;
  std::optional<CompanionServer> server_;
  std::optional<Companions> companions_;
  std::unique_ptr<Engine> engine_;
  std::optional<Executor> executor_;
  bool is_draining_ = false;
};

}  // namespace retinue::worker
