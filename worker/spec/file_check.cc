#include <fmt/format.h>
#include <fnmatch.h>

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "worker/json/error_text.h"
#include "worker/spec/part_check.h"

namespace retinue::worker {
namespace {

// Things that only one part of a spec may have, and where that one is.
class Claims {
 public:
  explicit Claims(Problems& problems) : problems_(problems) {}

  void claim(const std::string& thing, const std::string& path) {
    const auto [first, is_new] = claims_.emplace(thing, path);
    if (!is_new) {
      problems_.add(path, fmt::format("expected something else than {}, which {} has already",
                                      thing, first->second));
    }
  }

 private:
  Problems& problems_;
  std::map<std::string, std::string> claims_;
};

// A file that the pipeline writes, and where the spec names it.
struct Output {
  std::string path;
  std::string spec_path;
};

// A file of any partition is read by whoever reads that of the first.
std::string first_file(const SinkSpec& sink) {
  static constexpr std::string_view kPlaceholder = "{partition}";
  std::string path = sink.path;
  for (size_t at = path.find(kPlaceholder); at != std::string::npos; at = path.find(kPlaceholder)) {
    path.replace(at, kPlaceholder.size(), "0");
  }
  return path;
}

std::vector<Output> outputs_of(const PipelineSpec& spec) {
  std::vector<Output> outputs;
  for (const auto& [id, computation] : spec.computations) {
    if (computation.source && !computation.source->dead_letter_path.empty()) {
      outputs.push_back({computation.source->dead_letter_path.string(),
                         part_path("computations", id.value(), "source/dead_letter_path")});
    }
  }
  for (const auto& [name, sink] : spec.sinks) {
    if (!sink.path.empty()) {
      outputs.push_back({first_file(sink), part_path("sinks", name.value(), "path")});
    }
  }
  return outputs;
}

// By the texts alone; the engine compares the files that there are.
void check_inputs(const PipelineSpec& spec, Problems& problems) {
  const std::vector<Output> outputs = outputs_of(spec);
  for (const auto& [id, computation] : spec.computations) {
    if (!computation.source) {
      continue;
    }
    const std::vector<std::string>& paths = computation.source->paths;
    for (size_t i = 0; i < paths.size(); ++i) {
      for (const Output& output : outputs) {
        if (paths[i] == output.path ||
            ::fnmatch(paths[i].c_str(), output.path.c_str(), FNM_PATHNAME | FNM_PERIOD) == 0) {
          problems.add(
              child_path(part_path("computations", id.value(), "source/paths"), i),
              fmt::format("expected files that the pipeline does not write, found {}, which names "
                          "the file of {}",
                          quote_text(paths[i]), output.spec_path));
        }
      }
    }
  }
}

}  // namespace

void check_files(const PipelineSpec& spec, Problems& problems) {
  Claims claims(problems);
  for (const auto& [id, computation] : spec.computations) {
    if (!computation.source) {
      continue;
    }
    const SourceSpec& source = *computation.source;
    if (source.paths.size() == 1 && source.paths.front() == "-") {
      claims.claim("standard input", part_path("computations", id.value(), "source/paths"));
    }
    if (!source.dead_letter_path.empty()) {
      claims.claim("the file " + quote_text(source.dead_letter_path.string()),
                   part_path("computations", id.value(), "source/dead_letter_path"));
    }
  }
  for (const auto& [name, sink] : spec.sinks) {
    if (sink.type == SinkType::kStdout) {
      claims.claim("standard output", part_path("sinks", name.value(), "type"));
    } else if (!sink.path.empty()) {
      claims.claim("the file " + quote_text(sink.path), part_path("sinks", name.value(), "path"));
    }
  }
  check_inputs(spec, problems);
}

}  // namespace retinue::worker
