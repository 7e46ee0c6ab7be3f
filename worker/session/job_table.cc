#include "worker/session/job_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "protocol/base/check.h"
#include "worker/session/assignment.h"

namespace retinue::worker {
namespace {

// How often user code may fail to open one job.
constexpr uint32_t kUserCodeOpeningsMax = 3;

}  // namespace

JobSlot JobTable::add(ComputationId computation, PartitionIndex partition, Supervision& companion,
                      JobListener& listener) {
  const JobSlot slot(static_cast<uint32_t>(jobs_.size()));
  jobs_.push_back({.place = {std::move(computation), partition, 1},
                   .companion = &companion,
                   .listener = &listener});
  return slot;
}

void JobTable::seal() {
  std::map<ComputationId, uint32_t> partitions;
  for (const Job& job : jobs_) {
    ++partitions[job.place.computation];
  }
  for (Job& job : jobs_) {
    job.place.partition_count = partitions[job.place.computation];
  }
}

Job& JobTable::at(JobSlot slot) {
  RETINUE_CHECK(slot.value() < jobs_.size(), "a job slot that was not given out");
  return jobs_[slot.value()];
}

Job* JobTable::find(JobId job) {
  const auto found = slots_.find(job);
  return found == slots_.end() ? nullptr : &at(found->second);
}

void JobTable::assign(Supervision& companion, const Sessions& sessions) {
  const Duration now = context_.clock.monotonic();
  std::vector<JobSlot> waiting;
  size_t job_count = 0;
  for (uint32_t i = 0; i < jobs_.size(); ++i) {
    Job& job = jobs_[i];
    if (job.companion != &companion) {
      continue;
    }
    ++job_count;
    if (job.retry_at && *job.retry_at <= now) {
      job.retry_at.reset();
    }
    if (!job.id && !job.retry_at) {
      waiting.emplace_back(i);
    }
  }
  if (waiting.empty()) {
    return;
  }
  std::vector<SessionLoad> loads;
  for (const auto& [connection, session] : sessions) {
    if (session->phase() == Session::Phase::kServing &&
        session->hello().companion == companion.name()) {
      loads.push_back({connection, session->job_count()});
    }
  }
  const size_t shares = std::max<size_t>(
      {1, loads.size(), companion.is_gathering() ? companion.spec().processes : 0});
  const size_t share = (job_count + shares - 1) / shares;
  for (const auto& [slot, connection] : assign_jobs(waiting, std::move(loads), share)) {
    Job& job = at(slot);
    job.id = JobId(++last_job_);
    job.connection = connection;
    slots_.emplace(*job.id, slot);
    sessions.at(connection)->open_job(*job.id, job.place);
  }
}

void JobTable::on_opened(JobId id) {
  Job* const job = find(id);
  RETINUE_CHECK(job != nullptr, "a session's job is in the table");
  job->is_open = true;
  refusals_.erase(job->place.computation);
  callbacks_.push_back([this, id] {
    if (Job* const current = find(id)) {
      current->is_announced = true;
      current->listener->on_job_ready(id);
    }
  });
}

void JobTable::on_answered(BatchAnswered answer) {
  callbacks_.push_back([this, id = answer.job, done = answer.done,
                        frame = std::make_shared<Frame>(std::move(answer.frame))] {
    const Job* const job = find(id);
    if (job == nullptr) {
      return;
    }
    if (done) {
      job->listener->on_batch_done(std::move(*frame));
    } else {
      job->listener->on_batch_failed(std::move(*frame));
    }
  });
}

// Opening a job depends on nothing that the worker could change. An error of the spec or the code
// comes again; user code may have missed something that comes back, if it does so soon.
void JobTable::on_refused(JobId id, Error error) {
  Job* const job = find(id);
  RETINUE_CHECK(job != nullptr, "a session's job is in the table");
  const CompanionSpec& companion = job->companion->spec();
  uint32_t failures_max = companion.restarts_without_progress_max;
  if (is_final(error)) {
    failures_max = 0;
  } else if (error.code == ErrorCode::kUserCodeFailed) {
    failures_max = std::min(failures_max, kUserCodeOpeningsMax - 1);
  }
  const Error reason = std::move(error).with_context(fmt::format(
      "companion \"{}\" cannot open computation \"{}\" (function \"{}\")",
      job->companion->name().value(), job->place.computation.value(),
      context_.spec.computations.at(job->place.computation).processing_function.value()));
  job->companion->note_error(reason);
  lose(*job, reason);
  ++job->failures;
  if (job->failures > failures_max) {
    give_up(*job, reason);
  } else {
    log_refusal(*job, reason);
  }
  job->retry_at = context_.clock.monotonic() + restart_delay(companion, job->failures);
}

void JobTable::log_refusal(const Job& job, const Error& reason) {
  std::string& last = refusals_[job.place.computation];
  if (last != reason.message) {
    last = reason.message;
    context_.log.error("job failed, it is tried again",
                       {{"computation", job.place.computation.value()},
                        {"partition", std::to_string(job.place.partition.value())},
                        {"reason", reason.message}});
  }
}

void JobTable::on_session_lost(const Session& session, const Error& reason, bool is_crash) {
  for (Job& job : jobs_) {
    if (!job.id || job.connection != session.connection()) {
      continue;
    }
    const bool is_suspect = is_crash && session.oldest_batch_out() == job.id;
    lose(job, reason, is_suspect);
    // A batch that takes its companion down each time must not go on for ever, even where other
    // jobs make progress.
    if (is_suspect && ++job.failures > job.companion->spec().restarts_without_progress_max) {
      give_up(job, reason);
    }
  }
}

void JobTable::lose(Job& job, const Error& reason, bool is_suspect) {
  slots_.erase(*job.id);
  job.id.reset();
  job.is_open = false;
  if (std::exchange(job.is_announced, false)) {
    callbacks_.push_back([listener = job.listener, reason, is_suspect] {
      listener->on_job_lost(reason, is_suspect);
    });
  }
}

void JobTable::give_up(const Job& job, const Error& reason) {
  if (is_silent_) {
    return;
  }
  const std::string often =
      job.failures == 1 ? "" : fmt::format(", {} times in a row", job.failures);
  job.companion->give_up(
      {reason.code,
       fmt::format("partition {} of computation \"{}\" failed{}: {}", job.place.partition.value(),
                   job.place.computation.value(), often, reason.message)});
}

std::optional<Duration> JobTable::next_retry() const {
  std::optional<Duration> next;
  for (const Job& job : jobs_) {
    if (job.retry_at && (!next || *job.retry_at < *next)) {
      next = job.retry_at;
    }
  }
  return next;
}

void JobTable::deliver() {
  while (!callbacks_.empty()) {
    const auto callback = std::move(callbacks_.front());
    callbacks_.pop_front();
    if (!is_silent_) {
      callback();
    }
  }
}

}  // namespace retinue::worker
