#include "tests/integration/harness/counting_job.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>
#include <stdexcept>

namespace retinue::testing {
namespace {

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
    words += fmt::format("{}\"{}\"", words.empty() ? "" : ", ", word);
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
             "source": {"type": "json_lines", "paths": ["INPUT_PATH"]}},
    "count": {"kind": "transform", "companion": "counting", COMPUTATION_FIELDS
              "group_by_schema": [{"name": "key", "type": "string"}],
              "input_stream_ids": ["events"], "output_stream_ids": ["counts"],
              "internal_states": {"total": {"format": "yson"}}}
  },
  "sinks": {
    "counts": {"type": "json_lines", "input_stream_ids": ["counts"],
               "path": "out/counts-{partition}.jsonl"}
  },
  "dynamic_spec": {"computations": {"count": {DYNAMIC_FIELDS "desired_partition_count": 4}}}
})";

}  // namespace

CountingJob::CountingJob(const CountingJobOptions& options) {
  std::filesystem::create_directories(folder_ / "out");
  write_file(folder_ / "input.jsonl", input_lines(options));
  std::string spec(kSpec);
  spec = replace_all(std::move(spec), "INPUT_PATH", options.input_path);
  spec = replace_all(std::move(spec), "COMMAND", command_field(options));
  spec = replace_all(std::move(spec), "COMPANION_FIELDS", options.companion_fields);
  spec = replace_all(std::move(spec), "COMPUTATION_FIELDS", options.computation_fields);
  spec = replace_all(std::move(spec), "DYNAMIC_FIELDS", options.dynamic_fields);
  spec = replace_all(std::move(spec), "{folder}", folder_.path().string());
  spec = replace_all(std::move(spec), "{good}", program("counting_companion"));
  spec = replace_all(std::move(spec), "{rogue}", program("rogue_companion"));
  write_file(this->spec(), spec);
}

ProcessOptions CountingJob::run_options(std::vector<std::string> more) const {
  ProcessOptions options{.command = {program("retinue"), "run", spec().string(), "--data-dir",
                                     data_dir().string(), "--quiet"}};
  options.command.insert(options.command.end(), more.begin(), more.end());
  return options;
}

Finished CountingJob::read_states(const std::vector<std::string>& more) const {
  ProcessOptions options{.command = {program("retinue"), "states", "read", "--data-dir",
                                     data_dir().string(), "--computation", "count", "--json"}};
  options.command.insert(options.command.end(), more.begin(), more.end());
  return run(options);
}

std::string CountingJob::states() const {
  const Finished read = read_states();
  if (read.exit_code != 0) {
    throw std::runtime_error(read.errors);
  }
  return sorted_lines(read.output);
}

std::string CountingJob::output() const {
  std::string all;
  for (uint32_t i = 0; i < kPartitions; ++i) {
    all += fmt::format("== {}\n", i);
    all += read_file(output_file(i));
  }
  return all;
}

std::filesystem::path CountingJob::output_file(uint32_t partition) const {
  return folder_ / fmt::format("out/counts-{}.jsonl", partition);
}

uint64_t CountingJob::output_bytes() const {
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < kPartitions; ++i) {
    std::error_code missing;
    const uint64_t size = std::filesystem::file_size(output_file(i), missing);
    bytes += missing ? 0 : size;
  }
  return bytes;
}

std::string sorted_lines(std::string_view text) {
  std::vector<std::string> lines;
  std::istringstream stream{std::string(text)};
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(line + "\n");
  }
  std::ranges::sort(lines);
  return fmt::format("{}", fmt::join(lines, ""));
}

}  // namespace retinue::testing
