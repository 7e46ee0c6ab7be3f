#include "companion_sdk/core/companion_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "companion_sdk/core/session_messages.h"
#include "protocol/base/check.h"
#include "protocol/frame/guard.h"
#include "protocol/frame/wire_values.h"

namespace retinue::companion {
namespace {

Error violation(std::string message) {
  return Error{ErrorCode::kProtocolViolation, std::move(message)};
}

}  // namespace

CompanionSession::CompanionSession(SessionOptions options, const Clock& clock)
    : options_(std::move(options)), clock_(clock) {}

void CompanionSession::write_hello(FrameWriter& out) {
  RETINUE_CHECK(state_ == State::kNew, "one Hello a session");
  state_ = State::kAwaitingWelcome;
  companion::write_hello(out.begin().initHello(), options_);
}

Result<SessionEvent> CompanionSession::receive(Frame frame, FrameWriter& reply) {
  RETINUE_CHECK(!is_batch_out_, "the current batch is not answered");
  frame_ = std::move(frame);
  return decode_guarded([&] { return dispatch(frame_->envelope(), reply); });
}

Result<SessionEvent> CompanionSession::dispatch(wire::Envelope::Reader envelope,
                                                FrameWriter& reply) {
  using Message = wire::Envelope::Which;
  if (state_ == State::kClosed) {
    return SessionEvent(Ignored{});
  }
  const Message which = envelope.which();
  if (which == Message::PING) {
    reply.begin().initPong().setNonce(envelope.getPing().getNonce());
    return SessionEvent(Reply{});
  }
  if (which == Message::GOODBYE) {
    state_ = State::kClosed;
    return SessionEvent(WorkerDeparted{std::string(as_view(envelope.getGoodbye().getReason()))});
  }
  if (state_ == State::kAwaitingWelcome) {
    return on_answer_to_hello(envelope);
  }
  RETINUE_CHECK(state_ != State::kNew, "no Hello was written");
  switch (which) {
    case Message::OPEN_JOB: return on_open_job(envelope.getOpenJob(), reply);
    case Message::UPDATE_JOB: return on_update_job(envelope.getUpdateJob());
    case Message::CLOSE_JOB: return on_close_job(envelope.getCloseJob());
    case Message::BATCH: return on_batch(envelope.getBatch(), reply);
    case Message::DRAIN:
      state_ = State::kDraining;
      return SessionEvent(DrainRequested{Timestamp(envelope.getDrain().getDeadlineUs())});
    case Message::WELCOME:
    case Message::REJECT: return violation("the worker answered the Hello twice");
    case Message::HELLO:
    case Message::LOG:
    case Message::JOB_READY:
    case Message::JOB_FAILED:
    case Message::BATCH_DONE:
    case Message::BATCH_FAILED:
    case Message::LOAD_STATES:
      return violation(fmt::format("the worker sent message {}, which only companions send",
                                   static_cast<int>(which)));
    default: return SessionEvent(Ignored{});  // a Pong, or what a newer worker knows
  }
}

Result<SessionEvent> CompanionSession::on_answer_to_hello(wire::Envelope::Reader envelope) {
  if (envelope.isReject()) {
    state_ = State::kClosed;
    return SessionEvent(read_reject(envelope.getReject()));
  }
  if (!envelope.isWelcome()) {
    const auto which = static_cast<int>(envelope.which());
    if (envelope.which() == wire::Envelope::UNKNOWN ||
        envelope.which() > wire::Envelope::STATES_LOADED) {
      return SessionEvent(Ignored{});
    }
    return violation(fmt::format("the worker sent message {} before its Welcome", which));
  }
  WorkerInfo worker = read_welcome(envelope.getWelcome());
  if (worker.major != kProtocolMajor) {
    return Error{ErrorCode::kVersionMismatch,
                 fmt::format("the worker chose protocol {}.{}, this SDK speaks {}.{}", worker.major,
                             worker.minor, kProtocolMajor, kProtocolMinor)};
  }
  worker_ = std::move(worker);
  state_ = State::kOpen;
  return SessionEvent(Welcomed{});
}

bool CompanionSession::serves(std::string_view function) const {
  return std::any_of(options_.functions.begin(), options_.functions.end(),
                     [&](const ServedFunction& served) { return served.name == function; });
}

Result<SessionEvent> CompanionSession::on_open_job(wire::OpenJob::Reader in, FrameWriter& reply) {
  const JobId id(in.getJob());
  if (jobs_.contains(id)) {
    return violation(fmt::format("OpenJob.job: job {} is open already", id.value()));
  }
  const auto fail = [&](const Error& error) {
    write_job_failed(reply, id, error);
    return SessionEvent(Reply{});
  };
  const std::string_view function = as_view(in.getFunction());
  if (state_ == State::kDraining) {
    return fail(Error{ErrorCode::kDraining, "this companion is about to leave"});
  }
  if (!serves(function)) {
    return fail(function_not_served(function, options_.functions));
  }
  auto job = read_open_job(in);
  if (!job) {
    return fail(job.error());
  }
  auto shared = std::make_shared<JobSpec>(std::move(job).value());
  jobs_.emplace(id, shared);
  return SessionEvent(JobOpened{std::move(shared)});
}

Result<SessionEvent> CompanionSession::on_update_job(wire::UpdateJob::Reader in) {
  const auto job = jobs_.find(JobId(in.getJob()));
  if (job == jobs_.end()) {
    // The worker may not have read our JobFailed when it sent this.
    return SessionEvent(Ignored{});
  }
  RETINUE_TRY(apply_update(*job->second, in));
  return SessionEvent(JobUpdated{job->first});
}

Result<SessionEvent> CompanionSession::on_close_job(wire::CloseJob::Reader in) {
  const JobId id(in.getJob());
  if (jobs_.erase(id) == 0) {
    return SessionEvent(Ignored{});
  }
  return SessionEvent(JobClosed{id, std::string(as_view(in.getReason()))});
}

Result<SessionEvent> CompanionSession::on_batch(wire::Batch::Reader in, FrameWriter& reply) {
  const auto fail = [&](Error error) {
    write_failure(reply.begin().initBatchFailed(),
                  {.job = in.getJob(), .epoch = in.getEpoch(), .attempt = in.getAttempt()},
                  {.error = std::move(error), .input = {}, .exception_type = {}, .trace = {}});
    return SessionEvent(Reply{});
  };
  const auto job = jobs_.find(JobId(in.getJob()));
  if (job == jobs_.end()) {
    return fail(violation(fmt::format("Batch.job: no job {} is open here", in.getJob())));
  }
  if (state_ == State::kDraining) {
    return fail(Error{ErrorCode::kDraining, "this companion is about to leave"});
  }
  if (auto opened = batch_.open(*job->second, in); !opened) {
    return fail(std::move(opened).error());
  }
  is_batch_out_ = true;
  return SessionEvent(BatchArrived{job->first, &batch_});
}

void CompanionSession::write_job_ready(FrameWriter& out, JobId job) const {
  out.begin().initJobReady().setJob(job.value());
}

void CompanionSession::write_job_failed(FrameWriter& out, JobId job, const Error& error) {
  auto failed = out.begin().initJobFailed();
  failed.setJob(job.value());
  write_error(failed.initError(), error);
  jobs_.erase(job);
}

Result<void> CompanionSession::write_batch_done(FrameWriter& out, BatchAnswer& answer) {
  RETINUE_CHECK(is_batch_out_, "there is no batch to answer");
  RETINUE_TRY(answer.write(out.begin().initBatchDone()));
  if (out.byte_size() > worker_->frame_bytes_limit) {
    return Error{ErrorCode::kLimitExceeded,
                 fmt::format("the answer takes {} bytes, the worker accepts {}: emit less a batch, "
                             "or lower max_rows_per_batch",
                             out.byte_size(), worker_->frame_bytes_limit)};
  }
  is_batch_out_ = false;
  return {};
}

void CompanionSession::write_batch_failed(FrameWriter& out, const BatchFailure& failure) {
  RETINUE_CHECK(is_batch_out_, "there is no batch to answer");
  is_batch_out_ = false;
  write_failure(out.begin().initBatchFailed(),
                {.job = batch_.job().id.value(),
                 .epoch = batch_.epoch().value(),
                 .attempt = batch_.attempt()},
                failure);
}

void CompanionSession::write_log(FrameWriter& out, LogLevel level, std::optional<JobId> job,
                                 std::string_view message, const LogFields& fields) const {
  auto log = out.begin().initLog();
  log.setLevel(static_cast<wire::LogLevel>(level));
  log.setMessage(as_text(std::string(clip_text(message))));
  log.setJob(job ? job->value() : 0);
  log.setTimestampUs(clock_.now().microseconds());
  auto list = log.initFields(static_cast<unsigned>(fields.size()));
  for (unsigned i = 0; i < list.size(); ++i) {
    list[i].setName(as_text(fields[i].first));
    list[i].setValue(as_text(std::string(clip_text(fields[i].second))));
  }
}

void CompanionSession::write_goodbye(FrameWriter& out, std::string_view reason) const {
  out.begin().initGoodbye().setReason(as_text(std::string(clip_text(reason))));
}

bool answer_ping(const Frame& frame, FrameWriter& out) {
  const auto pinged = decode_guarded([&]() -> Result<bool> {
    if (!frame.envelope().isPing()) {
      return false;
    }
    out.begin().initPong().setNonce(frame.envelope().getPing().getNonce());
    return true;
  });
  return pinged.ok() && *pinged;
}

}  // namespace retinue::companion
