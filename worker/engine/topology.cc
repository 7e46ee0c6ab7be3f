#include "worker/engine/topology.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "worker/spec/stream_cycles.h"

namespace retinue::worker {
namespace {

constexpr std::string_view kPartitionPlaceholder = "{partition}";

// Computations so that producers come before consumers, as far as cycles allow.
std::vector<ComputationId> in_stream_order(const PipelineSpec& spec) {
  const std::map<StreamId, ComputationId> producer = stream_producers(spec);
  std::vector<ComputationId> order;
  std::set<ComputationId> done;
  const auto visit = [&](const auto& self, const ComputationId& id) -> void {
    if (!done.insert(id).second) {
      return;
    }
    for (const StreamId& stream : spec.computations.at(id).input_stream_ids) {
      if (const auto found = producer.find(stream); found != producer.end()) {
        self(self, found->second);
      }
    }
    order.push_back(id);
  };
  for (const auto& [id, computation] : spec.computations) {
    visit(visit, id);
  }
  return order;
}

Result<OwnerNumber> intern_owner(Store& store, NameKind kind, std::string_view name) {
  RETINUE_ASSIGN(const uint32_t number, store.intern(kind, name));
  if (number >= kOwnersMax) {
    return Error{ErrorCode::kLimitExceeded,
                 fmt::format("the data directory has seen {} computations and sinks, the most it "
                             "can number; use a new one",
                             kOwnersMax)};
  }
  return OwnerNumber(number);
}

const TableSchema& stream_schema(const PipelineSpec& spec, const StreamId& stream) {
  return spec.streams.at(stream).schema;
}

Result<std::unique_ptr<ComputationPlan>> resolve_computation(const PipelineSpec& spec,
                                                             const ComputationId& id,
                                                             Store& store) {
  const ComputationSpec& computation = spec.computations.at(id);
  auto plan = std::make_unique<ComputationPlan>();
  plan->id = id;
  plan->kind = computation.kind;
  plan->limits = spec.dynamic_spec.computations.at(id);
  RETINUE_ASSIGN(plan->owner, intern_owner(store, NameKind::kComputation, id.value()));
  if (computation.kind == ComputationKind::kTransform) {
    plan->partition_count = plan->limits.desired_partition_count;
    plan->key_schema = computation.group_by_schema;
    for (const StreamId& stream : computation.input_stream_ids) {
      const TableSchema& schema = stream_schema(spec, stream);
      RETINUE_ASSIGN(auto key, KeyExtractor::create(plan->key_schema, schema));
      plan->inputs.push_back({.stream = stream, .schema = schema, .key = std::move(key)});
    }
  } else {
    plan->key_schema = source_key_schema();
    const StreamId& stream = *computation.source_stream_id;
    plan->inputs.push_back(
        {.stream = stream, .schema = stream_schema(spec, stream), .key = std::nullopt});
  }
  for (const auto& [name, state] : computation.internal_states) {
    RETINUE_ASSIGN(const uint32_t number,
                   store.intern(NameKind::kState, fmt::format("{}/{}", id.value(), name.value())));
    plan->states.push_back({.name = name, .number = StateNumber(number), .format = state.format});
  }
  std::vector<StreamId> outputs = computation.output_stream_ids;
  if (computation.kind == ComputationKind::kPassthroughSource) {
    outputs = {*computation.source_stream_id};
  }
  if (computation.dead_letter_stream_id) {
    plan->dead_letter_output = static_cast<uint32_t>(outputs.size());
    outputs.push_back(*computation.dead_letter_stream_id);
  }
  for (const StreamId& stream : outputs) {
    plan->outputs.push_back(
        {.stream = stream, .schema = stream_schema(spec, stream), .consumers = {}});
  }
  return plan;
}

Result<std::unique_ptr<SinkPlan>> resolve_sink(const PipelineSpec& spec, const SinkName& name,
                                               const Topology& topology, Store& store) {
  const SinkSpec& sink = spec.sinks.at(name);
  auto plan = std::make_unique<SinkPlan>();
  plan->name = name;
  RETINUE_ASSIGN(plan->owner, intern_owner(store, NameKind::kSink, name.value()));
  for (const StreamId& stream : sink.input_stream_ids) {
    plan->inputs.push_back({.stream = stream, .schema = stream_schema(spec, stream)});
  }
  if (sink.path.find(kPartitionPlaceholder) == std::string::npos) {
    return plan;
  }
  for (const auto& computation : topology.computations) {
    for (const OutputPlan& output : computation->outputs) {
      if (std::ranges::find(sink.input_stream_ids, output.stream) != sink.input_stream_ids.end()) {
        plan->partition_count = std::max(plan->partition_count, computation->partition_count);
      }
    }
  }
  return plan;
}

void connect(Topology& topology) {
  for (auto& producer : topology.computations) {
    for (OutputPlan& output : producer->outputs) {
      for (const auto& consumer : topology.computations) {
        for (const InputPlan& input : consumer->inputs) {
          if (input.stream == output.stream && input.key) {
            output.consumers.push_back(
                {.owner = consumer->owner,
                 .partition_count = consumer->partition_count,
                 .key = input.key,
                 .is_in_cycle = producer->cycle && producer->cycle == consumer->cycle});
          }
        }
      }
      for (const auto& sink : topology.sinks) {
        for (const SinkPlan::Input& input : sink->inputs) {
          if (input.stream == output.stream) {
            output.consumers.push_back({.owner = sink->owner,
                                        .partition_count = sink->partition_count,
                                        .key = std::nullopt});
          }
        }
      }
    }
  }
}

}  // namespace

std::vector<OwnerNumber> Topology::producers_of(OwnerNumber consumer) const {
  std::vector<OwnerNumber> producers;
  for (const auto& computation : computations) {
    const bool feeds = std::ranges::any_of(computation->outputs, [&](const OutputPlan& output) {
      return std::ranges::any_of(output.consumers,
                                 [&](const ConsumerPlan& one) { return one.owner == consumer; });
    });
    if (feeds) {
      producers.push_back(computation->owner);
    }
  }
  return producers;
}

Result<Topology> resolve_topology(const PipelineSpec& spec, Store& store) {
  Topology topology;
  const std::map<ComputationId, uint32_t> cycles = stream_cycles(spec);
  for (const ComputationId& id : in_stream_order(spec)) {
    RETINUE_ASSIGN(auto plan, resolve_computation(spec, id, store));
    if (const auto cycle = cycles.find(id); cycle != cycles.end()) {
      plan->cycle = cycle->second;
    }
    topology.computations.push_back(std::move(plan));
  }
  for (const auto& [name, sink] : spec.sinks) {
    RETINUE_ASSIGN(auto plan, resolve_sink(spec, name, topology, store));
    topology.sinks.push_back(std::move(plan));
  }
  connect(topology);
  return topology;
}

}  // namespace retinue::worker
