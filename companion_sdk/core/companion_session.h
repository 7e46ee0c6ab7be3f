// CompanionSession: the companion's side of a session, as a state machine without I/O.
//
//   session.write_hello(writer);                       // and send it
//   for each frame:
//     Result<SessionEvent> event = session.receive(std::move(frame), writer);
//     switch on the event; Reply: send what is in `writer`; JobOpened: write_job_ready or
//     write_job_failed; BatchArrived: write_batch_done or write_batch_failed; …
//
// An error of receive() ends the session: say Goodbye with it and close. What is wrong with one
// OpenJob or Batch does not: the session answers JobFailed or BatchFailed by itself. Messages that
// this release does not know are ignored.
// Threads: one at a time; write_log, write_goodbye and answer_ping from any thread, with a writer
// of their own. Owns: the jobs' specs and the current batch. Borrows: the clock.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "companion_sdk/core/batch_answer.h"
#include "companion_sdk/core/batch_view.h"
#include "companion_sdk/core/job_spec.h"
#include "protocol/base/clock.h"
#include "protocol/base/limits.h"
#include "protocol/base/result.h"
#include "protocol/frame/frame_reader.h"
#include "protocol/frame/frame_writer.h"

namespace retinue::companion {

// What this release speaks; any minor version of the same major works.
inline constexpr uint16_t kProtocolMajor = 1;
inline constexpr uint16_t kProtocolMinor = 0;

struct ServedFunction {
  std::string name;
  bool processes_timers = false;
  bool processes_visits = false;
};

struct SessionOptions {
  std::string sdk;       // "retinue-cpp 0.1.0"
  std::string language;  // "c++"
  uint64_t pid = 0;      // 0: not known
  std::string token;
  std::string companion;  // the name under `companions` in the spec
  std::vector<ServedFunction> functions;
  std::vector<std::string> capabilities;
};

// What the worker said in its Welcome. A limit that it left out has the value of limits.h.
struct WorkerInfo {
  uint16_t major = 0;
  uint16_t minor = 0;
  uint64_t session_id = 0;
  std::string worker;
  std::string pipeline;
  Duration heartbeat_interval;
  size_t frame_bytes_limit = limits::kFrameBytesLimit;
  std::vector<std::string> capabilities;
};

// --- what receive() says happened
struct Ignored {};  // nothing to do
struct Reply {};    // `reply` holds a message to send
struct Welcomed {};
struct Rejected {
  Error error;  // with the remedy, in parentheses
};
struct JobOpened {
  std::shared_ptr<const JobSpec> job;  // changes in place when an UpdateJob comes
};
struct JobUpdated {
  JobId job;
};
struct JobClosed {
  JobId job;
  std::string reason;
};
// Answer it before the next receive(), which drops the batch.
struct BatchArrived {
  JobId job;
  const BatchView* batch = nullptr;
};
struct DrainRequested {
  Timestamp deadline;
};
struct WorkerDeparted {
  std::string reason;
};
using SessionEvent = std::variant<Ignored, Reply, Welcomed, Rejected, JobOpened, JobUpdated,
                                  JobClosed, BatchArrived, DrainRequested, WorkerDeparted>;

// Why a batch failed as a whole.
struct BatchFailure {
  Error error;
  std::optional<OrderPosition> input;
  std::string exception_type;
  std::string trace;  // as the language prints it, innermost last
};

enum class LogLevel : uint8_t { kDebug, kInfo, kWarning, kError };
using LogFields = std::vector<std::pair<std::string, std::string>>;

class CompanionSession {
 public:
  CompanionSession(SessionOptions options, const Clock& clock);

  void write_hello(FrameWriter& out);
  // Errors, all of them the end of the session: kMalformedFrame, kProtocolViolation,
  // kVersionMismatch.
  Result<SessionEvent> receive(Frame frame, FrameWriter& reply);

  void write_job_ready(FrameWriter& out, JobId job) const;
  // Forgets the job.
  void write_job_failed(FrameWriter& out, JobId job, const Error& error);
  // Both answer the current batch. Errors of the first: as BatchAnswer::write, kLimitExceeded for
  // more bytes than the worker takes; then the batch is still to be answered.
  Result<void> write_batch_done(FrameWriter& out, BatchAnswer& answer);
  void write_batch_failed(FrameWriter& out, const BatchFailure& failure);
  void write_log(FrameWriter& out, LogLevel level, std::optional<JobId> job,
                 std::string_view message, const LogFields& fields) const;
  void write_goodbye(FrameWriter& out, std::string_view reason) const;

  // Set once Welcomed.
  const std::optional<WorkerInfo>& worker() const { return worker_; }

 private:
  enum class State : uint8_t { kNew, kAwaitingWelcome, kOpen, kDraining, kClosed };

  Result<SessionEvent> dispatch(wire::Envelope::Reader envelope, FrameWriter& reply);
  Result<SessionEvent> on_answer_to_hello(wire::Envelope::Reader envelope);
  Result<SessionEvent> on_open_job(wire::OpenJob::Reader in, FrameWriter& reply);
  Result<SessionEvent> on_update_job(wire::UpdateJob::Reader in);
  Result<SessionEvent> on_close_job(wire::CloseJob::Reader in);
  Result<SessionEvent> on_batch(wire::Batch::Reader in, FrameWriter& reply);
  bool serves(std::string_view function) const;

  const SessionOptions options_;
  const Clock& clock_;
  State state_ = State::kNew;
  std::optional<WorkerInfo> worker_;
  std::map<JobId, std::shared_ptr<JobSpec>> jobs_;
  std::optional<Frame> frame_;  // what the current batch lies in
  BatchView batch_;
  bool is_batch_out_ = false;  // read, and not answered yet
};

// Writes the Pong when `frame` is a Ping: for a thread of its own that keeps heartbeats going while
// a handler works.
bool answer_ping(const Frame& frame, FrameWriter& out);

}  // namespace retinue::companion
