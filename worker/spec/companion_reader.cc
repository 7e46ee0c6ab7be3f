#include "worker/spec/companion_reader.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "protocol/base/limits.h"
#include "worker/json/error_text.h"
#include "worker/spec/names.h"
#include "worker/spec/object_reader.h"

namespace retinue::worker {
namespace {

// The worker sets these itself.
constexpr std::array<std::string_view, 2> kReservedVariables = {"RETINUE_SOCKET", "RETINUE_TOKEN"};

bool is_valid_variable(std::string_view name) {
  return is_valid_text(name) && name.find('=') == std::string_view::npos;
}

void read_environment(const yson::Node& node, const std::string& path, CompanionSpec& companion,
                      Problems& problems) {
  if (!node.is_map()) {
    problems.add_unexpected(path, "a map of strings", node);
    return;
  }
  for (const yson::MapEntry& entry : node.as_map()) {
    const std::string entry_path = child_path(path, entry.key);
    if (!is_valid_variable(entry.key)) {
      problems.add_unexpected(entry_path, "a variable's name without = and zero bytes", entry.key);
    }
    for (const std::string_view reserved : kReservedVariables) {
      if (entry.key == reserved) {
        problems.add(entry_path, "the worker sets this variable itself");
      }
    }
    // Unlike other texts a value may be empty.
    if (!entry.value.is_string() ||
        (!entry.value.as_string().empty() && !is_valid_text(entry.value.as_string()))) {
      problems.add_unexpected(entry_path, "a string that is UTF-8 without zero bytes", entry.value);
      continue;
    }
    companion.environment[entry.key] = entry.value.as_string();
  }
}

void read_command(const ObjectReader& reader, const std::filesystem::path& folder,
                  CompanionSpec& companion, Problems& problems) {
  companion.command = reader.read_texts("command");
  if (!companion.command.empty()) {
    std::string& program = companion.command.front();
    if (program.find('/') != std::string::npos) {
      program = resolve_path(folder, program);
    }
  } else if (const yson::Node* const command = reader.find("command");
             command != nullptr && command->is_list() && command->as_list().empty()) {
    problems.add_unexpected(reader.path_of("command"), "the program and its arguments", *command);
  }
  for (const std::string_view name : {"environment", "working_directory"}) {
    if (!reader.has("command") && reader.has(name)) {
      problems.add(reader.path_of(name),
                   "expected only with a command: a companion that is started by hand has its own");
    }
  }
}

}  // namespace

CompanionSpec read_companion(const yson::Node& node, const std::string& path,
                             const std::filesystem::path& folder, Problems& problems) {
  const ObjectReader reader(node, path, kCompanionFields, problems);
  CompanionSpec companion;
  read_command(reader, folder, companion, problems);
  if (const yson::Node* const environment = reader.find("environment"); environment != nullptr) {
    read_environment(*environment, reader.path_of("environment"), companion, problems);
  }
  std::string directory = ".";
  reader.read_text("working_directory", directory);
  companion.working_directory =
      directory == "." ? folder : std::filesystem::path(resolve_path(folder, directory));
  reader.read_count("processes", companion.processes, {1, limits::kCompanionProcessesLimit});
  constexpr Duration kShortest = Duration::milliseconds(1);
  reader.read_duration("startup_timeout", companion.startup_timeout, kShortest);
  reader.read_duration("batch_timeout", companion.batch_timeout, kShortest);
  reader.read_duration("restart_delay_min", companion.restart_delay_min, Duration());
  reader.read_duration("restart_delay_max", companion.restart_delay_max, Duration());
  if (companion.restart_delay_min > companion.restart_delay_max) {
    problems.add(
        reader.path_of(reader.has("restart_delay_min") ? "restart_delay_min" : "restart_delay_max"),
        fmt::format("expected restart_delay_min up to restart_delay_max, found {} and {}",
                    format_duration(companion.restart_delay_min),
                    format_duration(companion.restart_delay_max)));
  }
  reader.read_count("restarts_without_progress_max", companion.restarts_without_progress_max,
                    {0, 1'000'000});
  return companion;
}

}  // namespace retinue::worker
