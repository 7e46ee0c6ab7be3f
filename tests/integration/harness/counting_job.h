// CountingJob: a pipeline that counts messages a key and emits every count, with its input, its
// data directory and its output in one folder.
//
//   passthrough_source (JSON lines) -> count (four partitions) -> one JSON-lines file a partition
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "tests/folder/folder.h"
#include "tests/integration/harness/process.h"

namespace retinue::testing {

struct CountingJobOptions {
  uint64_t messages = 2000;
  uint32_t keys = 100;
  // What runs as the companion; {good} and {rogue} stand for the paths of the two that there are.
  std::vector<std::string> companion_command = {"{good}"};
  bool companion_by_hand = false;          // no command at all
  std::string input_path = "input.jsonl";  // in the job's folder, whose input.jsonl is always there
  // Put into parts of the spec: "\"processes\": 2,". {folder} stands for the job's folder.
  std::string companion_fields = {};
  std::string computation_fields = {};
  std::string dynamic_fields = {};
};

class CountingJob {
 public:
  explicit CountingJob(const CountingJobOptions& options = {});

  const Folder& folder() const { return folder_; }
  std::filesystem::path spec() const { return folder_ / "pipeline.json"; }
  std::filesystem::path data_dir() const { return folder_ / "data"; }
  std::filesystem::path output_file(uint32_t partition) const;
  // `retinue run` of the job.
  ProcessOptions run_options(std::vector<std::string> more = {}) const;
  Finished run_to_end(std::vector<std::string> more = {}) const { return run(run_options(more)); }
  // `retinue states read --json` of the counts.
  Finished read_states(const std::vector<std::string>& more = {"--limit", "0"}) const;
  // All of them, sorted by line; throws std::runtime_error when they cannot be read.
  std::string states() const;
  // The sink's files, one after the other.
  std::string output() const;
  // The input's lines.
  std::string input() const { return read_file(folder_ / "input.jsonl"); }
  // The bytes of output so far.
  uint64_t output_bytes() const;

  static constexpr uint32_t kPartitions = 4;

 private:
  Folder folder_;
};

std::string sorted_lines(std::string_view text);

}  // namespace retinue::testing
