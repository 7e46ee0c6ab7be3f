// The pipeline spec as the worker uses it: typed, checked, with defaults filled in.
//
// load_spec (spec_loader.h) makes it from JSON or YSON; nothing else does.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "protocol/base/clock.h"
#include "protocol/base/ids.h"
#include "protocol/base/limits.h"
#include "protocol/values/schema.h"
#include "protocol/yson/node.h"

namespace retinue::worker {

using SinkName = StrongName<struct SinkNameTag>;

struct StreamSpec {
  TableSchema schema;
};

// How a companion is run. Without a command it is started by hand and connects by itself.
struct CompanionSpec {
  std::vector<std::string>
      command;  // argv; [0] is resolved against the spec's folder if it has a /
  std::map<std::string, std::string> environment;
  std::filesystem::path working_directory;  // the spec's folder by default
  uint32_t processes = 1;
  Duration startup_timeout =
      Duration::seconds(30);  // from spawn, or from the run's start, to Hello
  Duration batch_timeout = Duration::seconds(60);
  Duration restart_delay_min = Duration::milliseconds(100);
  Duration restart_delay_max = Duration::seconds(10);
  uint32_t restarts_without_progress_max = 10;
};

enum class SourceType : uint8_t { kTextLines, kJsonLines };
enum class Compression : uint8_t { kAuto, kNone, kGzip, kZstd };
enum class BadLinePolicy : uint8_t { kFail, kSkip, kDeadLetter };

struct SourceSpec {
  SourceType type = SourceType::kTextLines;
  // Absolute paths or globs, in the order given; a glob's files are read in byte order of their
  // names.
  // "-" is standard input and stands alone.
  std::vector<std::string> paths;
  Compression compression = Compression::kAuto;
  BadLinePolicy on_bad_line = BadLinePolicy::kFail;
  std::filesystem::path dead_letter_path;  // kDeadLetter
  // Text lines: the stream's columns that take the line, the file's path and the line's number.
  std::string line_column = "line";
  std::optional<std::string> file_column;
  std::optional<std::string> line_number_column;
};

enum class SinkType : uint8_t { kJsonLines, kStdout };

struct SinkSpec {
  SinkType type = SinkType::kJsonLines;
  std::vector<StreamId> input_stream_ids;
  // kJsonLines: absolute. With "{partition}" in it there is one file a partition of the computation
  // that emits, each in that partition's order; without, one file.
  std::string path;
};

enum class ComputationKind : uint8_t { kPassthroughSource, kOrderedSource, kTransform };
std::string_view computation_kind_name(ComputationKind kind);

enum class StateFormat : uint8_t { kRaw, kYson, kProto };
std::string_view state_format_name(StateFormat format);

struct InternalStateSpec {
  StateFormat format = StateFormat::kYson;
};

struct ComputationSpec {
  ComputationKind kind = ComputationKind::kTransform;
  // Sources only: the one source and the stream it feeds.
  std::optional<SourceSpec> source;
  std::optional<StreamId> source_stream_id;
  // Not for passthrough_source.
  CompanionName companion;
  FunctionName processing_function;
  yson::Node parameters;  // a map
  // transform only. A first uint64 column with the expression farm_hash(…) is the key's hash;
  // without one the hash is farm_hash of all columns.
  TableSchema group_by_schema;
  std::vector<StreamId> input_stream_ids;
  std::vector<StreamId> output_stream_ids;
  // Where the inputs go that its function fails on; none: into the store.
  std::optional<StreamId> dead_letter_stream_id;
  std::map<StateName, InternalStateSpec> internal_states;
};

// What becomes of an input that the function fails on, alone and again and again.
enum class FailureAction : uint8_t {
  kStop,        // the pipeline ends
  kDeadLetter,  // it is put aside with its error, and the pipeline goes on
};

// What may change on a running pipeline.
struct DynamicComputationSpec {
  uint32_t max_rows_per_batch = limits::kBatchRowsDefault;
  uint64_t max_bytes_per_batch = limits::kBatchBytesDefault;
  // How long a batch that is not full waits for more messages.
  Duration batch_duration = Duration::milliseconds(0);
  uint32_t desired_partition_count = 1;
  uint32_t max_attempts = 3;
  Duration retry_delay = Duration::milliseconds(500);  // doubled from try to try, up to the next
  Duration retry_delay_max = Duration::seconds(30);
  // How often a batch may take its companion down before it counts as failed.
  uint32_t max_crashes_per_batch = 3;
  FailureAction on_failure = FailureAction::kStop;
  uint64_t inbox_bytes_limit = limits::kInboxBytesDefault;
  yson::Node parameters;  // a map
};

struct DynamicSpec {
  uint64_t state_cache_bytes_limit = limits::kStateCacheBytesDefault;
  std::map<ComputationId, DynamicComputationSpec> computations;  // an entry for every computation
};

struct PipelineSpec {
  std::string name;
  std::filesystem::path folder;  // where the spec lies; relative paths in it start here
  std::map<StreamId, StreamSpec> streams;
  std::map<CompanionName, CompanionSpec> companions;
  std::map<ComputationId, ComputationSpec> computations;
  std::map<SinkName, SinkSpec> sinks;
  DynamicSpec dynamic_spec;
};

}  // namespace retinue::worker
