#include <fmt/format.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "worker/json/error_text.h"
#include "worker/spec/part_check.h"

namespace retinue::worker {
namespace {

template <typename Map>
std::vector<std::string_view> names_of(const Map& parts) {
  std::vector<std::string_view> names;
  names.reserve(parts.size());
  for (const auto& [id, part] : parts) {
    names.push_back(id.value());
  }
  return names;
}

// Names of one section, to look references up in. A name that could not be read is "": what is
// wrong with it has been said.
template <typename Map>
class References {
 public:
  References(std::string_view kind, const Map& parts, Problems& problems)
      : kind_(kind), parts_(parts), problems_(problems), names_(names_of(parts)) {}

  void check(const typename Map::key_type& id, const std::string& path) const {
    if (id.empty() || parts_.contains(id)) {
      return;
    }
    std::string hint;
    if (problems_.count() < Problems::kLimit) {
      hint = did_you_mean(id.value(), names_);
    }
    problems_.add(path, fmt::format("expected the name of a {}, found {}, which does not exist{}",
                                    kind_, quote_text(id.value()), hint));
  }

  void check(const std::vector<typename Map::key_type>& ids, const std::string& path) const {
    std::set<std::string_view> seen;
    for (size_t i = 0; i < ids.size(); ++i) {
      check(ids[i], child_path(path, i));
      if (!ids[i].empty() && !seen.insert(ids[i].value()).second) {
        problems_.add(child_path(path, i),
                      fmt::format("the {} {} is there twice", kind_, quote_text(ids[i].value())));
      }
    }
  }

 private:
  const std::string_view kind_;
  const Map& parts_;
  Problems& problems_;
  const std::vector<std::string_view> names_;
};

}  // namespace

std::string part_path(std::string_view section, std::string_view id, std::string_view field) {
  return fmt::format("/{}/{}/{}", section, id, field);
}

void check_references(const PipelineSpec& spec, Problems& problems) {
  const References streams("stream", spec.streams, problems);
  const References companions("companion", spec.companions, problems);
  const References computations("computation", spec.computations, problems);
  for (const auto& [id, computation] : spec.computations) {
    const auto path = [&, &name = id.value()](std::string_view field) {
      return part_path("computations", name, field);
    };
    if (computation.source_stream_id) {
      streams.check(*computation.source_stream_id, path("source_stream_id"));
    }
    if (computation.dead_letter_stream_id) {
      streams.check(*computation.dead_letter_stream_id, path("dead_letter_stream_id"));
    }
    companions.check(computation.companion, path("companion"));
    streams.check(computation.input_stream_ids, path("input_stream_ids"));
    streams.check(computation.output_stream_ids, path("output_stream_ids"));
  }
  for (const auto& [name, sink] : spec.sinks) {
    streams.check(sink.input_stream_ids, part_path("sinks", name.value(), "input_stream_ids"));
  }
  for (const auto& [id, dynamic] : spec.dynamic_spec.computations) {
    computations.check(id, child_path("/dynamic_spec/computations", id.value()));
    const auto computation = spec.computations.find(id);
    if (computation != spec.computations.end() && computation->second.source &&
        dynamic.desired_partition_count != 1) {
      problems.add(
          part_path("dynamic_spec/computations", id.value(), "desired_partition_count"),
          fmt::format("expected 1 for a source, found {}", dynamic.desired_partition_count));
    }
  }
}

}  // namespace retinue::worker
