// A cycle of two computations whose inboxes hold next to nothing, with kill -9.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <map>

#include "tests/integration/harness/counting_job.h"
#include "tests/integration/worker/expectations.h"

namespace retinue::testing {
namespace {

constexpr int64_t kNumbers = 400;

constexpr std::string_view kSpec = R"({
  "name": "collatz",
  "streams": {
    "numbers": {"schema": [{"name": "n", "type": "int64"}]},
    "next": {"schema": [{"name": "n", "type": "int64"}]},
    "again": {"schema": [{"name": "n", "type": "int64"}]},
    "done": {"schema": [{"name": "n", "type": "int64"}]}
  },
  "companions": {"collatz": {"command": ["COMPANION"], "restart_delay_min": "10ms"}},
  "computations": {
    "read": {"kind": "passthrough_source", "source_stream_id": "numbers",
             "source": {"type": "json_lines", "paths": ["numbers.jsonl"]}},
    "step": {"kind": "transform", "companion": "collatz",
             "group_by_schema": [{"name": "n", "type": "int64"}],
             "input_stream_ids": ["numbers", "again"], "output_stream_ids": ["next", "done"],
             "internal_states": {"visits": {"format": "yson"}}},
    "pass": {"kind": "transform", "companion": "collatz",
             "group_by_schema": [{"name": "n", "type": "int64"}],
             "input_stream_ids": ["next"], "output_stream_ids": ["again"]}
  },
  "sinks": {"done": {"type": "json_lines", "input_stream_ids": ["done"], "path": "done.jsonl"}},
  "dynamic_spec": {"computations": {
    "read": {"max_rows_per_batch": 50},
    "step": {"inbox_bytes_limit": 500, "max_rows_per_batch": 40, "desired_partition_count": 3},
    "pass": {"inbox_bytes_limit": 1, "max_rows_per_batch": 20, "desired_partition_count": 2}
  }}
})";

class CollatzJob {
 public:
  CollatzJob() {
    std::string spec(kSpec);
    const std::string_view companion = "COMPANION";
    spec.replace(spec.find(companion), companion.size(), program("collatz_companion"));
    write_file(folder_ / "pipeline.json", spec);
    std::string lines;
    for (int64_t n = 1; n <= kNumbers; ++n) {
      lines += fmt::format("{{\"n\":{}}}\n", n);
    }
    write_file(folder_ / "numbers.jsonl", lines);
  }

  ProcessOptions run_options() const {
    return {.command = {program("retinue"), "run", folder_ / "pipeline.json", "--data-dir",
                        folder_ / "data", "--quiet"}};
  }
  uint64_t done() const {
    std::error_code missing;
    const auto bytes = std::filesystem::file_size(folder_ / "done.jsonl", missing);
    return missing ? 0 : bytes / std::string_view("{\"n\":1}\n").size();
  }
  std::string states() const {
    const Finished read = run({.command = {program("retinue"), "states", "read", "--data-dir",
                                           folder_ / "data", "-c", "step", "-n", "0", "--json"}});
    EXPECT_EQ(read.exit_code, 0) << read.errors;
    return sorted_lines(read.output);
  }

 private:
  Folder folder_;
};

std::string expected_states() {
  std::map<int64_t, int64_t> visits;
  for (int64_t start = 1; start <= kNumbers; ++start) {
    for (int64_t n = start;; n = n % 2 == 0 ? n / 2 : 3 * n + 1) {
      ++visits[n];
      if (n == 1) {
        break;
      }
    }
  }
  std::string states;
  for (const auto& [n, count] : visits) {
    states += fmt::format("{{\"key\":{{\"n\":{}}},\"state\":\"visits\",\"value\":{}}}\n", n, count);
  }
  return sorted_lines(states);
}

TEST(Cycle, FinishesWithEveryStepOnceThoughTheWorkerIsKilled) {
  const CollatzJob job;
  int kills = 0;
  for (const uint64_t done : {50, 150, 300}) {
    Process worker(job.run_options());
    if (worker.wait_until([&] { return job.done() >= done; })) {
      worker.signal(SIGKILL);
      kills += worker.wait() == 128 + SIGKILL ? 1 : 0;
    }
  }
  EXPECT_GE(kills, 1);
  const Finished finished = run(job.run_options());
  ASSERT_EQ(finished.exit_code, 0) << finished.errors;
  EXPECT_EQ(job.done(), static_cast<uint64_t>(kNumbers));
  EXPECT_EQ(job.states(), expected_states());
}

}  // namespace
}  // namespace retinue::testing
