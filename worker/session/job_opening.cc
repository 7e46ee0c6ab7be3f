#include "worker/session/job_opening.h"

#include <limits>
#include <string>
#include <vector>

#include "protocol/base/check.h"
#include "protocol/frame/wire_values.h"
#include "protocol/yson/writer.h"
#include "worker/spec/key_ranges.h"

namespace retinue::worker {
namespace {

// The key of an ordered source: which of the source's partitions a line comes from.
TableSchema source_key_schema() {
  return TableSchema::create({{.name = "source_partition",
                               .type = ColumnType::kString,
                               .required = true,
                               .expression = ""}})
      .value();
}

void write_parameters(auto&& set, const yson::Node& parameters) {
  const std::string bytes =
      yson::to_string(parameters.is_map() ? parameters : yson::Node(yson::Map{}));
  set(capnp::Data::Reader(reinterpret_cast<const kj::byte*>(bytes.data()), bytes.size()));
}

wire::StateFormat wire_format(StateFormat format) {
  switch (format) {
    case StateFormat::kRaw: return wire::StateFormat::RAW;
    case StateFormat::kYson: return wire::StateFormat::YSON;
    case StateFormat::kProto: return wire::StateFormat::PROTO;
  }
  RETINUE_CHECK(false, "a state format that does not exist");
  return wire::StateFormat::RAW;
}

struct NamedRole {
  const StreamId& name;
  wire::StreamRole role;
};

std::vector<NamedRole> streams_of(const ComputationSpec& computation) {
  std::vector<NamedRole> streams;
  if (computation.source_stream_id) {
    streams.push_back({*computation.source_stream_id, wire::StreamRole::INPUT});
  }
  for (const StreamId& name : computation.input_stream_ids) {
    streams.push_back({name, wire::StreamRole::INPUT});
  }
  for (const StreamId& name : computation.output_stream_ids) {
    streams.push_back({name, wire::StreamRole::OUTPUT});
  }
  return streams;
}

void write_streams(wire::OpenJob::Builder out, const ComputationSpec& computation,
                   const PipelineSpec& spec) {
  const std::vector<NamedRole> streams = streams_of(computation);
  auto list = out.initStreams(static_cast<unsigned>(streams.size()));
  for (unsigned i = 0; i < streams.size(); ++i) {
    const auto found = spec.streams.find(streams[i].name);
    RETINUE_CHECK(found != spec.streams.end(), "a checked spec declares every stream it names");
    list[i].setName(streams[i].name.value());
    list[i].setRole(streams[i].role);
    list[i].setRevision(kFirstSchemaRevision.value());
    write_schema(list[i].initSchema(), found->second.schema);
  }
}

void write_internal_states(wire::OpenJob::Builder out, const ComputationSpec& computation) {
  auto list = out.initInternalStates(static_cast<unsigned>(computation.internal_states.size()));
  unsigned i = 0;
  for (const auto& [name, state] : computation.internal_states) {
    list[i].setName(name.value());
    list[i].setFormat(wire_format(state.format));
    ++i;
  }
}

}  // namespace

void write_open_job(wire::OpenJob::Builder out, JobId job, const JobPlace& place,
                    const PipelineSpec& spec) {
  const auto found = spec.computations.find(place.computation);
  RETINUE_CHECK(found != spec.computations.end(), "a job of a computation that the spec lacks");
  const ComputationSpec& computation = found->second;
  RETINUE_CHECK(computation.kind != ComputationKind::kPassthroughSource,
                "a passthrough source has no companion");
  const bool is_source = computation.kind == ComputationKind::kOrderedSource;

  out.setJob(job.value());
  out.setComputation(place.computation.value());
  out.setPartition(place.partition.value());
  out.setPartitionCount(place.partition_count);
  out.setKind(is_source ? wire::ComputationKind::ORDERED_SOURCE : wire::ComputationKind::TRANSFORM);
  out.setFunction(computation.processing_function.value());
  write_schema(out.initKeySchema(), is_source ? source_key_schema() : computation.group_by_schema);
  write_streams(out, computation, spec);
  write_internal_states(out, computation);
  write_parameters([&](auto data) { out.setParameters(data); }, computation.parameters);
  const auto dynamic = spec.dynamic_spec.computations.find(place.computation);
  write_parameters(
      [&](auto data) { out.setDynamicParameters(data); },
      dynamic == spec.dynamic_spec.computations.end() ? yson::Node() : dynamic->second.parameters);

  // A source's partitions follow its input, not the hash of its key.
  const KeyRange range = is_source ? key_range(PartitionIndex(0), 1)
                                   : key_range(place.partition, place.partition_count);
  out.setLowestKeyHash(range.lowest.value());
  out.setHighestKeyHash(range.highest.value());
}

}  // namespace retinue::worker
