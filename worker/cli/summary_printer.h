// The report at the end of a run, for a person and as JSON.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "worker/engine/engine.h"
#include "worker/engine/summary.h"
#include "worker/log/log.h"

namespace retinue::worker {

// What the process used, beside what the engine counts.
struct ProcessUsage {
  double cpu_seconds = 0;        // user and system, of the worker alone
  double store_cpu_seconds = 0;  // of these, of the threads that work for the store
  uint64_t memory_bytes_max = 0;
};
ProcessUsage process_usage();
// The largest resident size that the text of /proc/self/status tells; 0 when it does not.
// getrusage() would tell that of the process that started this one, if it was larger.
uint64_t memory_bytes_max(std::string_view status);

// 1234567 -> "1,234,567".
std::string with_separators(uint64_t number);

// Several lines, each ending with a line feed. `state` is not kRunning.
std::string summary_text(const std::string& pipeline, Engine::State state, const Summary& summary,
                         const ProcessUsage& usage);
// The same as fields of an entry of the log.
std::vector<LogField> summary_fields(Engine::State state, const Summary& summary,
                                     const ProcessUsage& usage);
// One line without its end. `error` is empty unless the run failed. docs/reference/cli.md lists the
// fields.
std::string summary_json(const std::string& pipeline, Engine::State state, const std::string& error,
                         const Summary& summary, const ProcessUsage& usage);

}  // namespace retinue::worker
