#include "worker/session/supervision.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "protocol/base/check.h"
#include "worker/session/hello.h"
#include "worker/spec/problem.h"

namespace retinue::worker {
namespace {

std::vector<std::string> resolve_command(const PipelineSpec& spec, const CompanionSpec& companion) {
  std::vector<std::string> command = companion.command;
  if (command[0].find('/') != std::string::npos) {
    command[0] = (spec.folder / command[0]).lexically_normal().string();
  }
  return command;
}

}  // namespace

// User code may have failed for want of something that comes back.
bool is_final(const Error& error) {
  const ErrorAction action = error_action(error.code);
  return error.code != ErrorCode::kUserCodeFailed &&
         (action == ErrorAction::kFixInput || action == ErrorAction::kUpgrade);
}

Duration restart_delay(const CompanionSpec& companion, uint32_t failures) {
  Duration delay = companion.restart_delay_min;
  for (uint32_t i = 1; i < failures && delay < companion.restart_delay_max; ++i) {
    delay = delay * 2;
  }
  return std::min(delay, companion.restart_delay_max);
}

Supervision::Supervision(const SessionContext& context, CompanionName name, uint64_t& last_process)
    : context_(context),
      name_(std::move(name)),
      spec_(context.spec.companions.at(name_)),
      spec_path_(child_path("/companions", name_.value())),
      last_process_(last_process) {
  status_.companion = name_;
  status_.processes_wanted = spec_.processes;
}

void Supervision::start() {
  started_at_ = context_.clock.monotonic();
  if (!is_spawned()) {
    alone_since_ = started_at_;
    return;
  }
  for (uint32_t index = 0; index < spec_.processes; ++index) {
    processes_.push_back({.index = index});
  }
  for (Process& process : processes_) {
    spawn(process);
  }
}

void Supervision::spawn(Process& process) {
  process.id = ProcessId(++last_process_);
  status_.restarts += process.was_spawned ? 1 : 0;
  process.was_spawned = true;
  SpawnRequest request{.process = process.id,
                       .companion = name_,
                       .index = process.index,
                       .command = resolve_command(context_.spec, spec_),
                       .environment = {spec_.environment.begin(), spec_.environment.end()},
                       .working_directory = spec_.working_directory.string(),
                       .spec_path = spec_path_};
  request.environment.emplace_back("RETINUE_SOCKET", context_.options.socket_address);
  request.environment.emplace_back("RETINUE_TOKEN",
                                   spawned_token(context_.options.token, process.id));
  request.environment.emplace_back("RETINUE_COMPANION", name_.value());
  const Result<uint64_t> pid = context_.transport.spawn(request);
  if (pid) {
    process.phase = Phase::kStarting;
    process.due = context_.clock.monotonic() + spec_.startup_timeout;
    context_.log.info("companion process started", {{"companion", name_.value()},
                                                    {"process", std::to_string(process.index)},
                                                    {"pid", std::to_string(*pid)}});
    return;
  }
  const Error error{pid.error().code,
                    fmt::format("cannot start its process: {}", pid.error().message)};
  if (is_final(error)) {
    note_error(error);
    give_up({error.code, fmt::format("companion \"{}\" {}", name_.value(), error.message)});
  } else {
    count_failure(process, error);
  }
  schedule_restart(process);
}

// --- sessions

std::optional<Error> Supervision::check_admission(std::optional<ProcessId> process) const {
  if (is_draining_) {
    return Error{ErrorCode::kDraining, "the worker is shutting down"};
  }
  const Process* const known = process ? find(*process) : nullptr;
  if (process && (known == nullptr || known->phase != Phase::kStarting)) {
    return Error{ErrorCode::kUnauthorized,
                 known != nullptr && known->phase == Phase::kServing
                     ? "this process has a session already"
                     : "the token is of a process that the worker has given up"};
  }
  return std::nullopt;
}

void Supervision::on_session_opened(std::optional<ProcessId> process) {
  ++status_.processes_connected;
  alone_since_.reset();
  is_gathering_ &= status_.processes_connected < status_.processes_wanted;
  if (process) {
    find(*process)->phase = Phase::kServing;
  }
}

void Supervision::on_session_lost(std::optional<ProcessId> process, const Error& reason,
                                  Removal removal) {
  --status_.processes_connected;
  if (Process* const known = process ? find(*process) : nullptr;
      known != nullptr && known->phase == Phase::kServing) {
    is_gathering_ = false;
    if (removal == Removal::kAwaitExit) {
      known->uncounted = reason;
    } else {
      count_failure(*known, reason);
    }
    stop(*known, removal);
  }
  if (!is_draining_) {
    note_error(reason);
  }
  if (!is_spawned() && status_.processes_connected == 0) {
    alone_since_ = context_.clock.monotonic();
  }
}

void Supervision::on_hello_refused(std::optional<ProcessId> process, const Error& reason) {
  note_error(reason);
  Process* const known = process ? find(*process) : nullptr;
  if (known == nullptr || known->phase != Phase::kStarting) {
    return;  // whoever started it by hand sees the Reject
  }
  give_up({reason.code, fmt::format("companion \"{}\" was refused: {}. Correct the companion or "
                                    "the spec, and start again.",
                                    name_.value(), reason.message)});
  stop(*known, Removal::kTerminate);
}

void Supervision::on_process_exited(ProcessId process, std::string_view status) {
  Process* const known = find(process);
  RETINUE_CHECK(known != nullptr);
  const Error reason{ErrorCode::kConnectionClosed, fmt::format("its process {}", status)};
  if (known->phase == Phase::kServing) {
    count_failure(*known, reason);
  } else if (known->phase == Phase::kStarting) {
    count_failure(*known, {reason.code, reason.message + " before it said Hello"});
  } else if (known->uncounted) {
    count_failure(*known,
                  {reason.code, fmt::format("{}; {}", known->uncounted->message, reason.message)});
  }
  schedule_restart(*known);
}

// --- failures

void Supervision::count_failure(Process& process, const Error& reason) {
  process.uncounted.reset();
  is_gathering_ = false;
  if (is_draining_) {
    return;
  }
  note_error(reason);
  ++process.failures;
  ++process.own_failures;
  context_.log.warning("companion process lost", {{"companion", name_.value()},
                                                  {"process", std::to_string(process.index)},
                                                  {"reason", reason.message}});
  if (process.failures > spec_.restarts_without_progress_max) {
    give_up({ErrorCode::kUnavailable,
             fmt::format("companion \"{0}\" failed {1} times in a row without making progress; "
                         "the last time {2}. Look for the cause in its output (log lines with "
                         "[{0}/{3}]); {5}/restarts_without_progress_max is {4}.",
                         name_.value(), process.failures, reason.message, process.index,
                         spec_.restarts_without_progress_max, spec_path_)});
  }
}

void Supervision::give_up(Error error) {
  if (!fatal_error_) {
    context_.log.error("companion given up",
                       {{"companion", name_.value()}, {"reason", error.message}});
    fatal_error_ = std::move(error);
  }
}

void Supervision::note_progress(std::optional<ProcessId> process) {
  for (Process& each : processes_) {
    each.failures = 0;
  }
  if (Process* const known = process ? find(*process) : nullptr) {
    known->own_failures = 0;
  }
}

void Supervision::forgive() {
  for (Process& process : processes_) {
    process.failures = 0;
    process.own_failures = 0;
  }
}

void Supervision::stop(Process& process, Removal removal) {
  process.phase = Phase::kStopping;
  process.due = context_.clock.monotonic();
  process.next_signal = removal == Removal::kKill ? NextSignal::kKill : NextSignal::kTerminate;
  if (removal == Removal::kAwaitExit) {
    process.due = process.due + context_.options.kill_delay;
  } else {
    send_due_signal(process);
  }
}

void Supervision::send_due_signal(Process& process) {
  using Signal = CompanionTransport::Signal;
  const bool kills = process.next_signal == NextSignal::kKill;
  process.next_signal = kills ? NextSignal::kNone : NextSignal::kKill;
  process.due = context_.clock.monotonic() + context_.options.kill_delay;
  context_.transport.signal(process.id, kills ? Signal::kKill : Signal::kTerminate);
}

void Supervision::schedule_restart(Process& process) {
  process.phase = may_restart() ? Phase::kWaiting : Phase::kStopped;
  process.due = context_.clock.monotonic() + restart_delay(spec_, process.own_failures);
}

// --- time

std::optional<Duration> Supervision::connect_deadline() const {
  return alone_since_ && may_restart() ? std::optional(*alone_since_ + spec_.startup_timeout)
                                       : std::nullopt;
}

void Supervision::tick() {
  const Duration now = context_.clock.monotonic();
  is_gathering_ &= now < started_at_ + spec_.startup_timeout;
  for (Process& process : processes_) {
    if (now < process.due) {
      continue;
    }
    if (process.phase == Phase::kWaiting) {
      if (may_restart()) {
        spawn(process);
      } else {
        process.phase = Phase::kStopped;
      }
    } else if (process.phase == Phase::kStarting) {
      count_failure(process, {ErrorCode::kDeadlineExceeded,
                              fmt::format("its process did not say Hello within {} "
                                          "(startup_timeout)",
                                          format_duration(spec_.startup_timeout))});
      ++status_.deadlines_missed;
      stop(process, Removal::kKill);
    } else if (process.phase == Phase::kStopping && process.next_signal != NextSignal::kNone) {
      if (process.uncounted) {
        count_failure(process, Error(*process.uncounted));
      }
      send_due_signal(process);
    }
  }
  if (const auto deadline = connect_deadline(); deadline && now >= *deadline) {
    give_up({ErrorCode::kUnavailable,
             fmt::format("no process of companion \"{0}\" is connected after {1} "
                         "({4}/startup_timeout){2}. While the worker runs, start it with the "
                         "variables of {3} and RETINUE_COMPANION={0} in its environment, or give "
                         "it a command ({4}/command).",
                         name_.value(), format_duration(spec_.startup_timeout),
                         status_.last_error.empty() ? "" : "; last: " + status_.last_error,
                         context_.options.environment_file, spec_path_)});
  }
}

std::optional<Duration> Supervision::next_wakeup() const {
  std::optional<Duration> next = connect_deadline();
  const auto consider = [&](Duration due) { next = next ? std::min(*next, due) : due; };
  if (is_gathering_) {
    consider(started_at_ + spec_.startup_timeout);
  }
  for (const Process& process : processes_) {
    const bool has_due =
        process.phase == Phase::kWaiting || process.phase == Phase::kStarting ||
        (process.phase == Phase::kStopping && process.next_signal != NextSignal::kNone);
    if (has_due) {
      consider(process.due);
    }
  }
  return next;
}

// --- endings

void Supervision::drain() {
  is_draining_ = true;
  is_gathering_ = false;
  for (Process& process : processes_) {
    if (process.phase == Phase::kWaiting) {
      process.phase = Phase::kStopped;
    } else if (process.phase == Phase::kStarting) {
      stop(process, Removal::kTerminate);
    }
  }
}

bool Supervision::is_stopped() const {
  return std::ranges::all_of(
      processes_, [](const Process& process) { return process.phase == Phase::kStopped; });
}

CompanionStatus Supervision::status() const {
  return status_;
}

bool Supervision::owns(ProcessId process) const {
  return find(process) != nullptr;
}

Supervision::Process* Supervision::find(ProcessId process) {
  return const_cast<Process*>(std::as_const(*this).find(process));
}

const Supervision::Process* Supervision::find(ProcessId process) const {
  const auto found = std::ranges::find(processes_, process, &Process::id);
  return found == processes_.end() ? nullptr : &*found;
}

}  // namespace retinue::worker
