// CopyingJob: a pipeline that copies JSON lines of one column, "n", from a source to a sink, with
// all its files in one folder. No companion takes part.
#pragma once

#include <string>
#include <string_view>

#include "tests/folder/folder.h"
#include "tests/integration/harness/process.h"

namespace retinue::testing {

// Texts of the spec.
struct CopyingJobOptions {
  std::string input = "input.jsonl";
  std::string source_fields = {};
  std::string sink = "\"type\": \"json_lines\", \"path\": \"output.jsonl\"";
  std::string more_sinks = {};
};

class CopyingJob {
 public:
  explicit CopyingJob(const CopyingJobOptions& options = {});

  // Another spec for the same data directory.
  void change(const CopyingJobOptions& options) const;

  const Folder& folder() const { return folder_; }
  ProcessOptions run_options(std::string_view data_dir = "data") const;
  Finished run_to_end() const { return run(run_options()); }
  std::string output() const { return folder_.read("output.jsonl"); }

 private:
  Folder folder_;
};

// The lines of `count` numbers, from 0 or `first`.
std::string numbers(int count, int first = 0);

}  // namespace retinue::testing
