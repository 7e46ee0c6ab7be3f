// JobTable: every job, which session it is on, and what its listener is told.
//
// Listeners may call back into Companions, so what they are to be told waits in a queue until
// deliver(), when the state is consistent again.
//
// Threads: one. Borrows: the context, listeners, companions and sessions.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "worker/session/companions.h"
#include "worker/session/session.h"
#include "worker/session/session_context.h"
#include "worker/session/supervision.h"

namespace retinue::worker {

using Sessions = std::map<ConnectionId, std::unique_ptr<Session>>;

struct Job {
  JobPlace place;
  Supervision* companion = nullptr;
  JobListener* listener = nullptr;
  std::optional<JobId> id{};  // on a session, open or being opened
  ConnectionId connection{};
  bool is_open = false;
  bool is_announced = false;           // on_job_ready was called, on_job_lost was not
  uint32_t failures = 0;               // since its last accepted answer
  std::optional<Duration> retry_at{};  // not opened before
};

class JobTable {
 public:
  explicit JobTable(const SessionContext& context) : context_(context) {}

  JobSlot add(ComputationId computation, PartitionIndex partition, Supervision& companion,
              JobListener& listener);
  // No more are added: every job learns how many partitions its computation has.
  void seal();

  Job& at(JobSlot slot);

  // Opens the companion's jobs that are nowhere on its sessions, spread evenly.
  void assign(Supervision& companion, const Sessions& sessions);
  void on_opened(JobId job);
  void on_refused(JobId job, Error error);
  void on_answered(BatchAnswered answer);
  void on_session_lost(const Session& session, const Error& reason, bool is_crash);

  // When assign() next has a job that waits for another attempt.
  std::optional<Duration> next_retry() const;

  // Tells the listeners. A listener's call may itself lead here: the inner call then delivers what
  // the outer has not yet.
  void deliver();
  // From now on listeners are told nothing.
  void silence() { is_silent_ = true; }

 private:
  Job* find(JobId job);
  void lose(Job& job, const Error& reason, bool is_suspect = false);
  void log_refusal(const Job& job, const Error& reason);
  void give_up(const Job& job, const Error& reason);

  const SessionContext& context_;
  std::vector<Job> jobs_;
  std::unordered_map<JobId, JobSlot> slots_;
  // Why jobs of a computation were last refused: its partitions share the reason, and it is logged
  // once.
  std::map<ComputationId, std::string> refusals_;
  std::deque<std::function<void()>> callbacks_;
  uint64_t last_job_ = 0;
  bool is_silent_ = false;
};

}  // namespace retinue::worker
