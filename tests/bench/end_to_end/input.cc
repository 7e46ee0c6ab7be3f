#include "tests/bench/end_to_end/input.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

namespace retinue::bench {
namespace {

class Keys {
 public:
  explicit Keys(const InputOptions& options) : options_(options) {
    if (options.distribution == KeyDistribution::kZipf) {
      double sum = 0;
      for (uint32_t rank = 1; rank <= options.keys; ++rank) {
        sum += std::pow(rank, -1.1);
        cumulative_.push_back(sum);
      }
    }
  }

  uint64_t next() {
    if (cumulative_.empty()) {
      return random_() % options_.keys;
    }
    const double at = std::uniform_real_distribution(0.0, cumulative_.back())(random_);
    return static_cast<uint64_t>(std::ranges::lower_bound(cumulative_, at) - cumulative_.begin());
  }

 private:
  const InputOptions options_;
  std::mt19937_64 random_{1};
  std::vector<double> cumulative_;
};

}  // namespace

void write_input(const InputOptions& options, const std::filesystem::path& path) {
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (file == nullptr) {
    throw std::runtime_error(fmt::format("cannot write {}", path.string()));
  }
  Keys keys(options);
  const std::string payload(64, 'p');
  std::string lines;
  for (uint64_t i = 0; i < options.messages; ++i) {
    fmt::format_to(std::back_inserter(lines), "{{\"key\":{},\"payload\":\"{}\"}}\n", keys.next(),
                   payload);
    if (lines.size() > (1 << 20) || i + 1 == options.messages) {
      std::fwrite(lines.data(), 1, lines.size(), file);
      lines.clear();
    }
  }
  std::fclose(file);
}

std::string pipeline_spec(const std::filesystem::path& input,
                          const std::filesystem::path& companion, uint32_t partitions,
                          uint32_t batch_rows) {
  return fmt::format(R"({{
  "name": "bench",
  "streams": {{"events": {{"schema": [{{"name": "key", "type": "uint64"}},
                                    {{"name": "payload", "type": "string"}}]}}}},
  "companions": {{"bench": {{"command": ["{}"]}}}},
  "computations": {{
    "read": {{"kind": "passthrough_source", "source_stream_id": "events",
             "source": {{"type": "json_lines", "paths": ["{}"]}}}},
    "count": {{"kind": "transform", "companion": "bench", "input_stream_ids": ["events"],
              "group_by_schema": [{{"name": "key", "type": "uint64"}}],
              "internal_states": {{"total": {{"format": "yson"}}}}}}
  }},
  "dynamic_spec": {{"computations": {{"count": {{
    "desired_partition_count": {}, "max_rows_per_batch": {}}}}}}}
}})",
                     companion.string(), input.string(), partitions, batch_rows);
}

}  // namespace retinue::bench
