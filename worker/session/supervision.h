// Supervision: keeps the processes of one companion running.
//
// A companion with a command is spawned and, when a process ends or is given up, spawned again,
// with a delay that doubles from restart_delay_min to restart_delay_max and a budget of
// restarts_without_progress_max. One without is started by hand, connects by itself, and is waited
// for. Sessions are the caller's; this knows only which process has one.
//
// Threads: one. Borrows: the context, the process counter.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/base/clock.h"
#include "protocol/base/ids.h"
#include "protocol/base/result.h"
#include "worker/session/companions.h"
#include "worker/session/session_context.h"

namespace retinue::worker {

// A restart, or another attempt, changes nothing about such an error.
bool is_final(const Error& error);
// restart_delay_min doubled for every failure after the first, at most restart_delay_max.
Duration restart_delay(const CompanionSpec& companion, uint32_t failures);

class Supervision {
 public:
  // How to get rid of a process whose session ended.
  enum class Removal : uint8_t {
    kAwaitExit,  // it seems to be going by itself, and may have last words: signalled if it lingers
    kTerminate,  // SIGTERM, and SIGKILL if it lingers
    kKill,       // it is hung
  };

  // `last_process` is the last ProcessId given out, counted on.
  Supervision(const SessionContext& context, CompanionName name, uint64_t& last_process);

  void start();

  // Says why a Hello of this process (nullopt: started by hand) cannot be accepted.
  std::optional<Error> check_admission(std::optional<ProcessId> process) const;
  void on_session_opened(std::optional<ProcessId> process);
  // A session that was open is no more.
  void on_session_lost(std::optional<ProcessId> process, const Error& reason, Removal removal);
  // A Hello was refused for a reason that a restart cannot mend.
  void on_hello_refused(std::optional<ProcessId> process, const Error& reason);
  void on_process_exited(ProcessId process, std::string_view status);
  bool owns(ProcessId process) const;

  // Restores the restart budget, and the delay of this process.
  void note_progress(std::optional<ProcessId> process);
  // Restores the restart budget and the delays of all processes.
  void forgive();
  void note_error(const Error& error) { status_.last_error = error.message; }
  void note_deadline_missed() { ++status_.deadlines_missed; }
  void note_protocol_violation() { ++status_.protocol_violations; }
  // The pipeline cannot go on; processes are not started any more. The first call counts.
  void give_up(Error error);

  void tick();
  std::optional<Duration> next_wakeup() const;

  // No more starts; processes without a session are stopped, the others when their session ends.
  void drain();
  // Every spawned process has exited.
  bool is_stopped() const;

  // True until the processes of the first start are all connected, or one has failed, or
  // startup_timeout has passed: jobs are better kept for those to come.
  bool is_gathering() const { return is_gathering_; }
  const CompanionName& name() const { return name_; }
  const CompanionSpec& spec() const { return spec_; }
  CompanionStatus status() const;
  const std::optional<Error>& fatal_error() const { return fatal_error_; }

 private:
  enum class Phase : uint8_t {
    kWaiting,   // due: when to spawn
    kStarting,  // due: when a Hello is late
    kServing,   // has a session
    kStopping,  // due: the next signal, if any is left
    kStopped,   // for good
  };
  enum class NextSignal : uint8_t { kTerminate, kKill, kNone };

  struct Process {
    uint32_t index = 0;
    ProcessId id{};  // of the last spawn
    Phase phase = Phase::kWaiting;
    NextSignal next_signal = NextSignal::kTerminate;
    Duration due{};
    uint32_t failures = 0;      // since any process of the companion made progress
    uint32_t own_failures = 0;  // since this one did
    bool was_spawned = false;
    // Why its session ended, until it is known how the process did: counted as one failure.
    std::optional<Error> uncounted{};
  };

  Process* find(ProcessId process);
  const Process* find(ProcessId process) const;
  bool is_spawned() const { return !spec_.command.empty(); }
  bool may_restart() const { return !is_draining_ && !fatal_error_; }
  void spawn(Process& process);
  void count_failure(Process& process, const Error& reason);
  void stop(Process& process, Removal removal);
  void send_due_signal(Process& process);
  void schedule_restart(Process& process);
  std::optional<Duration> connect_deadline() const;

  const SessionContext& context_;
  const CompanionName name_;
  const CompanionSpec& spec_;
  const std::string spec_path_;
  uint64_t& last_process_;
  std::vector<Process> processes_;
  std::optional<Duration> alone_since_;  // started by hand, and none is connected
  Duration started_at_;
  bool is_gathering_ = true;
  bool is_draining_ = false;
  CompanionStatus status_;
  std::optional<Error> fatal_error_;
};

}  // namespace retinue::worker
