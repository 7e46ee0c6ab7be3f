// SpdlogSink: the worker's log on standard error, as text or as JSON lines.
//
//   2026-01-31T12:00:00.000001Z warning companion process lost companion=word_count process=0
//   {"time":"2026-…Z","level":"warning","message":"companion
//   …","fields":{"companion":"word_count"}}
//
// Text is fit for a terminal, whatever companions wrote (printable()).
//
// Threads: any.
#pragma once

#include <cstdint>
#include <memory>

#include "worker/log/log.h"

namespace retinue::worker {

enum class LogFormat : uint8_t { kText, kJson };

class SpdlogSink final : public LogSink {
 public:
  // Entries below `lowest` are dropped.
  explicit SpdlogSink(LogFormat format, LogLevel lowest = LogLevel::kInfo);
  ~SpdlogSink() override;

  void write(const LogEntry& entry) override;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace retinue::worker
