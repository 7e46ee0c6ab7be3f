#include <fmt/format.h>

#include <map>
#include <string>
#include <utility>

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
}

}  // namespace retinue::worker
