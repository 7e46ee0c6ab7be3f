#include "worker/spec/spec_fields.h"

#include <array>

namespace retinue::worker {
namespace {

using Names = std::string_view[];

constexpr Names kPipelineKnown = {"name",         "streams", "companions",
                                  "computations", "sinks",   "dynamic_spec"};
constexpr Names kPipelineNotYet = {"resources", "tables"};

constexpr Names kStreamKnown = {"schema"};
constexpr Names kStreamNotYet = {"migration_function", "watermark_strategy"};

constexpr Names kColumnKnown = {"name", "type", "required", "expression"};

constexpr Names kCompanionKnown = {
    "command",           "environment",       "working_directory",
    "processes",         "startup_timeout",   "batch_timeout",
    "restart_delay_min", "restart_delay_max", "restarts_without_progress_max"};

constexpr Names kComputationKnown = {"kind",
                                     "source",
                                     "source_stream_id",
                                     "companion",
                                     "processing_function",
                                     "parameters",
                                     "group_by_schema",
                                     "input_stream_ids",
                                     "output_stream_ids",
                                     "internal_states",
                                     "dead_letter_stream_id"};
constexpr Names kComputationNotYet = {
    "timer_streams",  "key_visitor_streams", "external_state_managers", "external_state_joiners",
    "state_joiners",  "streams_dependency",  "watermark_strategy",      "processing_mode",
    "input_ordering", "source_streams",      "required_resource_ids",   "function_ids",
    "worker_group"};

constexpr Names kSourceKnown = {
    "type",        "paths",       "compression",       "on_bad_line", "dead_letter_path",
    "line_column", "file_column", "line_number_column"};

constexpr Names kInternalStateKnown = {"format"};
constexpr Names kInternalStateNotYet = {"compress", "recode_probability", "auto_preload",
                                        "proto_type", "ttl"};

constexpr Names kSinkKnown = {"type", "input_stream_ids", "path"};

constexpr Names kDynamicSpecKnown = {"state_cache_bytes_limit", "computations"};

constexpr Names kDynamicComputationKnown = {
    "max_rows_per_batch", "max_bytes_per_batch", "batch_duration",  "desired_partition_count",
    "max_attempts",       "retry_delay",         "retry_delay_max", "max_crashes_per_batch",
    "on_failure",         "inbox_bytes_limit",   "parameters"};
constexpr Names kDynamicComputationNotYet = {"key_visitor_streams", "format_overrides",
                                             "watermark_strategy"};

}  // namespace

constinit const ObjectFields kPipelineFields{"a pipeline", kPipelineKnown, kPipelineNotYet};
constinit const ObjectFields kStreamFields{"a stream", kStreamKnown, kStreamNotYet};
constinit const ObjectFields kColumnFields{"a column", kColumnKnown, {}};
constinit const ObjectFields kCompanionFields{"a companion", kCompanionKnown, {}};
constinit const ObjectFields kComputationFields{"a computation", kComputationKnown,
                                                kComputationNotYet};
constinit const ObjectFields kSourceFields{"a source", kSourceKnown, {}};
constinit const ObjectFields kInternalStateFields{"an internal state", kInternalStateKnown,
                                                  kInternalStateNotYet};
constinit const ObjectFields kSinkFields{"a sink", kSinkKnown, {}};
constinit const ObjectFields kDynamicSpecFields{"the dynamic spec", kDynamicSpecKnown, {}};
constinit const ObjectFields kDynamicComputationFields{
    "a computation's dynamic spec", kDynamicComputationKnown, kDynamicComputationNotYet};

std::span<const ObjectFields* const> all_spec_fields() {
  static constexpr std::array kAll = {
      &kPipelineFields,           &kStreamFields,      &kColumnFields,
      &kCompanionFields,          &kComputationFields, &kSourceFields,
      &kInternalStateFields,      &kSinkFields,        &kDynamicSpecFields,
      &kDynamicComputationFields,
  };
  return kAll;
}

}  // namespace retinue::worker
