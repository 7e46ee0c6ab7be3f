#include "worker/sink/make_sink.h"

#include <string_view>
#include <utility>

#include "worker/sink/json_lines_sink.h"
#include "worker/sink/stdout_sink.h"

namespace retinue::worker {

std::string sink_file_path(const std::string& path, PartitionIndex partition) {
  static constexpr std::string_view kPlaceholder = "{partition}";
  std::string made = path;
  for (size_t at = made.find(kPlaceholder); at != std::string::npos; at = made.find(kPlaceholder)) {
    made.replace(at, kPlaceholder.size(), std::to_string(partition.value()));
  }
  return made;
}

Result<std::unique_ptr<Sink>> make_sink(const SinkSpec& spec, PartitionIndex partition,
                                        int stdout_fd) {
  std::unique_ptr<Sink> sink;
  if (spec.type == SinkType::kStdout) {
    sink = std::make_unique<StdoutSink>(stdout_fd);
  } else if (spec.path.empty()) {
    return Error{ErrorCode::kInvalidSpec, "a json_lines sink needs a path"};
  } else {
    sink = std::make_unique<JsonLinesSink>(sink_file_path(spec.path, partition));
  }
  return sink;
}

}  // namespace retinue::worker
