// Session: one connection with a companion process, as a state machine.
//
// It starts in the handshake, serves once a Hello is accepted, and drains before it ends. Frames go
// in, what they mean to the layers above comes out as a SessionEvent, and answers that concern the
// session alone (Welcome, Reject, Pong) are sent from within. A frame that is illegal in the state
// gives a SessionBroken: the owner closes the session.
//
// Threads: one. Borrows: the context.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "protocol/base/clock.h"
#include "protocol/base/ids.h"
#include "protocol/base/result.h"
#include "protocol/frame/frame_reader.h"
#include "protocol/frame/frame_writer.h"
#include "worker/session/hello.h"
#include "worker/session/job_opening.h"
#include "worker/session/session_context.h"

namespace retinue::worker {

// The Hello is right; the owner calls welcome() or refuse().
struct HelloReceived {};
// The Hello was refused; a Reject is sent. The owner closes the session.
struct HelloRefused {
  HelloRefusal refusal;
};
// The peer broke the protocol. The owner closes the session.
struct SessionBroken {
  Error reason;
};
// The peer said Goodbye: it takes no more work.
struct SessionLeft {
  std::string reason;
};
struct JobOpened {
  JobId job;
};
struct JobRefused {
  JobId job;
  Error error;
};
struct BatchAnswered {
  JobId job;
  Frame frame;
  bool done = false;  // BatchDone, not BatchFailed
};
// monostate: nothing for the owner to do.
using SessionEvent = std::variant<std::monostate, HelloReceived, HelloRefused, SessionBroken,
                                  SessionLeft, JobOpened, JobRefused, BatchAnswered>;

class Session {
 public:
  enum class Phase : uint8_t { kHandshake, kServing, kDraining };

  Session(const SessionContext& context, ConnectionId connection);

  SessionEvent receive(Frame frame);

  // After HelloReceived, one of these.
  void welcome();
  void refuse(const Error& error, std::string_view remedy);

  // --- serving
  void open_job(JobId job, const JobPlace& place);
  // Precondition: the job is open here.
  void ship(JobId job, std::unique_ptr<FrameWriter> batch);
  void drain(Duration within);
  // Says why, as a Goodbye; for a session that the worker is about to close.
  void say_goodbye(std::string_view reason);

  // Sends a Ping if one is due.
  void keep_alive();
  // kDeadlineExceeded once the peer failed to do in time what it owes. A peer that works on a
  // batch or opens a job may be silent as long as that may take, unless it has said that it answers
  // pings at work.
  std::optional<Error> overdue() const;
  // When keep_alive() or overdue() next has something.
  Duration next_wakeup() const;

  ConnectionId connection() const { return connection_; }
  Phase phase() const { return phase_; }
  // Set from HelloReceived on.
  const Hello& hello() const { return hello_; }
  size_t job_count() const { return jobs_.size(); }
  bool has_batch_out(JobId job) const;
  // The job of the batch that the peer has had longest.
  std::optional<JobId> oldest_batch_out() const {
    return out_.empty() ? std::nullopt : std::optional(out_.front());
  }

 private:
  struct Job {
    JobPlace place;
    bool is_open = false;
    uint32_t batches_out = 0;
  };

  SessionEvent handle(Frame& frame);
  SessionEvent handle_hello(wire::Hello::Reader in);
  SessionEvent handle_job_ready(JobId job);
  SessionEvent handle_job_failed(wire::JobFailed::Reader in);
  SessionEvent handle_answer(JobId job, Frame& frame, bool done);
  SessionEvent handle_load_states(wire::LoadStates::Reader in);
  void forward_log(wire::Log::Reader in);
  enum class Debt : uint8_t { kHello, kGoodbye, kAnswer, kOpenJob, kSignOfLife };
  struct Due {
    Duration at;
    Debt debt;
  };
  // What the peer owes next; nullopt: nothing.
  std::optional<Due> due() const;
  std::optional<Due> work_due() const;
  const CompanionSpec& companion() const { return context_.spec.companions.at(hello_.companion); }
  void send(std::unique_ptr<FrameWriter> frame);

  const SessionContext& context_;
  const ConnectionId connection_;
  Phase phase_ = Phase::kHandshake;
  Hello hello_;
  std::map<JobId, Job> jobs_;
  std::deque<JobId> out_;  // batches that wait for an answer, oldest first
  Duration oldest_since_;  // when out_.front() became the oldest
  uint32_t jobs_opening_ = 0;
  Duration opening_since_;  // when the last OpenJob was sent or the last JobReady came
  const Duration connected_at_;
  // When the oldest ping was sent that nothing was heard after. Silence counts from there, not from
  // the last frame: a worker that was stopped itself has sent no ping meanwhile.
  std::optional<Duration> silent_since_;
  Duration drain_due_;
  Duration next_ping_;
  uint64_t pings_ = 0;
};

}  // namespace retinue::worker
