#include "worker/cli/command_line.h"

#include <CLI/CLI.hpp>
#include <map>

namespace retinue::worker {
namespace {

constexpr const char* kDefaultDataDir = "retinue-data";

void add_data_dir(CLI::App& command, std::filesystem::path& data_dir) {
  data_dir = kDefaultDataDir;
  command
      .add_option("--data-dir,-d", data_dir,
                  "Where the pipeline's states, queues and positions are kept")
      ->envname("RETINUE_DATA_DIR")
      ->capture_default_str();
}

CLI::App* add_run(CLI::App& app, RunOptions& options) {
  CLI::App* run = app.add_subcommand(
      "run", "Run the pipeline of a spec until its input ends, or until SIGTERM or SIGINT");
  run->add_option("SPEC", options.spec, "The pipeline's spec, JSON or YSON")->required();
  add_data_dir(*run, options.data_dir);
  run->add_option("--durability", options.durability,
                  "When commits are put on disk: group (several epochs share one sync), each (one "
                  "sync an epoch) or os (when the operating system likes); every one of them is "
                  "exactly once")
      ->transform(CLI::CheckedTransformer(std::map<std::string, Durability>{
          {"group", Durability::kGroup}, {"each", Durability::kEach}, {"os", Durability::kOs}}))
      ->default_str("group");
  run->add_flag("--json", options.json,
                "Print the summary as one line of JSON on standard output (on standard error if a "
                "sink writes to standard output)");
  run->add_flag("--quiet,-q", options.quiet, "Show no progress");
  run->add_option("--log-format", options.log_format, "text or json, on standard error")
      ->transform(CLI::CheckedTransformer(
          std::map<std::string, LogFormat>{{"text", LogFormat::kText}, {"json", LogFormat::kJson}}))
      ->default_str("text");
  run->add_option("--log-level", options.log_level, "debug, info, warning or error")
      ->transform(
          CLI::CheckedTransformer(std::map<std::string, LogLevel>{{"debug", LogLevel::kDebug},
                                                                  {"info", LogLevel::kInfo},
                                                                  {"warning", LogLevel::kWarning},
                                                                  {"error", LogLevel::kError}}))
      ->default_str("info");
  return run;
}

CLI::App* add_check(CLI::App& app, CheckOptions& options) {
  CLI::App* check = app.add_subcommand("check", "Check a spec and tell every problem of it");
  check->add_option("SPEC", options.spec, "The pipeline's spec, JSON or YSON")->required();
  check->add_flag("--json", options.json, "Print the problems as one line of JSON");
  return check;
}

CLI::App* add_read_states(CLI::App& states, ReadStatesOptions& options) {
  CLI::App* read = states.add_subcommand(
      "read", "Print the states of a computation, of a running pipeline too, as last committed");
  add_data_dir(*read, options.data_dir);
  read->add_option("--computation,-c", options.computation, "The computation's id")->required();
  read->add_option("--state,-s", options.state, "Only this state");
  CLI::Option* key = read->add_option(
      "--key,-k", options.key,
      "Only this key: a JSON list or object of the key's columns, or the bare value of a single "
      "string column");
  options.limit = 100;
  read->add_option("--limit,-n", options.limit, "At most this many rows, in key order; 0: all")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber)
      ->excludes(key);
  read->add_flag("--json", options.json, "One JSON object a row");
  return read;
}

}  // namespace

Command parse_command_line(int argc, const char* const* argv) {
  CLI::App app("Retinue: a stateful stream worker and the companions it keeps", "retinue");
  app.require_subcommand(1);
  app.set_help_all_flag("--help-all", "Print the help of every command");
  RunOptions run_options;
  CheckOptions check_options;
  ReadStatesOptions read_options;
  VersionOptions version_options;
  const CLI::App* run = add_run(app, run_options);
  const CLI::App* check = add_check(app, check_options);
  CLI::App* states = app.add_subcommand("states", "Look into the states of a data directory");
  states->require_subcommand(1);
  const CLI::App* read = add_read_states(*states, read_options);
  CLI::App* version = app.add_subcommand("version", "Print the version");
  version->add_flag("--json", version_options.json, "As JSON");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::ostringstream out;
    std::ostringstream err;
    const int code = app.exit(error, out, err);
    return code == 0 ? PrintAndExit{out.str(), kExitOk} : PrintAndExit{err.str(), kExitUsage};
  }
  if (run->parsed()) {
    return run_options;
  }
  if (check->parsed()) {
    return check_options;
  }
  if (read->parsed()) {
    return read_options;
  }
  return version_options;
}

}  // namespace retinue::worker
