#include "companion_sdk/cpp/host.h"

#include <unistd.h>

#include <type_traits>
#include <utility>
#include <variant>

#include "protocol/base/capabilities.h"

namespace retinue::companion {
namespace {

SessionEnd disconnected(const Error& error) {
  return {SessionEnd::Kind::kDisconnected, error.message};
}

template <typename... Handlers>
struct Overloaded : Handlers... {
  using Handlers::operator()...;
};
template <typename... Handlers>
Overloaded(Handlers...) -> Overloaded<Handlers...>;

}  // namespace

SessionOptions session_options(const Registry& registry, std::string companion, std::string token) {
  return {.sdk = "retinue-cpp " RETINUE_VERSION,
          .language = "c++",
          .pid = static_cast<uint64_t>(getpid()),
          .token = std::move(token),
          .companion = std::move(companion),
          .functions = registry.served(),
          .capabilities = {std::string(kHeartbeatAtWork)}};
}

Host::Host(const Registry& registry, SessionOptions options, const Clock& clock, Outbox& outbox)
    : registry_(registry), outbox_(outbox), session_(std::move(options), clock) {}

Result<void> Host::start() {
  session_.write_hello(writer_);
  return outbox_.send(writer_);
}

std::optional<SessionEnd> Host::handle(Frame frame) {
  auto event = session_.receive(std::move(frame), writer_);
  if (!event) {
    const std::string message = event.error().to_string();
    (void)leave(message);
    return SessionEnd{SessionEnd::Kind::kViolated, message};
  }
  using End = std::optional<SessionEnd>;
  const auto sent = [](const Result<void>& result) {
    return result ? End() : End(disconnected(result.error()));
  };
  return std::visit(
      Overloaded{
          [&](const Reply&) { return sent(outbox_.send(writer_)); },
          [&](const JobOpened& opened) { return sent(open_job(opened.job)); },
          [&](const JobClosed& closed) {
            jobs_.erase(closed.job);
            return End();
          },
          [&](const BatchArrived& arrived) { return sent(process(arrived.job, *arrived.batch)); },
          [&](const Rejected& rejected) {
            return End({SessionEnd::Kind::kRejected, rejected.error.to_string()});
          },
          // Frames are handled in order, so every batch that came before is answered.
          [&](const DrainRequested&) {
            (void)leave("drained");
            return End({SessionEnd::Kind::kDrained, "the worker asked to drain"});
          },
          [&](const WorkerDeparted& departed) {
            return End({SessionEnd::Kind::kWorkerSaidGoodbye, departed.reason});
          },
          [](const auto&) { return End(); },  // Ignored, Welcomed, JobUpdated
      },
      *event);
}

Result<void> Host::leave(std::string_view reason) {
  if (!session_.worker()) {
    return {};  // before the Welcome nothing may follow the Hello
  }
  session_.write_goodbye(writer_, reason);
  return outbox_.send(writer_);
}

Result<void> Host::open_job(const std::shared_ptr<const JobSpec>& spec) {
  auto job = Job::open(spec, registry_, *this);
  if (!job) {
    session_.write_job_failed(writer_, spec->id, job.error());
    return outbox_.send(writer_);
  }
  jobs_[spec->id] = std::move(job).value();
  session_.write_job_ready(writer_, spec->id);
  return outbox_.send(writer_);
}

Result<void> Host::process(JobId id, const BatchView& batch) {
  Job& job = *jobs_.at(id);
  std::optional<BatchFailure> failure = job.process(batch);
  if (!failure) {
    if (auto written = session_.write_batch_done(writer_, job.answer()); !written) {
      failure.emplace();
      failure->error = written.error();
    }
  }
  if (failure) {
    session_.write_batch_failed(writer_, *failure);
  }
  return outbox_.send(writer_);
}

void Host::log(LogLevel level, JobId job, std::string_view message, const LogFields& fields) {
  const std::lock_guard lock(log_mutex_);
  session_.write_log(log_writer_, level, job, message, fields);
  // A log line that cannot be sent is no reason to fail: the next answer will tell.
  (void)outbox_.send(log_writer_);
}

}  // namespace retinue::companion
