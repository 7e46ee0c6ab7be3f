#include "worker/spec/dynamic_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "protocol/base/limits.h"
#include "worker/spec/object_reader.h"

namespace retinue::worker {
namespace {

constexpr uint64_t kTebibyte = uint64_t{1} << 40;
// Half a frame: the other half is for the states of the batch's keys.
constexpr uint64_t kBatchBytesMax = limits::kFrameBytesLimit / 2;

constexpr std::array kFailureActions = {
    Choice<FailureAction>{"stop", FailureAction::kStop},
    Choice<FailureAction>{"dead_letter", FailureAction::kDeadLetter},
};

void read_failure_policy(const ObjectReader& reader, DynamicComputationSpec& spec,
                         Problems& problems) {
  reader.read_count("max_attempts", spec.max_attempts, {1, 1'000'000});
  reader.read_duration("retry_delay", spec.retry_delay, Duration());
  reader.read_duration("retry_delay_max", spec.retry_delay_max, Duration());
  if (!reader.has("retry_delay_max")) {
    spec.retry_delay_max = std::max(spec.retry_delay_max, spec.retry_delay);
  } else if (spec.retry_delay > spec.retry_delay_max) {
    problems.add(
        reader.path_of("retry_delay_max"),
        fmt::format("expected at least retry_delay, {}, found {}",
                    format_duration(spec.retry_delay), format_duration(spec.retry_delay_max)));
  }
  reader.read_count("max_crashes_per_batch", spec.max_crashes_per_batch, {1, 1'000'000});
  reader.read_choice<FailureAction>("on_failure", spec.on_failure, kFailureActions);
}

DynamicComputationSpec read_dynamic_computation(const yson::Node& node, const std::string& path,
                                                Problems& problems) {
  const ObjectReader reader(node, path, kDynamicComputationFields, problems);
  DynamicComputationSpec spec;
  reader.read_count("max_rows_per_batch", spec.max_rows_per_batch, {1, limits::kRowBatchRowsLimit});
  reader.read_bytes("max_bytes_per_batch", spec.max_bytes_per_batch, {1, kBatchBytesMax});
  reader.read_duration("batch_duration", spec.batch_duration, Duration());
  reader.read_count("desired_partition_count", spec.desired_partition_count,
                    {1, limits::kPartitionsLimit});
  read_failure_policy(reader, spec, problems);
  reader.read_bytes("inbox_bytes_limit", spec.inbox_bytes_limit, {1, kTebibyte});
  reader.read_parameters("parameters", spec.parameters);
  return spec;
}

}  // namespace

DynamicSpec read_dynamic_spec(const yson::Node& node, const std::string& path, Problems& problems) {
  const ObjectReader reader(node, path, kDynamicSpecFields, problems);
  DynamicSpec spec;
  reader.read_bytes("state_cache_bytes_limit", spec.state_cache_bytes_limit, {0, kTebibyte});
  reader.read_entries("computations", [&](const std::string& id, const yson::Node& child,
                                          const std::string& child_path) {
    spec.computations.emplace(ComputationId(id),
                              read_dynamic_computation(child, child_path, problems));
  });
  return spec;
}

DynamicComputationSpec default_dynamic_computation() {
  DynamicComputationSpec spec;
  spec.parameters = yson::Map{};
  return spec;
}

}  // namespace retinue::worker
