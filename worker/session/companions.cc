#include "worker/session/companions.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "protocol/base/check.h"
#include "worker/session/job_table.h"
#include "worker/session/session.h"
#include "worker/session/supervision.h"

namespace retinue::worker {
namespace {

// Why and how a session ends.
struct Ending {
  Error reason;
  Supervision::Removal removal = Supervision::Removal::kTerminate;
  bool is_closed_by_peer = false;
  // The peer died or hung at what it was doing.
  bool is_crash = false;
};

Error shutting_down() {
  return {ErrorCode::kDraining, "the worker is shutting down"};
}

}  // namespace

struct Companions::Impl {
  Impl(const PipelineSpec& spec, CompanionsOptions given, CompanionTransport& transport,
       LogSink& log, const Clock& clock)
      : options(std::move(given)), context{spec, options, transport, log, clock}, jobs(context) {}

  Session* find_session(ConnectionId connection) {
    const auto found = sessions.find(connection);
    return found == sessions.end() ? nullptr : found->second.get();
  }
  Supervision* find_companion(const CompanionName& name) {
    const auto found = companions.find(name);
    return found == companions.end() ? nullptr : found->second.get();
  }
  // Of a session whose Hello was accepted.
  Supervision& companion_of(const Session& session) {
    return *companions.at(session.hello().companion);
  }

  // --- what frames mean
  void handle(Session&, std::monostate) {}
  void handle(Session& session, HelloReceived);
  void handle(Session& session, HelloRefused event);
  void handle(Session& session, SessionBroken event);
  void handle(Session& session, SessionLeft event);
  void handle(Session&, JobOpened event) { jobs.on_opened(event.job); }
  void handle(Session&, JobRefused event) { jobs.on_refused(event.job, std::move(event.error)); }
  void handle(Session&, BatchAnswered event) { jobs.on_answered(std::move(event)); }

  void end_session(ConnectionId connection, const Ending& ending);
  void assign(Supervision& companion) {
    if (!is_draining) {
      jobs.assign(companion, sessions);
    }
  }

  const CompanionsOptions options;
  const SessionContext context;
  std::map<CompanionName, std::unique_ptr<Supervision>> companions;
  Sessions sessions;
  JobTable jobs;
  uint64_t last_process = 0;
  bool is_draining = false;
};

// --- the handshake

void Companions::Impl::handle(Session& session, HelloReceived) {
  const Hello& hello = session.hello();
  Supervision* const companion = find_companion(hello.companion);
  std::optional<Error> objection;
  if (is_draining) {
    objection = shutting_down();
  } else if (companion == nullptr) {
    objection = Error{ErrorCode::kNotFound, "no computation of the spec uses this companion"};
  } else {
    objection = companion->check_admission(hello.process);
  }
  if (objection) {
    session.refuse(*objection, {});
    context.log.warning("companion refused",
                        {{"companion", hello.companion.value()}, {"reason", objection->message}});
    end_session(session.connection(), {*objection});
    return;
  }
  session.welcome();
  companion->on_session_opened(hello.process);
  context.log.info("companion connected", {{"companion", hello.companion.value()},
                                           {"sdk", hello.sdk},
                                           {"language", hello.language},
                                           {"pid", std::to_string(hello.pid)}});
  assign(*companion);
}

void Companions::Impl::handle(Session& session, HelloRefused event) {
  const HelloRefusal& refusal = event.refusal;
  context.log.warning("companion refused", {{"reason", refusal.error.message}});
  // A spawned process is judged by the companion it was spawned for, whatever name it gives.
  for (const auto& [name, companion] : companions) {
    if (refusal.process ? companion->owns(*refusal.process) : refusal.companion == name) {
      companion->on_hello_refused(refusal.process, refusal.error);
    }
  }
  end_session(session.connection(), {refusal.error});
}

// --- endings

void Companions::Impl::handle(Session& session, SessionBroken event) {
  const Error& reason = event.reason;
  if (session.phase() != Session::Phase::kHandshake) {
    companion_of(session).note_protocol_violation();
    session.say_goodbye(reason.to_string());
  }
  context.log.error("protocol violated",
                    {{"companion", session.hello().companion.value()}, {"reason", reason.message}});
  end_session(session.connection(),
              {{reason.code, fmt::format("broke the protocol: {}", reason.message)}});
}

void Companions::Impl::handle(Session& session, SessionLeft event) {
  if (session.phase() == Session::Phase::kDraining) {
    session.say_goodbye("drained");
  }
  end_session(session.connection(),
              {{ErrorCode::kConnectionClosed, fmt::format("said goodbye: {}", event.reason)},
               Supervision::Removal::kAwaitExit});
}

void Companions::Impl::end_session(ConnectionId connection, const Ending& ending) {
  const auto found = sessions.find(connection);
  const std::unique_ptr<Session> session = std::move(found->second);
  sessions.erase(found);
  if (!ending.is_closed_by_peer) {
    context.transport.close(connection);
  }
  if (session->phase() == Session::Phase::kHandshake) {
    return;
  }
  Supervision& companion = companion_of(*session);
  companion.on_session_lost(session->hello().process, ending.reason, ending.removal);
  jobs.on_session_lost(
      *session,
      Error(ending.reason).with_context(fmt::format("companion \"{}\"", companion.name().value())),
      ending.is_crash);
  assign(companion);
}

// --- the public face

Companions::Companions(const PipelineSpec& spec, CompanionsOptions options,
                       CompanionTransport& transport, LogSink& log, const Clock& clock)
    : impl_(std::make_unique<Impl>(spec, std::move(options), transport, log, clock)) {}

Companions::~Companions() = default;

JobSlot Companions::add_job(ComputationId computation, PartitionIndex partition,
                            JobListener& listener) {
  const CompanionName& name = impl_->context.spec.computations.at(computation).companion;
  auto& companion = impl_->companions[name];
  if (companion == nullptr) {
    companion = std::make_unique<Supervision>(impl_->context, name, impl_->last_process);
  }
  return impl_->jobs.add(std::move(computation), partition, *companion, listener);
}

void Companions::start() {
  impl_->jobs.seal();
  for (const auto& [name, companion] : impl_->companions) {
    companion->start();
  }
}

std::optional<JobId> Companions::job_id(JobSlot slot) const {
  const Job& job = impl_->jobs.at(slot);
  return job.is_open ? job.id : std::nullopt;
}

std::unique_ptr<FrameWriter> Companions::take_writer() {
  return impl_->context.transport.take_writer();
}

void Companions::ship(JobSlot slot, std::unique_ptr<FrameWriter> frame) {
  const Job& job = impl_->jobs.at(slot);
  RETINUE_CHECK(job.is_open, "a batch for a job that is not open");
  impl_->sessions.at(job.connection)->ship(*job.id, std::move(frame));
}

void Companions::note_progress(JobSlot slot) {
  Job& job = impl_->jobs.at(slot);
  job.failures = 0;
  std::optional<ProcessId> process;
  if (job.id) {
    process = impl_->sessions.at(job.connection)->hello().process;
  }
  job.companion->note_progress(process);
}

void Companions::note_suspect_cut(JobSlot slot) {
  Job& job = impl_->jobs.at(slot);
  job.failures = 0;
  job.companion->forgive();
}

void Companions::reject_answer(JobSlot slot, const Error& violation) {
  const Job& job = impl_->jobs.at(slot);
  if (job.is_open) {
    impl_->handle(*impl_->sessions.at(job.connection), SessionBroken{violation});
  }
  impl_->jobs.deliver();
}

// --- events

void Companions::on_connected(ConnectionId connection) {
  impl_->sessions.emplace(connection, std::make_unique<Session>(impl_->context, connection));
}

void Companions::on_frame(ConnectionId connection, Frame frame) {
  Session* const session = impl_->find_session(connection);
  if (session == nullptr) {
    return;
  }
  std::visit([&](auto&& event) { impl_->handle(*session, std::move(event)); },
             session->receive(std::move(frame)));
  impl_->jobs.deliver();
}

void Companions::on_disconnected(ConnectionId connection, const Error& reason) {
  Session* const session = impl_->find_session(connection);
  if (session == nullptr) {
    return;
  }
  const bool is_violation =
      reason.code == ErrorCode::kMalformedFrame || reason.code == ErrorCode::kLimitExceeded;
  if (is_violation && session->phase() != Session::Phase::kHandshake) {
    impl_->companion_of(*session).note_protocol_violation();
  }
  impl_->end_session(connection, {.reason = reason,
                                  .removal = is_violation ? Supervision::Removal::kTerminate
                                                          : Supervision::Removal::kAwaitExit,
                                  .is_closed_by_peer = true,
                                  .is_crash = true});
  impl_->jobs.deliver();
}

void Companions::on_process_exited(ProcessId process, std::string_view status) {
  for (const auto& [name, companion] : impl_->companions) {
    if (companion->owns(process)) {
      companion->on_process_exited(process, status);
      break;
    }
  }
  const auto orphan = std::ranges::find_if(impl_->sessions, [&](const auto& entry) {
    const Session& session = *entry.second;
    return session.phase() != Session::Phase::kHandshake && session.hello().process == process;
  });
  if (orphan != impl_->sessions.end()) {
    impl_->end_session(orphan->first, {.reason = {ErrorCode::kConnectionClosed,
                                                  fmt::format("its process {}", status)},
                                       .is_crash = true});
  }
  impl_->jobs.deliver();
}

void Companions::tick() {
  std::vector<std::pair<ConnectionId, Error>> late;
  for (const auto& [connection, session] : impl_->sessions) {
    session->keep_alive();
    if (auto error = session->overdue()) {
      late.emplace_back(connection, *std::move(error));
    }
  }
  for (const auto& [connection, error] : late) {
    const Session& session = *impl_->find_session(connection);
    const bool is_serving = session.phase() == Session::Phase::kServing;
    if (is_serving) {
      impl_->companion_of(session).note_deadline_missed();
    }
    impl_->end_session(connection, {.reason = error,
                                    .removal = impl_->is_draining ? Supervision::Removal::kTerminate
                                                                  : Supervision::Removal::kKill,
                                    .is_crash = is_serving});
  }
  for (const auto& [name, companion] : impl_->companions) {
    companion->tick();
    impl_->assign(*companion);
  }
  impl_->jobs.deliver();
}

std::optional<Duration> Companions::next_wakeup() const {
  std::optional<Duration> next;
  const auto consider = [&](std::optional<Duration> due) {
    next = next && due ? std::min(*next, *due) : (due ? due : next);
  };
  for (const auto& [connection, session] : impl_->sessions) {
    consider(session->next_wakeup());
  }
  for (const auto& [name, companion] : impl_->companions) {
    consider(companion->next_wakeup());
  }
  consider(impl_->jobs.next_retry());
  return next;
}

// --- the end

void Companions::drain() {
  if (std::exchange(impl_->is_draining, true)) {
    return;
  }
  impl_->jobs.silence();
  for (const auto& [name, companion] : impl_->companions) {
    companion->drain();
  }
  std::vector<ConnectionId> strangers;
  for (const auto& [connection, session] : impl_->sessions) {
    if (session->phase() == Session::Phase::kHandshake) {
      strangers.push_back(connection);
    } else {
      session->drain(impl_->options.kill_delay);
    }
  }
  for (const ConnectionId connection : strangers) {
    impl_->end_session(connection, {shutting_down()});
  }
}

bool Companions::is_drained() const {
  return impl_->is_draining && impl_->sessions.empty() &&
         std::ranges::all_of(impl_->companions,
                             [](const auto& entry) { return entry.second->is_stopped(); });
}

const std::optional<Error>& Companions::fatal_error() const {
  static const std::optional<Error> kNone;
  for (const auto& [name, companion] : impl_->companions) {
    if (companion->fatal_error()) {
      return companion->fatal_error();
    }
  }
  return kNone;
}

std::vector<CompanionStatus> Companions::status() const {
  std::vector<CompanionStatus> statuses;
  for (const auto& [name, companion] : impl_->companions) {
    statuses.push_back(companion->status());
  }
  return statuses;
}

}  // namespace retinue::worker
