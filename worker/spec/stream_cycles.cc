#include "worker/spec/stream_cycles.h"

#include <algorithm>
#include <set>
#include <vector>

namespace retinue::worker {
namespace {

// Tarjan's strongly connected components, along the inputs. The depth is at most the number of
// computations, which limits::kSpecEntriesLimit bounds.
class Components {
 public:
  explicit Components(const PipelineSpec& spec) : spec_(spec), producers_(stream_producers(spec)) {
    for (const auto& [id, computation] : spec.computations) {
      if (!nodes_.contains(id)) {
        visit(id);
      }
    }
  }

  std::map<ComputationId, uint32_t> take() && { return std::move(cycles_); }

 private:
  struct Node {
    uint32_t index = 0;
    uint32_t low = 0;
    bool is_on_stack = false;
  };

  void visit(const ComputationId& id) {
    const auto index = static_cast<uint32_t>(nodes_.size());
    // Nodes of a map stay where they are.
    Node& node = nodes_.emplace(id, Node{index, index, true}).first->second;
    stack_.push_back(id);
    bool feeds_itself = false;
    for (const StreamId& input : spec_.computations.at(id).input_stream_ids) {
      const auto producer = producers_.find(input);
      if (producer == producers_.end()) {
        continue;
      }
      feeds_itself |= producer->second == id;
      const auto seen = nodes_.find(producer->second);
      if (seen == nodes_.end()) {
        visit(producer->second);
        node.low = std::min(node.low, nodes_.at(producer->second).low);
      } else if (seen->second.is_on_stack) {
        node.low = std::min(node.low, seen->second.index);
      }
    }
    if (node.low == node.index) {
      close(id, feeds_itself);
    }
  }

  // What is on the stack from `first` on feeds each other.
  void close(const ComputationId& first, bool feeds_itself) {
    const auto begin = std::ranges::find(stack_, first);
    const bool is_cycle = feeds_itself || stack_.end() - begin > 1;
    for (auto at = begin; at != stack_.end(); ++at) {
      nodes_.at(*at).is_on_stack = false;
      if (is_cycle) {
        cycles_.emplace(*at, next_cycle_);
      }
    }
    next_cycle_ += is_cycle ? 1 : 0;
    stack_.erase(begin, stack_.end());
  }

  const PipelineSpec& spec_;
  const std::map<StreamId, ComputationId> producers_;
  std::map<ComputationId, Node> nodes_;
  std::vector<ComputationId> stack_;
  std::map<ComputationId, uint32_t> cycles_;
  uint32_t next_cycle_ = 0;
};

}  // namespace

std::map<ComputationId, uint32_t> stream_cycles(const PipelineSpec& spec) {
  return Components(spec).take();
}

std::map<StreamId, ComputationId> stream_producers(const PipelineSpec& spec) {
  std::map<StreamId, ComputationId> producers;
  for (const auto& [id, computation] : spec.computations) {
    for (const StreamId& stream : computation.output_stream_ids) {
      producers.emplace(stream, id);
    }
    for (const auto& stream : {computation.source_stream_id, computation.dead_letter_stream_id}) {
      if (stream) {
        producers.emplace(*stream, id);
      }
    }
  }
  return producers;
}

}  // namespace retinue::worker
