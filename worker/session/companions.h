// Companions: the sessions with companion processes, who serves which job, and their supervision.
//
// A job is one partition of one computation. Companions assigns each job to a connected process of
// its companion (spread evenly), opens it there, hands batches over and answers back, and opens it
// elsewhere when the process is gone. No I/O: frames and process events come in, the transport is
// asked to send, spawn and kill, and time comes from the clock.
//
// Threads: one. Borrows: spec, transport, log, clock, listeners. Callbacks of a JobListener may
// call back into Companions.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "protocol/base/clock.h"
#include "protocol/base/ids.h"
#include "protocol/base/result.h"
#include "protocol/frame/frame_reader.h"
#include "protocol/frame/frame_writer.h"
#include "worker/log/log.h"
#include "worker/session/transport.h"
#include "worker/spec/spec.h"

namespace retinue::worker {

using JobSlot = StrongNumber<struct JobSlotTag, uint32_t>;

// The owner of a job: one partition.
class JobListener {
 public:
  virtual ~JobListener() = default;

  // The job is open on a companion; batches for it carry this id.
  virtual void on_job_ready(JobId job) = 0;
  // The companion that had it is gone: what was shipped will not be answered. The job is opened
  // again elsewhere, and on_job_ready follows. `is_suspect`: it died or hung, and of all batches
  // it had this job's longest.
  virtual void on_job_lost(const Error& reason, bool is_suspect) = 0;
  // An answer that names the job's current id; nothing else of it has been looked at.
  virtual void on_batch_done(Frame frame) = 0;
  virtual void on_batch_failed(Frame frame) = 0;
};

struct CompanionsOptions {
  std::string token;           // what a Hello must carry
  std::string socket_address;  // RETINUE_SOCKET of spawned processes
  // Where those who start a companion by hand find both.
  std::string environment_file;
  Duration heartbeat_interval = Duration::seconds(5);
  Duration heartbeat_timeout = Duration::seconds(20);  // silence that counts as gone
  Duration kill_delay = Duration::seconds(5);          // from SIGTERM to SIGKILL
};

// For status output and metrics.
struct CompanionStatus {
  CompanionName companion;
  uint32_t processes_wanted = 0;
  uint32_t processes_connected = 0;
  uint64_t restarts = 0;
  uint64_t protocol_violations = 0;
  uint64_t deadlines_missed = 0;
  std::string last_error;  // empty: none
};

class Companions final : public TransportEvents {
 public:
  Companions(const PipelineSpec& spec, CompanionsOptions options, CompanionTransport& transport,
             LogSink& log, const Clock& clock);
  ~Companions() override;
  Companions(const Companions&) = delete;
  Companions& operator=(const Companions&) = delete;

  // Registers a job. Call before start().
  JobSlot add_job(ComputationId computation, PartitionIndex partition, JobListener& listener);
  // Spawns the companions that have a command; the others are waited for.
  void start();

  // The current id of the job; nullopt while it is not open anywhere.
  std::optional<JobId> job_id(JobSlot slot) const;
  // A writer for the next batch.
  std::unique_ptr<FrameWriter> take_writer();
  // Sends a frame that holds a Batch of the job. It must be answered within the companion's
  // batch_timeout, or the companion counts as hung and is killed. A process that has several
  // batches is timed on the one it has had longest, from when that became so: it may work on them
  // one after the other.
  // Precondition: job_id(slot) is set and is the frame's.
  void ship(JobSlot slot, std::unique_ptr<FrameWriter> frame);
  // The job's last answer was accepted and applied: its companion makes progress, which restores
  // its restart budget.
  void note_progress(JobSlot slot);
  // The batch that takes the job's companions down is cut, or put aside: what is shipped next is
  // another one, with a restart budget and a restart delay of its own.
  void note_suspect_cut(JobSlot slot);
  // The job's last answer broke the protocol: its session is closed, its process replaced. Every
  // job of that session is lost, this one included (on_job_lost is called from within).
  void reject_answer(JobSlot slot, const Error& violation);

  // --- events of the outside world
  void on_connected(ConnectionId connection) override;
  void on_frame(ConnectionId connection, Frame frame) override;
  void on_disconnected(ConnectionId connection, const Error& reason) override;
  void on_process_exited(ProcessId process, std::string_view status) override;
  // Does what is due: deadlines, heartbeats, restarts, kills.
  void tick();
  // When tick() is next needed, on Clock::monotonic.
  std::optional<Duration> next_wakeup() const;

  // Ends every session: Drain, then Goodbye or the deadline, SIGTERM, SIGKILL. Call when nothing is
  // out any more.
  void drain();
  // After drain(): every connection is closed and every spawned process has exited.
  bool is_drained() const;

  // Set once a companion has used up its restarts, or is refused for good (wrong version, function
  // not served): the pipeline cannot go on. The message says which companion, why, and the remedy.
  const std::optional<Error>& fatal_error() const;
  std::vector<CompanionStatus> status() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace retinue::worker
