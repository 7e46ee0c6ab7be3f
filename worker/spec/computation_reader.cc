#include "worker/spec/computation_reader.h"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "worker/spec/object_reader.h"
#include "worker/spec/schema_reader.h"
#include "worker/spec/source_reader.h"

namespace retinue::worker {
namespace {

using yson::Node;

constexpr std::array kKinds = {
    Choice<ComputationKind>{"passthrough_source", ComputationKind::kPassthroughSource},
    Choice<ComputationKind>{"ordered_source", ComputationKind::kOrderedSource},
    Choice<ComputationKind>{"transform", ComputationKind::kTransform},
    Choice<ComputationKind>{"swift_map", std::nullopt},
    Choice<ComputationKind>{"swift_ordered_source", std::nullopt},
};
constexpr std::array kStateFormats = {
    Choice<StateFormat>{"yson", StateFormat::kYson},
    Choice<StateFormat>{"raw", StateFormat::kRaw},
    Choice<StateFormat>{"proto", std::nullopt},
};

enum class Use : uint8_t { kRefused, kOptional, kRequired };

// The fields that not every kind has alike.
struct FieldUse {
  std::string_view name;
  std::string_view what;
  Use passthrough_source;
  Use ordered_source;
  Use transform;

  Use of(ComputationKind kind) const {
    switch (kind) {
      case ComputationKind::kPassthroughSource: return passthrough_source;
      case ComputationKind::kOrderedSource: return ordered_source;
      case ComputationKind::kTransform: return transform;
    }
    return Use::kOptional;
  }
};

constexpr std::array kUses = {
    FieldUse{"source", "what is read", Use::kRequired, Use::kRequired, Use::kRefused},
    FieldUse{"source_stream_id", "the stream that the source feeds", Use::kRequired, Use::kRequired,
             Use::kRefused},
    FieldUse{"companion", "who runs the function", Use::kRefused, Use::kRequired, Use::kRequired},
    FieldUse{"processing_function", "", Use::kRefused, Use::kOptional, Use::kOptional},
    FieldUse{"parameters", "", Use::kRefused, Use::kOptional, Use::kOptional},
    FieldUse{"group_by_schema", "the key's columns", Use::kRefused, Use::kRefused, Use::kRequired},
    FieldUse{"input_stream_ids", "the streams to read", Use::kRefused, Use::kRefused,
             Use::kRequired},
    FieldUse{"output_stream_ids", "the streams to emit to", Use::kRefused, Use::kRequired,
             Use::kOptional},
    FieldUse{"dead_letter_stream_id", "", Use::kRefused, Use::kOptional, Use::kOptional},
    FieldUse{"internal_states", "", Use::kRefused, Use::kOptional, Use::kOptional},
};

bool is_empty_container(const Node& node) {
  return (node.is_list() && node.as_list().empty()) || (node.is_map() && node.as_map().empty());
}

void check_uses(const ObjectReader& reader, ComputationKind kind, Problems& problems) {
  for (const FieldUse& use : kUses) {
    const Node* const node = reader.find(use.name);
    switch (use.of(kind)) {
      case Use::kOptional: break;
      case Use::kRequired:
        reader.require(use.name, use.what);
        if (node != nullptr && node->is_list() && node->as_list().empty() &&
            use.name != "group_by_schema") {
          problems.add_unexpected(reader.path_of(use.name), "at least one stream", *node);
        }
        break;
      case Use::kRefused:
        if (node != nullptr && !is_empty_container(*node)) {
          std::vector<std::string_view> kinds;
          for (const auto& choice : kKinds) {
            if (choice.value && use.of(*choice.value) != Use::kRefused) {
              kinds.push_back(choice.name);
            }
          }
          problems.add(
              reader.path_of(use.name),
              fmt::format("expected only in a computation of kind {}, found in one of kind "
                          "\"{}\"",
                          quoted_list(kinds), computation_kind_name(kind)));
        }
    }
  }
}

template <typename Id>
std::vector<Id> read_ids(const ObjectReader& reader, std::string_view name) {
  std::vector<Id> ids;
  for (std::string& text : reader.read_names(name)) {
    ids.emplace_back(std::move(text));
  }
  return ids;
}

void read_internal_states(const ObjectReader& reader, ComputationSpec& computation,
                          Problems& problems) {
  reader.read_entries(
      "internal_states", [&](const std::string& name, const Node& node, const std::string& path) {
        const ObjectReader state_reader(node, path, kInternalStateFields, problems);
        InternalStateSpec state;
        state_reader.read_choice<StateFormat>("format", state.format, kStateFormats);
        computation.internal_states.emplace(StateName(name), state);
      });
}

}  // namespace

ComputationSpec read_computation(const std::string& id, const Node& node, const std::string& path,
                                 const std::filesystem::path& folder, Problems& problems) {
  const ObjectReader reader(node, path, kComputationFields, problems);
  ComputationSpec computation;
  const size_t problems_before = problems.count();
  const bool has_kind =
      reader.require("kind", "\"transform\", \"ordered_source\" or \"passthrough_source\"") !=
      nullptr;
  reader.read_choice<ComputationKind>("kind", computation.kind, kKinds);
  if (has_kind && problems.count() == problems_before) {
    check_uses(reader, computation.kind, problems);
  }

  if (const Node* const source = reader.find("source"); source != nullptr) {
    computation.source = read_source(*source, reader.path_of("source"), folder, problems);
  }
  std::string text;
  reader.read_name("source_stream_id", text);
  if (!text.empty()) {
    computation.source_stream_id = StreamId(std::exchange(text, {}));
  }
  reader.read_name("dead_letter_stream_id", text);
  if (!text.empty()) {
    computation.dead_letter_stream_id = StreamId(std::exchange(text, {}));
  }
  reader.read_name("companion", text);
  computation.companion = CompanionName(std::exchange(text, id));
  reader.read_name("processing_function", text);
  if (computation.kind != ComputationKind::kPassthroughSource) {
    computation.processing_function = FunctionName(std::move(text));
  }
  reader.read_parameters("parameters", computation.parameters);
  if (const Node* const group_by = reader.find("group_by_schema");
      group_by != nullptr &&
      !(is_empty_container(*group_by) && computation.kind != ComputationKind::kTransform)) {
    computation.group_by_schema =
        read_group_by_schema(*group_by, reader.path_of("group_by_schema"), problems);
  }
  computation.input_stream_ids = read_ids<StreamId>(reader, "input_stream_ids");
  computation.output_stream_ids = read_ids<StreamId>(reader, "output_stream_ids");
  read_internal_states(reader, computation, problems);
  return computation;
}

}  // namespace retinue::worker
