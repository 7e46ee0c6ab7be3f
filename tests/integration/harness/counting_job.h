// CountingJob: a pipeline that counts messages a key and emits every count, with its input, its
// data directory and its output in one folder.
//
//   passthrough_source (JSON lines) -> count (four partitions) -> one JSON-lines file a partition
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/integration/harness/folder.h"
#include "tests/integration/harness/process.h"

namespace retinue::testing {

struct CountingJobOptions {
  uint64_t messages = 2000;
  uint32_t keys = 100;
  // What runs as the companion; empty: the good one. {good} stands for the good one's path.
  std::vector<std::string> companion_command = {"{good}"};
  bool companion_by_hand = false;  // no command at all
  // Put into the companion's and the computation's part of the spec: "\"processes\": 2,".
  std::string companion_fields;
  std::string computation_fields;
  std::string dynamic_fields;
};

class CountingJob {
 public:
  explicit CountingJob(const CountingJobOptions& options = {});

  const Folder& folder() const { return folder_; }
  std::filesystem::path spec() const { return folder_ / "pipeline.json"; }
  std::filesystem::path data_dir() const { return folder_ / "data"; }
  // `retinue run` of the job.
  ProcessOptions run_options(std::vector<std::string> more = {}) const;
  Finished run_to_end(std::vector<std::string> more = {}) const { return run(run_options(more)); }
  // `retinue states read --json`, sorted by line.
  std::string states() const;
  // The sink's files, one after the other.
  std::string output() const;

 private:
  Folder folder_;
};

}  // namespace retinue::testing
