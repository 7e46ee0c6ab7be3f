#include "tests/bench/end_to_end/worker_run.h"

#include <fmt/format.h>

#include <cstdio>
#include <stdexcept>
#include <string>

#include "worker/json/json_parser.h"

namespace retinue::bench {
namespace {

double number(const yson::Node& map, std::string_view key) {
  const yson::Node* node = map.find(key);
  if (node == nullptr) {
    throw std::runtime_error(fmt::format("the summary has no {}", key));
  }
  switch (node->kind()) {
    case yson::NodeKind::kInt64: return static_cast<double>(node->as_int64());
    case yson::NodeKind::kUint64: return static_cast<double>(node->as_uint64());
    case yson::NodeKind::kDouble: return node->as_double();
    default: throw std::runtime_error(fmt::format("the summary's {} is no number", key));
  }
}

}  // namespace

Measurement run_worker(const std::filesystem::path& retinue, const std::filesystem::path& spec,
                       const std::filesystem::path& data_dir) {
  const std::string command =
      fmt::format("'{}' run '{}' --data-dir '{}' --json --quiet --log-level warning",
                  retinue.string(), spec.string(), data_dir.string());
  std::FILE* pipe = popen(command.c_str(), "r");
  std::string output;
  char buffer[4096];
  while (const size_t size = std::fread(buffer, 1, sizeof buffer, pipe)) {
    output.append(buffer, size);
  }
  if (pclose(pipe) != 0) {
    throw std::runtime_error("retinue run failed: " + output);
  }
  auto summary = worker::parse_json(output);
  if (!summary) {
    throw std::runtime_error(summary.error().to_string());
  }
  const double messages = number(*summary, "messages_in");
  const yson::Node& costs = *summary->find("stage_costs");
  Measurement measurement{.name = "worker and companion",
                          .messages = static_cast<uint64_t>(messages),
                          .seconds = number(*summary, "elapsed_seconds")};
  measurement.memory_bytes_max = static_cast<uint64_t>(number(*summary, "memory_bytes_max"));
  measurement.worker_cpu_us_a_message =
      (number(*summary, "cpu_seconds") - number(*summary, "store_cpu_seconds") -
       number(costs, "preload_ns") / 1e9) /
      messages * 1e6;
  for (const yson::MapEntry& cost : costs.as_map()) {
    measurement.stages.push_back(
        {.stage = cost.key, .ns_a_message = number(costs, cost.key) / messages});
  }
  return measurement;
}

}  // namespace retinue::bench
