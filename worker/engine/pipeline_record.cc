#include "worker/engine/pipeline_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "protocol/yson/parser.h"
#include "protocol/yson/writer.h"

namespace retinue::worker {
namespace {

constexpr std::string_view kRecordName = "pipeline";

// --- to YSON

yson::Node schema_node(const TableSchema& schema) {
  yson::List columns;
  for (const Column& column : schema.columns()) {
    yson::Node node;
    node.set("name", column.name);
    node.set("type", column_type_name(column.type));
    if (column.required) {
      node.set("required", true);
    }
    if (!column.expression.empty()) {
      node.set("expression", column.expression);
    }
    columns.push_back(std::move(node));
  }
  return columns;
}

void set_gone(yson::Node& node, bool is_gone) {
  if (is_gone) {
    node.set("is_gone", true);
  }
}

yson::Node record_node(const PipelineRecord& record) {
  yson::Node streams{yson::Map{}};
  for (const auto& [id, schema] : record.streams) {
    streams.set(id.value(), schema_node(schema));
  }
  yson::Node computations{yson::Map{}};
  for (const auto& [id, computation] : record.computations) {
    yson::Node states{yson::Map{}};
    for (const auto& [name, format] : computation.states) {
      states.set(name.value(), state_format_name(format));
    }
    yson::Node node;
    node.set("kind", computation_kind_name(computation.kind));
    node.set("partition_count", uint64_t{computation.partition_count});
    node.set("key", schema_node(computation.key_schema));
    node.set("states", std::move(states));
    set_gone(node, computation.is_gone);
    computations.set(id.value(), std::move(node));
  }
  yson::Node sinks{yson::Map{}};
  for (const auto& [name, sink] : record.sinks) {
    yson::Node node;
    node.set("partition_count", uint64_t{sink.partition_count});
    set_gone(node, sink.is_gone);
    sinks.set(name.value(), std::move(node));
  }
  yson::Node node;
  node.set("name", record.name);
  node.set("streams", std::move(streams));
  node.set("computations", std::move(computations));
  node.set("sinks", std::move(sinks));
  return node;
}

// --- from YSON

Error corrupted(std::string_view what) {
  return Error{ErrorCode::kDataCorrupted,
               fmt::format("the data directory's record of its pipeline cannot be read: {}", what)};
}

Result<const yson::Node*> member(const yson::Node& node, std::string_view key,
                                 yson::NodeKind kind) {
  const yson::Node* found = node.find(key);
  if (found == nullptr || found->kind() != kind) {
    return corrupted(fmt::format("{} is not a {}", key, yson::node_kind_name(kind)));
  }
  return found;
}

template <typename Enum>
std::optional<Enum> enum_from_name(std::string_view name, std::initializer_list<Enum> values,
                                   std::string_view (*name_of)(Enum)) {
  const auto found =
      std::ranges::find_if(values, [&](Enum value) { return name_of(value) == name; });
  return found == values.end() ? std::nullopt : std::optional(*found);
}

Result<uint32_t> read_count(const yson::Node& node) {
  if (!node.is_uint64() || node.as_uint64() == 0 || node.as_uint64() > kPartitionsMax) {
    return corrupted("a partition count is out of range");
  }
  return static_cast<uint32_t>(node.as_uint64());
}

Result<TableSchema> read_schema_node(const yson::Node& list) {
  std::vector<Column> columns;
  for (const yson::Node& node : list.as_list()) {
    RETINUE_ASSIGN(const yson::Node* name, member(node, "name", yson::NodeKind::kString));
    RETINUE_ASSIGN(const yson::Node* type, member(node, "type", yson::NodeKind::kString));
    const auto column_type = column_type_from_name(type->as_string());
    if (!column_type) {
      return corrupted(fmt::format("unknown column type {}", type->as_string()));
    }
    const yson::Node* expression = node.find("expression");
    if (expression != nullptr && !expression->is_string()) {
      return corrupted("a column's expression is not a string");
    }
    columns.push_back({.name = name->as_string(),
                       .type = *column_type,
                       .required = node.find("required") != nullptr,
                       .expression = expression == nullptr ? "" : expression->as_string()});
  }
  return TableSchema::create(std::move(columns));
}

Result<RecordedSink> read_sink(const yson::Node& node) {
  RETINUE_ASSIGN(const yson::Node* count, member(node, "partition_count", yson::NodeKind::kUint64));
  RecordedSink sink;
  RETINUE_ASSIGN(sink.partition_count, read_count(*count));
  sink.is_gone = node.find("is_gone") != nullptr;
  return sink;
}

Result<RecordedComputation> read_computation(const yson::Node& node) {
  RecordedComputation computation;
  computation.is_gone = node.find("is_gone") != nullptr;
  RETINUE_ASSIGN(const yson::Node* kind, member(node, "kind", yson::NodeKind::kString));
  const auto known_kind =
      enum_from_name(kind->as_string(),
                     {ComputationKind::kPassthroughSource, ComputationKind::kOrderedSource,
                      ComputationKind::kTransform},
                     computation_kind_name);
  if (!known_kind) {
    return corrupted(fmt::format("unknown computation kind {}", kind->as_string()));
  }
  computation.kind = *known_kind;
  RETINUE_ASSIGN(const yson::Node* count, member(node, "partition_count", yson::NodeKind::kUint64));
  RETINUE_ASSIGN(computation.partition_count, read_count(*count));
  RETINUE_ASSIGN(const yson::Node* key, member(node, "key", yson::NodeKind::kList));
  RETINUE_ASSIGN(computation.key_schema, read_schema_node(*key));
  RETINUE_ASSIGN(const yson::Node* states, member(node, "states", yson::NodeKind::kMap));
  for (const yson::MapEntry& entry : states->as_map()) {
    const auto format = enum_from_name(entry.value.is_string() ? entry.value.as_string() : "",
                                       {StateFormat::kRaw, StateFormat::kYson, StateFormat::kProto},
                                       state_format_name);
    if (!format) {
      return corrupted(fmt::format("unknown format of state {}", entry.key));
    }
    computation.states.emplace(StateName(entry.key), *format);
  }
  return computation;
}

Result<PipelineRecord> read_record(std::string_view bytes) {
  auto node = yson::parse(bytes);
  if (!node) {
    return corrupted(node.error().message);
  }
  PipelineRecord record;
  RETINUE_ASSIGN(const yson::Node* name, member(*node, "name", yson::NodeKind::kString));
  record.name = name->as_string();
  RETINUE_ASSIGN(const yson::Node* streams, member(*node, "streams", yson::NodeKind::kMap));
  for (const yson::MapEntry& entry : streams->as_map()) {
    if (!entry.value.is_list()) {
      return corrupted(fmt::format("the schema of stream {} is not a list", entry.key));
    }
    RETINUE_ASSIGN(TableSchema schema, read_schema_node(entry.value));
    record.streams.emplace(StreamId(entry.key), std::move(schema));
  }
  RETINUE_ASSIGN(const yson::Node* computations,
                 member(*node, "computations", yson::NodeKind::kMap));
  for (const yson::MapEntry& entry : computations->as_map()) {
    RETINUE_ASSIGN(auto computation, read_computation(entry.value));
    record.computations.emplace(ComputationId(entry.key), std::move(computation));
  }
  RETINUE_ASSIGN(const yson::Node* sinks, member(*node, "sinks", yson::NodeKind::kMap));
  for (const yson::MapEntry& entry : sinks->as_map()) {
    RETINUE_ASSIGN(const RecordedSink sink, read_sink(entry.value));
    record.sinks.emplace(SinkName(entry.key), sink);
  }
  return record;
}

}  // namespace

PipelineRecord make_pipeline_record(const PipelineSpec& spec, const Topology& topology) {
  PipelineRecord record{.name = spec.name, .streams = {}, .computations = {}, .sinks = {}};
  for (const auto& [id, stream] : spec.streams) {
    record.streams.emplace(id, stream.schema);
  }
  for (const auto& plan : topology.computations) {
    RecordedComputation computation{.kind = plan->kind,
                                    .partition_count = plan->partition_count,
                                    .key_schema = plan->key_schema,
                                    .states = {}};
    for (const StatePlan& state : plan->states) {
      computation.states.emplace(state.name, state.format);
    }
    record.computations.emplace(plan->id, std::move(computation));
  }
  for (const auto& sink : topology.sinks) {
    record.sinks.emplace(sink->name, RecordedSink{.partition_count = sink->partition_count});
  }
  return record;
}

Result<std::optional<PipelineRecord>> find_pipeline_record(const Store& store) {
  RETINUE_ASSIGN(const std::optional<std::string> bytes, store.load_record(kRecordName));
  if (!bytes) {
    return std::optional<PipelineRecord>();
  }
  RETINUE_ASSIGN(PipelineRecord record, read_record(*bytes));
  return std::optional(std::move(record));
}

Result<PipelineRecord> load_pipeline_record(const Store& store) {
  RETINUE_ASSIGN(std::optional<PipelineRecord> record, find_pipeline_record(store));
  if (!record) {
    return Error{ErrorCode::kNotFound, "no pipeline was run in this data directory yet"};
  }
  return std::move(*record);
}

Result<void> save_pipeline_record(const PipelineRecord& record, Store& store) {
  return store.save_record(kRecordName, yson::to_string(record_node(record)));
}

}  // namespace retinue::worker
