#include "worker/cli/summary_printer.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <utility>

#include "worker/json/json_writer.h"
#include "worker/log/printable.h"

namespace retinue::worker {
namespace {

std::string_view state_name(Engine::State state) {
  switch (state) {
    case Engine::State::kRunning: return "running";
    case Engine::State::kFinished: return "finished";
    case Engine::State::kStopped: return "stopped";
    case Engine::State::kFailed: return "failed";
  }
  return "unknown";
}

uint64_t per_second(uint64_t count, Duration elapsed) {
  return elapsed.seconds() > 0
             ? static_cast<uint64_t>(static_cast<double>(count) / elapsed.seconds())
             : 0;
}

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

// For people: no more digits than mean something.
double to_milliseconds(double seconds) {
  return std::round(seconds * 1000) / 1000;
}

using NamedCost = std::pair<std::string_view, uint64_t>;

std::array<NamedCost, 8> named_costs(const StageCosts& costs) {
  return {NamedCost{"assemble", costs.assemble},
          {"preload", costs.preload},
          {"encode", costs.encode},
          {"wait", costs.wait},
          {"apply", costs.apply},
          {"scatter", costs.scatter},
          {"commit", costs.commit},
          {"companion_cpu", costs.companion_cpu}};
}

yson::Node computations_node(const Summary& summary) {
  yson::Node computations{yson::Map{}};
  for (const ComputationSummary& one : summary.computations) {
    yson::Node node;
    node.set("messages_in", one.messages_in);
    node.set("messages_out", one.messages_out);
    node.set("epochs", one.epochs);
    node.set("failed_batches", one.failed_batches);
    node.set("dead_letters", one.dead_letters);
    node.set("state_changes", one.state_changes);
    node.set("keys_cached", one.keys_cached);
    node.set("queued_messages", one.queued_messages);
    node.set("inbox_bytes", one.inbox_bytes);
    computations.set(one.computation, std::move(node));
  }
  return computations;
}

std::string whole_file(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The name of a thread, "commit" or "rocksdb:low0", and its CPU time, from /proc/self/task/ID/stat
// (proc(5)): `ID (name) state` and then numbers, of which the 11th and 12th after the state are
// utime and stime.
std::pair<std::string, double> thread_usage(const std::filesystem::path& folder) {
  const std::string stat = whole_file(folder / "stat");
  const size_t name_begin = stat.find('(');
  const size_t name_end = stat.rfind(')');
  if (name_begin == std::string::npos || name_end == std::string::npos) {
    return {};
  }
  std::istringstream fields(stat.substr(name_end + 1));
  std::string skipped;
  for (int i = 0; i < 11; ++i) {
    fields >> skipped;
  }
  double user_ticks = 0;
  double system_ticks = 0;
  fields >> user_ticks >> system_ticks;
  return {stat.substr(name_begin + 1, name_end - name_begin - 1),
          (user_ticks + system_ticks) / static_cast<double>(sysconf(_SC_CLK_TCK))};
}

double store_cpu_seconds() {
  double seconds = 0;
  std::error_code failure;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task", failure)) {
    const auto [name, used] = thread_usage(task.path());
    if (name == "commit" || name.starts_with("rocksdb")) {
      seconds += used;
    }
  }
  return seconds;
}

}  // namespace

ProcessUsage process_usage() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return {.cpu_seconds = seconds(usage.ru_utime) + seconds(usage.ru_stime),
          .store_cpu_seconds = store_cpu_seconds(),
          .memory_bytes_max = memory_bytes_max(whole_file("/proc/self/status"))};
}

uint64_t memory_bytes_max(std::string_view status) {
  constexpr std::string_view kName = "\nVmHWM:";
  const size_t at = status.find(kName);
  if (at == std::string_view::npos) {
    return 0;
  }
  std::istringstream rest{std::string(status.substr(at + kName.size()))};
  uint64_t kibibytes = 0;
  rest >> kibibytes;
  return kibibytes * 1024;
}

std::string with_separators(uint64_t number) {
  const std::string digits = fmt::to_string(number);
  std::string text;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) {
      text.push_back(',');
    }
    text.push_back(digits[i]);
  }
  return text;
}

std::string summary_text(const std::string& pipeline, Engine::State state, const Summary& summary,
                         const ProcessUsage& usage) {
  std::string text = fmt::format("{}: {} after {:.1f} s\n", pipeline, state_name(state),
                                 summary.elapsed.seconds());
  text += fmt::format("  messages in   {:>14}\n", with_separators(summary.messages_in));
  text +=
      fmt::format("  processed     {:>14}  ({}/s)\n", with_separators(summary.messages_processed),
                  with_separators(per_second(summary.messages_processed, summary.elapsed)));
  text += fmt::format("  messages out  {:>14}\n", with_separators(summary.messages_out));
  text += fmt::format("  epochs        {:>14}\n", with_separators(summary.epochs));
  if (summary.lines_skipped > 0) {
    text += fmt::format("  lines skipped {:>14}\n", with_separators(summary.lines_skipped));
  }
  text += fmt::format("  worker used   {:>12.1f} s CPU, {} MiB\n", usage.cpu_seconds,
                      usage.memory_bytes_max >> 20);
  return text;
}

std::vector<LogField> summary_fields(Engine::State state, const Summary& summary,
                                     const ProcessUsage& usage) {
  return {{"state", std::string(state_name(state))},
          {"elapsed_seconds", fmt::format("{:.3f}", summary.elapsed.seconds())},
          {"messages_in", fmt::to_string(summary.messages_in)},
          {"messages_processed", fmt::to_string(summary.messages_processed)},
          {"messages_out", fmt::to_string(summary.messages_out)},
          {"epochs", fmt::to_string(summary.epochs)},
          {"lines_skipped", fmt::to_string(summary.lines_skipped)},
          {"cpu_seconds", fmt::format("{:.3f}", usage.cpu_seconds)},
          {"memory_bytes_max", fmt::to_string(usage.memory_bytes_max)}};
}

std::string summary_json(const std::string& pipeline, Engine::State state, const std::string& error,
                         const Summary& summary, const ProcessUsage& usage) {
  yson::Node costs{yson::Map{}};
  for (const auto& [name, nanoseconds] : named_costs(summary.stage_costs)) {
    costs.set(fmt::format("{}_ns", name), nanoseconds);
  }
  yson::Node node;
  node.set("pipeline", pipeline);
  node.set("state", state_name(state));
  if (!error.empty()) {
    node.set("error", valid_utf8(error));
  }
  node.set("elapsed_seconds", to_milliseconds(summary.elapsed.seconds()));
  node.set("messages_in", summary.messages_in);
  node.set("messages_processed", summary.messages_processed);
  node.set("messages_out", summary.messages_out);
  node.set("messages_per_second", per_second(summary.messages_processed, summary.elapsed));
  node.set("messages_in_total", summary.messages_in_total);
  node.set("messages_out_total", summary.messages_out_total);
  node.set("epochs", summary.epochs);
  node.set("lines_skipped", summary.lines_skipped);
  node.set("cpu_seconds", to_milliseconds(usage.cpu_seconds));
  node.set("store_cpu_seconds", to_milliseconds(usage.store_cpu_seconds));
  node.set("memory_bytes_max", usage.memory_bytes_max);
  node.set("stage_costs", std::move(costs));
  node.set("computations", computations_node(summary));
  return node_to_json(node);
}

}  // namespace retinue::worker
