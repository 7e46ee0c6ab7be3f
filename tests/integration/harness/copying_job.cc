#include "tests/integration/harness/copying_job.h"

#include <fmt/format.h>

namespace retinue::testing {

CopyingJob::CopyingJob(const CopyingJobOptions& options) {
  change(options);
}

void CopyingJob::change(const CopyingJobOptions& options) const {
  write_file(folder_ / "pipeline.json",
             fmt::format(R"({{
    "name": "copying",
    "streams": {{"numbers": {{"schema": [{{"name": "n", "type": "int64"}}]}}}},
    "computations": {{"read": {{
      "kind": "passthrough_source", "source_stream_id": "numbers",
      "source": {{"type": "json_lines", "paths": ["{}"]{}}}}}}},
    "sinks": {{"numbers": {{"input_stream_ids": ["numbers"], {}}}{}}}
  }})",
                         options.input, options.source_fields, options.sink, options.more_sinks));
}

ProcessOptions CopyingJob::run_options(std::string_view data_dir) const {
  return {.command = {program("retinue"), "run", folder_ / "pipeline.json", "--data-dir",
                      folder_ / data_dir, "--quiet", "--json"}};
}

std::string numbers(int count, int first) {
  std::string lines;
  for (int i = first; i < first + count; ++i) {
    lines += fmt::format("{{\"n\":{}}}\n", i);
  }
  return lines;
}

}  // namespace retinue::testing
