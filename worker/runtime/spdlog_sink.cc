#include "worker/runtime/spdlog_sink.h"

#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "worker/json/json_writer.h"
#include "worker/log/printable.h"

namespace retinue::worker {
namespace {

spdlog::level::level_enum spdlog_level(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug: return spdlog::level::debug;
    case LogLevel::kInfo: return spdlog::level::info;
    case LogLevel::kWarning: return spdlog::level::warn;
    case LogLevel::kError: return spdlog::level::err;
  }
  return spdlog::level::info;
}

bool needs_quotes(std::string_view value) {
  return value.empty() || std::ranges::any_of(value, [](char c) {
           return c == '"' || c == '=' || static_cast<unsigned char>(c) <= ' ' || c == 0x7f;
         });
}

std::string text_line(const LogEntry& entry) {
  std::string line = entry.message;  // made printable with the whole
  for (const LogField& field : entry.fields) {
    line.append(" ").append(field.name).append("=");
    if (needs_quotes(field.value)) {
      append_json_string(line, valid_utf8(field.value));
    } else {
      line.append(field.value);
    }
  }
  return printable(line);
}

// The members after time and level, which the pattern writes.
std::string json_members(const LogEntry& entry) {
  std::string line = "\"message\":";
  append_json_string(line, valid_utf8(entry.message));
  line.append(",\"fields\":{");
  for (size_t i = 0; i < entry.fields.size(); ++i) {
    line.append(i == 0 ? "" : ",");
    append_json_string(line, valid_utf8(entry.fields[i].name));
    line.append(":");
    append_json_string(line, valid_utf8(entry.fields[i].value));
  }
  return line.append("}");
}

}  // namespace

struct SpdlogSink::Impl {
  LogFormat format;
  spdlog::logger logger;
};

SpdlogSink::SpdlogSink(LogFormat format, LogLevel lowest)
    : impl_(new Impl{
          format, spdlog::logger("retinue", std::make_shared<spdlog::sinks::stderr_sink_mt>())}) {
  const std::string pattern = format == LogFormat::kJson
                                  ? "{\"time\":\"%Y-%m-%dT%H:%M:%S.%fZ\",\"level\":\"%l\",%v}"
                                  : "%Y-%m-%dT%H:%M:%S.%fZ %-7l %v";
  impl_->logger.set_formatter(
      std::make_unique<spdlog::pattern_formatter>(pattern, spdlog::pattern_time_type::utc));
  impl_->logger.set_level(spdlog_level(lowest));
}

SpdlogSink::~SpdlogSink() = default;

void SpdlogSink::write(const LogEntry& entry) {
  const auto level = spdlog_level(entry.level);
  if (impl_->logger.should_log(level)) {
    impl_->logger.log(level,
                      spdlog::string_view_t(impl_->format == LogFormat::kJson ? json_members(entry)
                                                                              : text_line(entry)));
  }
}

}  // namespace retinue::worker
