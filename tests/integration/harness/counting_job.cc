#include "tests/integration/harness/counting_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <stdexcept>

namespace retinue::testing {
namespace {

constexpr uint32_t kPartitions = 4;

std::string replace_all(std::string text, std::string_view from, std::string_view to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
  return text;
}

std::string input_lines(const CountingJobOptions& options) {
  std::string lines;
  uint64_t random = 1;
  for (uint64_t i = 0; i < options.messages; ++i) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    fmt::format_to(std::back_inserter(lines), "{{\"key\":\"key-{}\",\"value\":{}}}\n",
                   (random >> 33) % options.keys, i);
  }
  return lines;
}

std::string command_field(const CountingJobOptions& options) {
  if (options.companion_by_hand) {
    return "";
  }
  std::string words;
  for (const std::string& word : options.companion_command) {
    words += fmt::format("{}\"{}\"", words.empty() ? "" : ", ",
                         replace_all(word, "{good}", program("counting_companion")));
  }
  return fmt::format("\"command\": [{}],", words);
}

constexpr std::string_view kSpec = R"({
  "name": "counting",
  "streams": {
    "events": {"schema": [{"name": "key", "type": "string"}, {"name": "value", "type": "int64"}]},
    "counts": {"schema": [{"name": "key", "type": "string"}, {"name": "count", "type": "int64"},
                          {"name": "sum", "type": "int64"}]}
  },
  "companions": {
    "counting": {COMMAND COMPANION_FIELDS "restart_delay_min": "10ms"}
  },
  "computations": {
    "read": {"kind": "passthrough_source", "source_stream_id": "events",
             "source": {"type": "json_lines", "paths": ["input.jsonl"]}},
    "count": {"kind": "transform", "companion": "counting", COMPUTATION_FIELDS
              "group_by_schema": [{"name": "key", "type": "string"}],
              "input_stream_ids": ["events"], "output_stream_ids": ["counts"],
              "internal_states": {"total": {"format": "yson"}}}
  },
  "sinks": {
    "counts": {"type": "json_lines", "input_stream_ids": ["counts"],
               "path": "counts-{partition}.jsonl"}
  },
  "dynamic_spec": {"computations": {"count": {DYNAMIC_FIELDS "desired_partition_count": 4}}}
})";

}  // namespace

CountingJob::CountingJob(const CountingJobOptions& options) {
  write_file(folder_ / "input.jsonl", input_lines(options));
  std::string spec(kSpec);
  spec = replace_all(std::move(spec), "COMMAND", command_field(options));
  spec = replace_all(std::move(spec), "COMPANION_FIELDS", options.companion_fields);
  spec = replace_all(std::move(spec), "COMPUTATION_FIELDS", options.computation_fields);
  spec = replace_all(std::move(spec), "DYNAMIC_FIELDS", options.dynamic_fields);
  write_file(this->spec(), replace_all(std::move(spec), "{folder}", folder_.path().string()));
}

ProcessOptions CountingJob::run_options(std::vector<std::string> more) const {
  ProcessOptions options{.command = {program("retinue"), "run", spec().string(), "--data-dir",
                                     data_dir().string(), "--quiet"}};
  options.command.insert(options.command.end(), more.begin(), more.end());
  return options;
}

std::string CountingJob::states() const {
  const Finished read =
      run({.command = {program("retinue"), "states", "read", "--data-dir", data_dir().string(),
                       "--computation", "count", "--limit", "0", "--json"}});
  if (read.exit_code != 0) {
    throw std::runtime_error(read.errors);
  }
  std::vector<std::string> lines;
  std::istringstream text(read.output);
  for (std::string line; std::getline(text, line);) {
    lines.push_back(line);
  }
  std::ranges::sort(lines);
  std::string sorted;
  for (const std::string& line : lines) {
    sorted += line + "\n";
  }
  return sorted;
}

std::string CountingJob::output() const {
  std::string all;
  for (uint32_t i = 0; i < kPartitions; ++i) {
    all += fmt::format("== {}\n", i);
    all += read_file(folder_ / fmt::format("counts-{}.jsonl", i));
  }
  return all;
}

}  // namespace retinue::testing
