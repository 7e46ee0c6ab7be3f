#include "worker/session/job_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "protocol/base/check.h"
#include "worker/session/assignment.h"

namespace retinue::worker {

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

void JobTable::on_refused(JobId id, Error error) {
  Job* const job = find(id);
  RETINUE_CHECK(job != nullptr, "a session's job is in the table");
  const bool final = is_final(error);
  const Error reason = std::move(error).with_context(
      fmt::format("companion \"{}\" cannot open it", job->companion->name().value()));
  context_.log.error("job failed", {{"computation", job->place.computation.value()},
                                    {"partition", std::to_string(job->place.partition.value())},
                                    {"reason", reason.message}});
  job->companion->note_error(reason);
  lose(*job, reason);
  count_failure(*job, reason, final);
  job->retry_at = context_.clock.monotonic() + restart_delay(job->companion->spec(), job->failures);
}

void JobTable::on_session_lost(const Session& session, const Error& reason) {
  for (Job& job : jobs_) {
    if (!job.id || job.connection != session.connection()) {
      continue;
    }
    const bool had_batch_out = session.has_batch_out(*job.id);
    lose(job, reason);
    if (had_batch_out) {
      count_failure(job, reason, false);
    }
  }
}

void JobTable::lose(Job& job, const Error& reason) {
  slots_.erase(*job.id);
  job.id.reset();
  job.is_open = false;
  if (std::exchange(job.is_announced, false)) {
    callbacks_.push_back([listener = job.listener, reason] { listener->on_job_lost(reason); });
  }
}

// A batch that takes its companion down each time, or a job that never opens, must not go on for
// ever, even where other jobs make progress.
void JobTable::count_failure(Job& job, const Error& reason, bool is_final) {
  if (is_silent_) {
    return;
  }
  if (++job.failures > job.companion->spec().restarts_without_progress_max || is_final) {
    job.companion->give_up(
        {reason.code,
         fmt::format("partition {} of computation \"{}\" cannot go on (failures in a row: {}): {}",
                     job.place.partition.value(), job.place.computation.value(), job.failures,
                     reason.message)});
  }
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
