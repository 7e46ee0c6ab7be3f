#include "companion_sdk/core/job_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "protocol/frame/wire_values.h"
#include "protocol/yson/parser.h"

namespace retinue::companion {
namespace {

constexpr std::array<std::string_view, 4> kRoleNames = {"input", "output", "timer", "visit"};
constexpr std::array<std::string_view, 3> kFormatNames = {"raw", "yson", "proto"};
constexpr uint16_t kKindCount = 3;

Error violation(std::string message) {
  return Error{ErrorCode::kProtocolViolation, std::move(message)};
}

template <typename Named>
std::optional<uint32_t> find_named(const std::vector<Named>& items, std::string_view name) {
  for (uint32_t i = 0; i < items.size(); ++i) {
    if (items[i].name == name) {
      return i;
    }
  }
  return std::nullopt;
}

// An enumerant that this release does not know is refused rather than guessed at.
template <typename Enum, typename Wire>
Result<Enum> read_enum(Wire value, size_t count, std::string_view field) {
  const auto number = static_cast<uint16_t>(value);
  if (number >= count) {
    return violation(fmt::format("{}: unknown value {}", field, number));
  }
  return static_cast<Enum>(number);
}

Result<yson::Node> read_parameters(capnp::Data::Reader in, std::string_view field) {
  if (in.size() == 0) {
    return yson::Node(yson::Map{});
  }
  auto node = yson::parse({reinterpret_cast<const char*>(in.begin()), in.size()});
  if (!node) {
    return violation(fmt::format("{}: {}", field, node.error().message));
  }
  if (!node->is_map()) {
    return violation(
        fmt::format("{}: expected a map, found {}", field, yson::node_kind_name(node->kind())));
  }
  return std::move(node).value();
}

Result<TableSchema> read_schema_field(wire::Schema::Reader in, std::string_view field) {
  auto schema = read_schema(in);
  if (!schema) {
    return violation(fmt::format("{}: {}", field, schema.error().message));
  }
  return schema;
}

Result<StreamSpec> read_stream(wire::Stream::Reader in, std::string_view field) {
  StreamSpec stream;
  stream.name = as_view(in.getName());
  RETINUE_ASSIGN(stream.role, read_enum<StreamRole>(in.getRole(), kRoleNames.size(), field));
  stream.revision = SchemaRevision(in.getRevision());
  RETINUE_ASSIGN(stream.schema, read_schema_field(in.getSchema(), field));
  return stream;
}

Result<InternalStateSpec> read_state(wire::InternalStateSpec::Reader in, std::string_view field) {
  InternalStateSpec state;
  state.name = as_view(in.getName());
  RETINUE_ASSIGN(state.format, read_enum<StateFormat>(in.getFormat(), kFormatNames.size(), field));
  state.proto_type = as_view(in.getProtoType());
  state.auto_preload = in.getAutoPreload();
  return state;
}

bool extends(const TableSchema& longer, const TableSchema& shorter) {
  return longer.size() >= shorter.size() &&
         std::equal(shorter.columns().begin(), shorter.columns().end(), longer.columns().begin());
}

}  // namespace

std::string_view stream_role_name(StreamRole role) {
  return kRoleNames[static_cast<size_t>(role)];
}

std::string_view state_format_name(StateFormat format) {
  return kFormatNames[static_cast<size_t>(format)];
}

std::optional<StreamIndex> JobSpec::find_stream(std::string_view name) const {
  const auto place = find_named(streams, name);
  return place ? std::optional(StreamIndex(*place)) : std::nullopt;
}

std::optional<StateIndex> JobSpec::find_state(std::string_view name) const {
  const auto place = find_named(internal_states, name);
  return place ? std::optional(StateIndex(*place)) : std::nullopt;
}

Result<JobSpec> read_open_job(wire::OpenJob::Reader in) {
  JobSpec job;
  job.id = JobId(in.getJob());
  job.computation = as_view(in.getComputation());
  job.partition = PartitionIndex(in.getPartition());
  job.partition_count = in.getPartitionCount();
  RETINUE_ASSIGN(job.kind, read_enum<ComputationKind>(in.getKind(), kKindCount, "OpenJob.kind"));
  job.function = as_view(in.getFunction());
  RETINUE_ASSIGN(job.key_schema, read_schema_field(in.getKeySchema(), "OpenJob.keySchema"));
  for (auto each : in.getStreams()) {
    const auto field = fmt::format("OpenJob.streams[{}]", job.streams.size());
    RETINUE_ASSIGN(StreamSpec stream, read_stream(each, field));
    if (job.find_stream(stream.name)) {
      return violation(fmt::format("{}: \"{}\" is there twice", field, stream.name));
    }
    job.streams.push_back(std::move(stream));
  }
  for (auto each : in.getInternalStates()) {
    const auto field = fmt::format("OpenJob.internalStates[{}]", job.internal_states.size());
    RETINUE_ASSIGN(InternalStateSpec state, read_state(each, field));
    if (job.find_state(state.name)) {
      return violation(fmt::format("{}: \"{}\" is there twice", field, state.name));
    }
    job.internal_states.push_back(std::move(state));
  }
  if (in.getExternalStates().size() > 0 || in.getJoinedStates().size() > 0) {
    return Error{ErrorCode::kNotSupported,
                 fmt::format("computation \"{}\" declares external or joined states, which this "
                             "SDK does not support yet",
                             job.computation)};
  }
  RETINUE_ASSIGN(job.parameters, read_parameters(in.getParameters(), "OpenJob.parameters"));
  RETINUE_ASSIGN(job.dynamic_parameters,
                 read_parameters(in.getDynamicParameters(), "OpenJob.dynamicParameters"));
  job.lowest_key_hash = KeyHash(in.getLowestKeyHash());
  job.highest_key_hash = KeyHash(in.getHighestKeyHash());
  return job;
}

Result<void> apply_update(JobSpec& job, wire::UpdateJob::Reader in) {
  std::vector<std::pair<StreamIndex, StreamSpec>> revised;
  for (auto each : in.getStreams()) {
    const auto field = fmt::format("UpdateJob.streams[{}]", revised.size());
    RETINUE_ASSIGN(StreamSpec stream, read_stream(each, field));
    const auto index = job.find_stream(stream.name);
    if (!index || job.stream(*index).role != stream.role) {
      return violation(fmt::format("{}: this job has no {} stream \"{}\"", field,
                                   stream_role_name(stream.role), stream.name));
    }
    if (!extends(stream.schema, job.stream(*index).schema)) {
      return violation(fmt::format("{}: revision {} of \"{}\" does not extend revision {}", field,
                                   stream.revision.value(), stream.name,
                                   job.stream(*index).revision.value()));
    }
    revised.emplace_back(*index, std::move(stream));
  }
  if (in.hasDynamicParameters()) {
    RETINUE_ASSIGN(job.dynamic_parameters,
                   read_parameters(in.getDynamicParameters(), "UpdateJob.dynamicParameters"));
  }
  for (auto& [index, stream] : revised) {
    job.streams[index.value()] = std::move(stream);
  }
  ++job.updates;
  return {};
}

}  // namespace retinue::companion
