#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "worker/json/error_text.h"
#include "worker/spec/part_check.h"
#include "worker/spec/stream_cycles.h"

namespace retinue::worker {
namespace {

// Who writes and reads each stream.
class StreamGraph {
 public:
  StreamGraph(const PipelineSpec& spec, Problems& problems) : spec_(spec), problems_(problems) {
    for (const auto& [id, computation] : spec.computations) {
      add_producers(id, computation);
    }
    for (const auto& [id, computation] : spec.computations) {
      add_consumers("computations", id.value(), computation.input_stream_ids);
    }
    for (const auto& [name, sink] : spec.sinks) {
      add_consumers("sinks", name.value(), sink.input_stream_ids);
    }
  }

  void check_ends() const {
    for (const auto& [id, stream] : spec_.streams) {
      const std::string path = child_path("/streams", id.value());
      if (!producers_.contains(id)) {
        problems_.add(path,
                      "expected a producer, found none: no computation has this stream as an "
                      "output or as its source's stream");
      }
      if (!consumed_.contains(id)) {
        problems_.add(path,
                      "expected a consumer, found none: no computation and no sink has this "
                      "stream as an input");
      }
    }
  }

  // The companion protocol gives a stream of a job one role.
  void check_own_outputs() const {
    for (const auto& [id, computation] : spec_.computations) {
      for (size_t i = 0; i < computation.input_stream_ids.size(); ++i) {
        const StreamId& input = computation.input_stream_ids[i];
        if (!input.empty() && std::ranges::count(computation.output_stream_ids, input) > 0) {
          problems_.add(child_path(part_path("computations", id.value(), "input_stream_ids"), i),
                        fmt::format("expected another stream than the computation's own output, "
                                    "found {}; let another computation stand between",
                                    quote_text(input.value())));
        }
      }
    }
  }

  // A cycle in which no message ever begins is a mistake.
  void check_cycles() const {
    std::map<uint32_t, std::vector<ComputationId>> cycles;
    for (const auto& [id, cycle] : stream_cycles(spec_)) {
      cycles[cycle].push_back(id);
    }
    for (const auto& cycle : cycles) {
      const std::vector<ComputationId>& members = cycle.second;
      const bool is_fed = std::ranges::any_of(
          members, [&](const ComputationId& id) { return is_fed_from_outside(id, members); });
      if (!is_fed) {
        std::string names;
        for (const ComputationId& id : members) {
          names += (names.empty() ? "" : ", ") + quote_text(id.value());
        }
        problems_.add(part_path("computations", members.front().value(), "input_stream_ids"),
                      fmt::format("expected an input from outside of the cycle of {}, found none: "
                                  "no message would ever come",
                                  names));
      }
    }
  }

 private:
  void add_producers(const ComputationId& id, const ComputationSpec& computation) {
    const auto path = [&](std::string_view field) {
      return part_path("computations", id.value(), field);
    };
    if (computation.source_stream_id) {
      add_producer(id, *computation.source_stream_id, path("source_stream_id"));
      if (computation.kind == ComputationKind::kOrderedSource) {
        private_streams_.emplace(*computation.source_stream_id, id);
        consumed_.insert(*computation.source_stream_id);
      }
    }
    for (size_t i = 0; i < computation.output_stream_ids.size(); ++i) {
      add_producer(id, computation.output_stream_ids[i], child_path(path("output_stream_ids"), i));
    }
    if (computation.dead_letter_stream_id) {
      add_producer(id, *computation.dead_letter_stream_id, path("dead_letter_stream_id"));
    }
  }

  void add_producer(const ComputationId& id, const StreamId& stream, const std::string& path) {
    if (stream.empty()) {
      return;
    }
    const auto [first, is_new] = producers_.emplace(stream, id);
    if (!is_new && first->second != id) {
      problems_.add(path,
                    fmt::format("expected a stream that nothing else produces, found {}, "
                                "which computation {} produces",
                                quote_text(stream.value()), quote_text(first->second.value())));
    } else if (!is_new && spec_.computations.at(id).source_stream_id == stream) {
      problems_.add(path, "expected another stream than the source's own");
    }
  }

  void add_consumers(std::string_view section, const std::string& name,
                     const std::vector<StreamId>& streams) {
    for (size_t i = 0; i < streams.size(); ++i) {
      consumed_.insert(streams[i]);
      if (const auto owner = private_streams_.find(streams[i]); owner != private_streams_.end()) {
        problems_.add(
            child_path(part_path(section, name, "input_stream_ids"), i),
            fmt::format("expected another stream, found {}, which ordered_source {} "
                        "reads itself; use its outputs",
                        quote_text(streams[i].value()), quote_text(owner->second.value())));
      }
    }
  }

  // True too when who feeds it is not known, which is another problem.
  bool is_fed_from_outside(const ComputationId& id,
                           const std::vector<ComputationId>& members) const {
    return std::ranges::any_of(
        spec_.computations.at(id).input_stream_ids, [&](const StreamId& input) {
          const auto producer = producers_.find(input);
          return producer == producers_.end() ||
                 std::ranges::find(members, producer->second) == members.end();
        });
  }

  const PipelineSpec& spec_;
  Problems& problems_;
  std::map<StreamId, ComputationId> producers_;
  std::map<StreamId, ComputationId> private_streams_;  // of ordered sources, which alone read them
  std::set<StreamId> consumed_;
};

}  // namespace

void check_graph(const PipelineSpec& spec, Problems& problems) {
  const StreamGraph graph(spec, problems);
  graph.check_ends();
  graph.check_own_outputs();
  graph.check_cycles();
}

}  // namespace retinue::worker
