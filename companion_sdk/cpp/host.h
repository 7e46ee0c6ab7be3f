// Host: a companion without I/O: the session, its jobs, and what each frame makes them do.
//
// The socket's shell and the test harness both sit on it. Threads: one at a time; log() from any.
// Borrows: registry, clock and outbox.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "companion_sdk/core/companion_session.h"
#include "companion_sdk/cpp/job.h"
#include "companion_sdk/cpp/registry.h"
#include "companion_sdk/cpp/runtime_context.h"
#include "protocol/base/clock.h"
#include "protocol/base/result.h"
#include "protocol/frame/frame_reader.h"
#include "protocol/frame/frame_writer.h"

namespace retinue::companion {

// Where finished messages go. Threads: any.
class Outbox {
 public:
  virtual ~Outbox() = default;
  // Errors: kConnectionClosed.
  virtual Result<void> send(FrameWriter& message) = 0;
};

// Why a session ended.
struct SessionEnd {
  enum class Kind : uint8_t { kDrained, kWorkerSaidGoodbye, kRejected, kViolated, kDisconnected };
  Kind kind = Kind::kDrained;
  std::string message;
};

// Fills in what a registry and this SDK know of a Hello.
SessionOptions session_options(const Registry& registry, std::string companion, std::string token);

class Host final : public LogSink {
 public:
  Host(const Registry& registry, SessionOptions options, const Clock& clock, Outbox& outbox);

  // Says Hello. Errors of this and the next: kConnectionClosed.
  Result<void> start();
  // Does what a frame asks for, handlers included. Says when the session is over.
  std::optional<SessionEnd> handle(Frame frame);
  // Says Goodbye, unless the worker has not welcomed this companion yet.
  Result<void> leave(std::string_view reason);

  const std::optional<WorkerInfo>& worker() const { return session_.worker(); }

  void log(LogLevel level, JobId job, std::string_view message, const LogFields& fields) override;

 private:
  struct EventHandler;

  Result<void> open_job(const std::shared_ptr<const JobSpec>& spec);
  Result<void> process(JobId id, const BatchView& batch);

  const Registry& registry_;
  Outbox& outbox_;
  CompanionSession session_;
  std::map<JobId, std::unique_ptr<Job>> jobs_;
  FrameWriter writer_;
  std::mutex log_mutex_;
  FrameWriter log_writer_;  // guarded by log_mutex_
};

}  // namespace retinue::companion
