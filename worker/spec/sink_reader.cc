#include "worker/spec/sink_reader.h"

#include <array>

#include "worker/spec/object_reader.h"

namespace retinue::worker {
namespace {

constexpr std::array kSinkTypes = {
    Choice<SinkType>{"json_lines", SinkType::kJsonLines},
    Choice<SinkType>{"stdout", SinkType::kStdout},
    Choice<SinkType>{"kafka", std::nullopt},
};

}  // namespace

SinkSpec read_sink(const yson::Node& node, const std::string& path,
                   const std::filesystem::path& folder, Problems& problems) {
  const ObjectReader reader(node, path, kSinkFields, problems);
  SinkSpec sink;
  const size_t problems_before = problems.count();
  const bool has_type = reader.require("type", "\"json_lines\" or \"stdout\"") != nullptr;
  reader.read_choice<SinkType>("type", sink.type, kSinkTypes);
  const bool is_type_known = has_type && problems.count() == problems_before;
  if (const yson::Node* const inputs = reader.require("input_stream_ids", "the streams to write");
      inputs != nullptr && inputs->is_list() && inputs->as_list().empty()) {
    problems.add_unexpected(reader.path_of("input_stream_ids"), "at least one stream", *inputs);
  }
  for (std::string& id : reader.read_names("input_stream_ids")) {
    sink.input_stream_ids.emplace_back(std::move(id));
  }
  reader.read_text("path", sink.path);
  if (sink.path == "-") {
    problems.add(reader.path_of("path"),
                 "expected a file's path, found \"-\"; for standard output use type \"stdout\"");
  }
  if (!sink.path.empty()) {
    sink.path = resolve_path(folder, sink.path);
  }
  if (!is_type_known) {
    return sink;
  }
  if (sink.type == SinkType::kJsonLines) {
    reader.require("path", "the file to write");
  } else if (reader.has("path")) {
    problems.add(reader.path_of("path"), "expected only with type \"json_lines\"");
  }
  return sink;
}

}  // namespace retinue::worker
