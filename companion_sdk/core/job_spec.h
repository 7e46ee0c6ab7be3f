// JobSpec: what an OpenJob says about one partition of one computation, checked and decoded.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/base/ids.h"
#include "protocol/base/result.h"
#include "protocol/schema/companion.capnp.h"
#include "protocol/values/schema.h"
#include "protocol/yson/node.h"

namespace retinue::companion {

// Places in JobSpec::streams and JobSpec::internal_states. Resolve a name once, not once a row.
using StreamIndex = StrongNumber<struct StreamIndexTag, uint32_t>;
using StateIndex = StrongNumber<struct StateIndexTag, uint32_t>;

enum class StreamRole : uint8_t { kInput, kOutput, kTimer, kVisit };
enum class StateFormat : uint8_t { kRaw, kYson, kProto };
enum class ComputationKind : uint8_t { kTransform, kOrderedSource, kSwiftMap };

std::string_view stream_role_name(StreamRole role);
std::string_view state_format_name(StateFormat format);

struct StreamSpec {
  std::string name;
  StreamRole role = StreamRole::kInput;
  SchemaRevision revision;
  TableSchema schema;
};

struct InternalStateSpec {
  std::string name;
  StateFormat format = StateFormat::kRaw;
  std::string proto_type;
  bool auto_preload = true;
};

// Invariants: stream and state names are unique; parameters are maps.
struct JobSpec {
  JobId id;
  std::string computation;
  PartitionIndex partition;
  uint32_t partition_count = 0;
  ComputationKind kind = ComputationKind::kTransform;
  std::string function;
  TableSchema key_schema;
  std::vector<StreamSpec> streams;
  std::vector<InternalStateSpec> internal_states;
  yson::Node parameters;
  yson::Node dynamic_parameters;
  KeyHash lowest_key_hash;
  KeyHash highest_key_hash;
  uint32_t updates = 0;  // how many UpdateJobs were applied

  const StreamSpec& stream(StreamIndex index) const { return streams[index.value()]; }
  const InternalStateSpec& state(StateIndex index) const { return internal_states[index.value()]; }
  std::optional<StreamIndex> find_stream(std::string_view name) const;
  std::optional<StateIndex> find_state(std::string_view name) const;
};

// Errors: kProtocolViolation naming the field; kNotSupported for external and joined states.
Result<JobSpec> read_open_job(wire::OpenJob::Reader in);
// A new revision of a stream keeps the older columns and adds more at the end, so that resolved
// column indexes stay right. Nothing is applied when there is an error: kProtocolViolation.
Result<void> apply_update(JobSpec& job, wire::UpdateJob::Reader in);

}  // namespace retinue::companion
