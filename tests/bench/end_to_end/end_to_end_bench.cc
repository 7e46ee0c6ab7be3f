// End to end: a keyed count of messages with a payload of 64 bytes over 100,000 keys, in one run:
//
//   the worker with a C++ companion, against
//   the same loop in one process over the same store, without a companion, and
//   RocksDB alone.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "tests/bench/end_to_end/in_process.h"
#include "tests/bench/end_to_end/input.h"
#include "tests/bench/end_to_end/rocksdb_alone.h"
#include "tests/bench/end_to_end/worker_run.h"

namespace retinue::bench {
namespace {

struct Options {
  uint64_t messages = 2'000'000;
  uint32_t partitions = 4;
  uint32_t batch_rows = 1000;
  std::filesystem::path work_dir = "end_to_end_bench.work";
  bool only_worker = false;
};

void print(const Measurement& measurement, const Measurement& reference) {
  fmt::print("  {:<28} {:>12.0f} messages/s   {:5.2f} of {}\n", measurement.name,
             measurement.messages_a_second(),
             measurement.messages_a_second() / reference.messages_a_second(), reference.name);
  std::fflush(stdout);
}

void run(const Options& options, KeyDistribution distribution, std::string_view title,
         const std::filesystem::path& bin) {
  std::filesystem::create_directories(options.work_dir);
  const InputOptions input{.messages = options.messages, .distribution = distribution};
  const std::filesystem::path lines = options.work_dir / "input.jsonl";
  write_input(input, lines);
  const std::string spec =
      pipeline_spec(lines, bin / "bench_companion", options.partitions, options.batch_rows);
  const std::filesystem::path spec_file = options.work_dir / "pipeline.json";
  std::ofstream(spec_file) << spec;
  const auto data_dir = [&](const char* name) {
    const std::filesystem::path folder = options.work_dir / name;
    std::filesystem::remove_all(folder);
    return folder;
  };
  fmt::print("{}: {} messages, {} keys, batches of {}, {} partitions\n", title, input.messages,
             input.keys, options.batch_rows, options.partitions);
  const Measurement worker = run_worker(bin / "retinue", spec_file, data_dir("worker"));
  if (options.only_worker) {
    print(worker, worker);
  } else {
    const Measurement alone = run_in_process(spec, data_dir("in_process"));
    print(worker, alone);
    print(alone, alone);
    print(run_rocksdb_alone(input, data_dir("rocksdb")), alone);
    fmt::print("  companion, socket and encoding cost {:.1f}% of the throughput without them\n",
               100 * (1 - worker.messages_a_second() / alone.messages_a_second()));
  }
  fmt::print("  worker CPU outside RocksDB: {:.2f} us a message; memory {} MiB at most\n",
             worker.worker_cpu_us_a_message, worker.memory_bytes_max >> 20);
  for (const StageCost& cost : worker.stages) {
    fmt::print("    {:<18} {:>8.0f} ns a message\n", cost.stage, cost.ns_a_message);
  }
  std::filesystem::remove_all(options.work_dir);
}

}  // namespace
}  // namespace retinue::bench

int main(int argc, char** argv) {
  using namespace retinue::bench;
  Options options;
  bool only_uniform = false;
  CLI::App app("The worker with a companion against the same loop without one");
  app.add_option("--messages", options.messages, "Messages of each run")->capture_default_str();
  app.add_option("--partitions", options.partitions, "")->capture_default_str();
  app.add_option("--batch-rows", options.batch_rows, "")->capture_default_str();
  app.add_option("--work-dir", options.work_dir, "Emptied")->capture_default_str();
  app.add_flag("--only-worker", options.only_worker, "Leave the comparisons out");
  app.add_flag("--only-uniform", only_uniform, "Leave Zipf out");
  CLI11_PARSE(app, argc, argv);
  const std::filesystem::path bin = std::filesystem::canonical("/proc/self/exe").parent_path();
  try {
    options.work_dir = std::filesystem::absolute(options.work_dir);
    run(options, KeyDistribution::kUniform, "uniform keys", bin);
    if (!only_uniform) {
      run(options, KeyDistribution::kZipf, "Zipf 1.1 keys", bin);
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "end_to_end_bench: {}\n", error.what());
    return 1;
  }
}
