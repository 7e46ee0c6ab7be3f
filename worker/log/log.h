// LogSink: where the worker says what happens to it. worker/runtime implements it with spdlog.
//
//   log.warning("companion lost", {{"companion", name}, {"reason", reason}});
//
// Threads: any.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace retinue::worker {

enum class LogLevel : uint8_t { kDebug, kInfo, kWarning, kError };

struct LogField {
  std::string name;
  std::string value;

  friend bool operator==(const LogField&, const LogField&) = default;
};

struct LogEntry {
  LogLevel level = LogLevel::kInfo;
  std::string message;  // one sentence without what varies: that goes into fields
  std::vector<LogField> fields{};
};

class LogSink {
 public:
  virtual ~LogSink() = default;

  virtual void write(const LogEntry& entry) = 0;

  void debug(std::string message, std::vector<LogField> fields = {}) {
    write({LogLevel::kDebug, std::move(message), std::move(fields)});
  }
  void info(std::string message, std::vector<LogField> fields = {}) {
    write({LogLevel::kInfo, std::move(message), std::move(fields)});
  }
  void warning(std::string message, std::vector<LogField> fields = {}) {
    write({LogLevel::kWarning, std::move(message), std::move(fields)});
  }
  void error(std::string message, std::vector<LogField> fields = {}) {
    write({LogLevel::kError, std::move(message), std::move(fields)});
  }
};

}  // namespace retinue::worker
