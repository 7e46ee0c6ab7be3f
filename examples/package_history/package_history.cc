// The history of every package in a dpkg log: installs, upgrades, removals, and the time between.
//
// `parse` reads the log's lines; `history` keeps a record a package and emits it as it changes.
#include <algorithm>
#include <array>
#include <cstdint>
#include <ctime>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "companion_sdk/cpp/companion.h"

namespace {

using namespace retinue::companion;

// A line of dpkg.log: "2026-01-31 12:00:00 upgrade curl:amd64 7.88.1-10 7.88.1-11".
struct LogLine {
  int64_t time_us = 0;  // the log's own wall clock, read as UTC
  std::string_view action;
  std::string_view package;
  std::string_view version;  // the new one; the old one of a removal
};

// Cuts the first word off `line`.
std::string_view take_word(std::string_view& line) {
  const size_t end = std::min(line.find(' '), line.size());
  const std::string_view word = line.substr(0, end);
  line.remove_prefix(std::min(end + 1, line.size()));
  return word;
}

std::optional<int64_t> parse_time(std::string_view date, std::string_view time) {
  std::tm parts{};
  const std::string text = std::string(date) + " " + std::string(time);
  const char* end = strptime(text.c_str(), "%Y-%m-%d %H:%M:%S", &parts);
  if (end == nullptr || *end != '\0') {
    return std::nullopt;
  }
  return int64_t{timegm(&parts)} * 1'000'000;
}

// nullopt for the lines that are about something else: status, configure, trigproc, startup.
std::optional<LogLine> parse_line(std::string_view line) {
  const std::string_view date = take_word(line);
  const std::optional<int64_t> time = parse_time(date, take_word(line));
  LogLine parsed;
  parsed.action = take_word(line);
  constexpr std::array kActions = {"install", "upgrade", "remove", "purge"};
  if (!time || std::ranges::find(kActions, parsed.action) == kActions.end()) {
    return std::nullopt;
  }
  parsed.time_us = *time;
  parsed.package = take_word(line);
  const std::string_view old_version = take_word(line);
  const std::string_view new_version = take_word(line);
  parsed.version = new_version == "<none>" ? old_version : new_version;
  return parsed;
}

class Parse final : public ProcessFunction {
 public:
  void init(RuntimeContext& context) override {
    line_ = context.column("lines", "line");
    events_ = context.output_stream("events");
    package_ = events_.column("package");
    action_ = events_.column("action");
    version_ = events_.column("version");
    time_ = events_.column("time_us");
  }

  void process_message(const Message& message, OutputCollector& output, RuntimeContext&) override {
    if (const auto line = parse_line(message.get<std::string_view>(line_))) {
      output.row(events_)
          .set(package_, line->package)
          .set(action_, line->action)
          .set(version_, line->version)
          .set(time_, line->time_us)
          .emit();
    }
  }

 private:
  retinue::ColumnIndex line_;
  OutputStream events_;
  retinue::ColumnIndex package_;
  retinue::ColumnIndex action_;
  retinue::ColumnIndex version_;
  retinue::ColumnIndex time_;
};

struct History {
  int64_t installs = 0;
  int64_t upgrades = 0;
  int64_t removals = 0;
  int64_t first_us = 0;
  int64_t last_us = 0;
  int64_t longest_gap_us = 0;
  std::string version;  // empty once removed
};
RETINUE_YSON_STRUCT(History, installs, upgrades, removals, first_us, last_us, longest_gap_us,
                    version);

class PackageHistory final : public ProcessFunction {
 public:
  void init(RuntimeContext& context) override {
    history_ = context.state_client<History>("history");
    action_ = context.column("events", "action");
    version_ = context.column("events", "version");
    time_ = context.column("events", "time_us");
    changes_ = context.output_stream("changes");
  }

  void process_message(const Message& message, OutputCollector& output, RuntimeContext&) override {
    auto history = history_.get(message);
    const auto action = message.get<std::string_view>(action_);
    const auto time = message.get<int64_t>(time_);
    history->installs += action == "install";
    history->upgrades += action == "upgrade";
    history->removals += action == "remove" || action == "purge";
    if (history->first_us == 0) {
      history->first_us = time;
    } else {
      history->longest_gap_us = std::max(history->longest_gap_us, time - history->last_us);
    }
    history->last_us = time;
    const bool is_gone = action == "remove" || action == "purge";
    history->version = is_gone ? std::string_view() : message.get<std::string_view>(version_);
    output.row(changes_)
        .set("package", message.key<std::string_view>("package"))
        .set("action", action)
        .set("installs", history->installs)
        .set("upgrades", history->upgrades)
        .set("removals", history->removals)
        .set("version", history->version)
        .set("seconds_known", (history->last_us - history->first_us) / 1'000'000)
        .emit();
  }

 private:
  MutableStateClient<History> history_;
  retinue::ColumnIndex action_;
  retinue::ColumnIndex version_;
  retinue::ColumnIndex time_;
  OutputStream changes_;
};

}  // namespace

int main(int argc, char** argv) {
  Registry registry;
  registry.add<Parse>("parse");
  registry.add<PackageHistory>("history");
  return run_companion(argc, argv, registry);
}
