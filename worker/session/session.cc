#include "worker/session/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "protocol/base/check.h"
#include "protocol/base/limits.h"
#include "protocol/frame/guard.h"
#include "protocol/frame/wire_values.h"

namespace retinue::worker {
namespace {

constexpr size_t kLogFieldsLimit = 64;

SessionBroken violation(std::string message) {
  return SessionBroken{{ErrorCode::kProtocolViolation, std::move(message)}};
}

std::string bounded(capnp::Text::Reader text, size_t bytes_limit = limits::kErrorTextBytesLimit) {
  return std::string(as_view(text).substr(0, bytes_limit));
}

LogLevel log_level(wire::LogLevel level) {
  switch (level) {
    case wire::LogLevel::DEBUG: return LogLevel::kDebug;
    case wire::LogLevel::WARNING: return LogLevel::kWarning;
    case wire::LogLevel::ERROR: return LogLevel::kError;
    default: return LogLevel::kInfo;
  }
}

std::string place_name(const JobPlace& place) {
  return fmt::format("{}/{}", place.computation.value(), place.partition.value());
}

}  // namespace

Session::Session(const SessionContext& context, ConnectionId connection)
    : context_(context),
      connection_(connection),
      connected_at_(context.clock.monotonic()),
      next_ping_(connected_at_ + context.options.heartbeat_interval) {}

SessionEvent Session::receive(Frame frame) {
  silent_since_.reset();
  auto event = decode_guarded([&]() -> Result<SessionEvent> { return handle(frame); });
  return event ? *std::move(event) : SessionBroken{std::move(event).error()};
}

SessionEvent Session::handle(Frame& frame) {
  using Kind = wire::Envelope::Which;
  const auto envelope = frame.envelope();
  if (phase_ == Phase::kHandshake) {
    return envelope.isHello() ? handle_hello(envelope.getHello())
                              : violation("the first message must be a Hello");
  }
  switch (envelope.which()) {
    case Kind::HELLO: return violation("a second Hello");
    case Kind::PING: {
      auto writer = context_.transport.take_writer();
      writer->begin().initPong().setNonce(envelope.getPing().getNonce());
      send(std::move(writer));
      return {};
    }
    case Kind::PONG: return {};
    case Kind::LOG: forward_log(envelope.getLog()); return {};
    case Kind::GOODBYE: return SessionLeft{bounded(envelope.getGoodbye().getReason())};
    case Kind::JOB_READY: return handle_job_ready(JobId(envelope.getJobReady().getJob()));
    case Kind::JOB_FAILED: return handle_job_failed(envelope.getJobFailed());
    case Kind::BATCH_DONE:
      return handle_answer(JobId(envelope.getBatchDone().getJob()), frame, true);
    case Kind::BATCH_FAILED:
      return handle_answer(JobId(envelope.getBatchFailed().getJob()), frame, false);
    case Kind::LOAD_STATES: return handle_load_states(envelope.getLoadStates());
    case Kind::WELCOME:
    case Kind::REJECT:
    case Kind::DRAIN:
    case Kind::OPEN_JOB:
    case Kind::UPDATE_JOB:
    case Kind::CLOSE_JOB:
    case Kind::BATCH:
    case Kind::STATES_LOADED: return violation("a message that only the worker may send");
    case Kind::UNKNOWN: break;
  }
  return {};  // of a newer peer: ignored
}

SessionEvent Session::handle_hello(wire::Hello::Reader in) {
  auto outcome = read_hello(in, context_.options.token, context_.spec);
  if (auto* refusal = std::get_if<HelloRefusal>(&outcome)) {
    refuse(refusal->error, refusal->remedy);
    return HelloRefused{std::move(*refusal)};
  }
  hello_ = std::get<Hello>(std::move(outcome));
  return HelloReceived{};
}

void Session::welcome() {
  RETINUE_CHECK(phase_ == Phase::kHandshake);
  phase_ = Phase::kServing;
  context_.transport.accept_large_frames(connection_);
  auto writer = context_.transport.take_writer();
  write_welcome(writer->begin().initWelcome(), hello_, SessionId(connection_.value()),
                context_.spec.name, context_.options.heartbeat_interval);
  send(std::move(writer));
}

void Session::refuse(const Error& error, std::string_view remedy) {
  auto writer = context_.transport.take_writer();
  write_reject(writer->begin().initReject(), error, remedy);
  send(std::move(writer));
}

// --- jobs

void Session::open_job(JobId job, const JobPlace& place) {
  const Duration now = context_.clock.monotonic();
  if (jobs_opening_++ == 0) {
    opening_since_ = now;
  }
  jobs_.emplace(job, Job{.place = place});
  auto writer = context_.transport.take_writer();
  write_open_job(writer->begin().initOpenJob(), job, place, context_.spec);
  send(std::move(writer));
}

SessionEvent Session::handle_job_ready(JobId job) {
  const auto found = jobs_.find(job);
  if (found == jobs_.end() || found->second.is_open) {
    return violation(fmt::format("JobReady for job {}, which is not being opened", job.value()));
  }
  found->second.is_open = true;
  --jobs_opening_;
  opening_since_ = context_.clock.monotonic();
  return JobOpened{job};
}

SessionEvent Session::handle_job_failed(wire::JobFailed::Reader in) {
  const JobId job(in.getJob());
  const auto found = jobs_.find(job);
  if (found == jobs_.end()) {
    return violation(fmt::format("JobFailed for job {}, which it does not have", job.value()));
  }
  jobs_opening_ -= found->second.is_open ? 0 : 1;
  opening_since_ = context_.clock.monotonic();
  if (!out_.empty() && out_.front() == job) {
    oldest_since_ = opening_since_;
  }
  std::erase(out_, job);
  jobs_.erase(found);
  return JobRefused{job, read_error(in.getError())};
}

void Session::ship(JobId job, std::unique_ptr<FrameWriter> batch) {
  const auto found = jobs_.find(job);
  RETINUE_CHECK(found != jobs_.end() && found->second.is_open, "a batch for a job not open here");
  if (out_.empty()) {
    oldest_since_ = context_.clock.monotonic();
  }
  out_.push_back(job);
  ++found->second.batches_out;
  send(std::move(batch));
}

bool Session::has_batch_out(JobId job) const {
  const auto found = jobs_.find(job);
  return found != jobs_.end() && found->second.batches_out > 0;
}

SessionEvent Session::handle_answer(JobId job, Frame& frame, bool done) {
  const auto found = jobs_.find(job);
  if (found == jobs_.end() || found->second.batches_out == 0) {
    return violation(fmt::format("an answer for job {}, which has no batch out", job.value()));
  }
  --found->second.batches_out;
  const auto answered = std::ranges::find(out_, job);
  if (answered == out_.begin()) {
    oldest_since_ = context_.clock.monotonic();
  }
  out_.erase(answered);
  return BatchAnswered{job, std::move(frame), done};
}

// Every state of a batch's keys is shipped with it, so there is never one left to load.
SessionEvent Session::handle_load_states(wire::LoadStates::Reader in) {
  const JobId job(in.getJob());
  if (!has_batch_out(job)) {
    return violation(fmt::format("LoadStates for job {}, which has no batch out", job.value()));
  }
  auto writer = context_.transport.take_writer();
  auto loaded = writer->begin().initStatesLoaded();
  loaded.setJob(job.value());
  loaded.setEpoch(in.getEpoch());
  loaded.setRequest(in.getRequest());
  write_error(loaded.initError(),
              {ErrorCode::kNotSupported, "every state of the batch is already loaded"});
  send(std::move(writer));
  return {};
}

void Session::forward_log(wire::Log::Reader in) {
  LogEntry entry{.level = log_level(in.getLevel()), .message = bounded(in.getMessage())};
  entry.fields.push_back({"companion", hello_.companion.value()});
  if (const auto found = jobs_.find(JobId(in.getJob())); found != jobs_.end()) {
    entry.fields.push_back({"job", place_name(found->second.place)});
  }
  for (const auto field : in.getFields()) {
    if (entry.fields.size() == kLogFieldsLimit) {
      break;
    }
    entry.fields.push_back(
        {bounded(field.getName(), limits::kNameBytesLimit), bounded(field.getValue())});
  }
  context_.log.write(entry);
}

// --- endings and time

void Session::drain(Duration within) {
  phase_ = Phase::kDraining;
  drain_due_ = context_.clock.monotonic() + within;
  auto writer = context_.transport.take_writer();
  writer->begin().initDrain().setDeadlineUs((context_.clock.now() + within).microseconds());
  send(std::move(writer));
}

void Session::say_goodbye(std::string_view reason) {
  auto writer = context_.transport.take_writer();
  writer->begin().initGoodbye().setReason(std::string(reason));
  send(std::move(writer));
}

void Session::keep_alive() {
  const Duration now = context_.clock.monotonic();
  if (phase_ == Phase::kHandshake || now < next_ping_) {
    return;
  }
  next_ping_ = now + context_.options.heartbeat_interval;
  silent_since_ = silent_since_.value_or(now);
  auto writer = context_.transport.take_writer();
  writer->begin().initPing().setNonce(++pings_);
  send(std::move(writer));
}

std::optional<Session::Due> Session::due() const {
  switch (phase_) {
    case Phase::kHandshake:
      return Due{connected_at_ + context_.options.heartbeat_timeout, Debt::kHello};
    case Phase::kDraining: return Due{drain_due_, Debt::kGoodbye};
    case Phase::kServing: break;
  }
  const std::optional<Due> work = work_due();
  if (!silent_since_ || (work && !hello_.has_heartbeat_at_work)) {
    return work;
  }
  const Due sign_of_life{*silent_since_ + context_.options.heartbeat_timeout, Debt::kSignOfLife};
  return work && work->at < sign_of_life.at ? work : sign_of_life;
}

std::optional<Session::Due> Session::work_due() const {
  if (!out_.empty()) {
    return Due{oldest_since_ + companion().batch_timeout, Debt::kAnswer};
  }
  if (jobs_opening_ > 0) {
    return Due{opening_since_ + companion().startup_timeout, Debt::kOpenJob};
  }
  return std::nullopt;
}

std::optional<Error> Session::overdue() const {
  const std::optional<Due> owed = due();
  if (!owed || context_.clock.monotonic() < owed->at) {
    return std::nullopt;
  }
  const std::string silence = format_duration(context_.options.heartbeat_timeout);
  const std::string work =
      out_.empty() ? "" : fmt::format("a batch of {}", place_name(jobs_.at(out_.front()).place));
  std::string message;
  switch (owed->debt) {
    case Debt::kHello: message = fmt::format("did not say Hello within {}", silence); break;
    case Debt::kGoodbye: message = "did not say Goodbye before the drain's deadline"; break;
    case Debt::kAnswer:
      message = fmt::format("did not answer {} within {} (batch_timeout)", work,
                            format_duration(companion().batch_timeout));
      break;
    case Debt::kOpenJob:
      message = fmt::format("did not open a job within {} (startup_timeout)",
                            format_duration(companion().startup_timeout));
      break;
    case Debt::kSignOfLife:
      message = fmt::format("did not answer a ping within {}{}: it is stopped, or starved of CPU",
                            silence, work.empty() ? "" : " while it had " + work);
      break;
  }
  return Error{ErrorCode::kDeadlineExceeded, std::move(message)};
}

Duration Session::next_wakeup() const {
  const std::optional<Due> owed = due();
  if (phase_ == Phase::kHandshake) {
    return owed->at;
  }
  return owed ? std::min(owed->at, next_ping_) : next_ping_;
}

void Session::send(std::unique_ptr<FrameWriter> frame) {
  context_.transport.send(connection_, std::move(frame));
}

}  // namespace retinue::worker
