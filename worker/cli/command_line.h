// The command line of `retinue`: what was asked for, or what to print instead.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "worker/log/log.h"
#include "worker/runtime/spdlog_sink.h"
#include "worker/store/commit_queue.h"

namespace retinue::worker {

// Exit codes of every command.
inline constexpr int kExitOk = 0;
inline constexpr int kExitFailed = 1;  // the pipeline, the data directory or the machine
inline constexpr int kExitUsage = 2;   // the command line or the spec

struct RunOptions {
  std::filesystem::path spec;
  std::filesystem::path data_dir;
  Durability durability = Durability::kGroup;
  bool json = false;
  bool quiet = false;  // no progress
  LogFormat log_format = LogFormat::kText;
  LogLevel log_level = LogLevel::kInfo;
};

struct CheckOptions {
  std::filesystem::path spec;
  bool json = false;
};

struct ReadStatesOptions {
  std::filesystem::path data_dir;
  std::string computation;
  std::optional<std::string> state;
  std::optional<std::string> key;
  uint64_t limit = 0;  // 0: all
  bool json = false;
};

struct DeadLettersOptions {
  enum class Action : uint8_t { kList, kRetry, kDrop };

  Action action = Action::kList;
  std::filesystem::path data_dir;
  std::optional<std::string> computation;
  std::vector<std::string> ids;
  bool all = false;
  bool json = false;
};

struct VersionOptions {
  bool json = false;
};

// Print `text` (to standard error if exit_code is not kExitOk) and exit.
struct PrintAndExit {
  std::string text;
  int exit_code = kExitOk;
};

using Command = std::variant<RunOptions, CheckOptions, ReadStatesOptions, DeadLettersOptions,
                             VersionOptions, PrintAndExit>;

Command parse_command_line(int argc, const char* const* argv);

}  // namespace retinue::worker
