#include "worker/cli/command_line.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "worker/json/error_text.h"

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

template <typename Value>
struct Choice {
  std::string name;
  Value value;
};

// An option that takes one of a few words.
template <typename Value>
void add_choice(CLI::App& command, const std::string& name, Value& chosen,
                const std::vector<Choice<Value>>& choices, const std::string& description) {
  std::vector<std::string> names;
  std::string default_name;
  for (const Choice<Value>& choice : choices) {
    names.push_back(choice.name);
    if (choice.value == chosen) {
      default_name = choice.name;
    }
  }
  const std::string all = fmt::format("{}", fmt::join(names, "|"));
  const auto is_known = [names, all](const std::string& text) {
    return std::ranges::count(names, text) > 0 ? ""
                                               : fmt::format("{} is not {}", quote_text(text), all);
  };
  command
      .add_option_function<std::string>(
          name,
          [&chosen, choices](const std::string& text) {
            chosen = std::ranges::find(choices, text, &Choice<Value>::name)->value;
          },
          description)
      ->check(CLI::Validator(is_known, ""))
      ->type_name(all)
      ->default_str(default_name);
}

CLI::App* add_run(CLI::App& app, RunOptions& options) {
  CLI::App* run = app.add_subcommand(
      "run", "Run the pipeline of a spec until its input ends, or until SIGTERM or SIGINT");
  run->add_option("SPEC", options.spec, "The pipeline's spec, JSON or YSON")->required();
  add_data_dir(*run, options.data_dir);
  add_choice<Durability>(
      *run, "--durability", options.durability,
      {{"group", Durability::kGroup}, {"each", Durability::kEach}, {"os", Durability::kOs}},
      "When commits are put on disk: group (several epochs share one sync), each (one sync an "
      "epoch) or os (when the operating system likes); every one of them is exactly once");
  run->add_flag("--json", options.json,
                "Print the summary as one line of JSON on standard output (on standard error if a "
                "sink writes to standard output)");
  run->add_flag("--quiet,-q", options.quiet, "Show no progress");
  add_choice<LogFormat>(*run, "--log-format", options.log_format,
                        {{"text", LogFormat::kText}, {"json", LogFormat::kJson}},
                        "How log, progress and summary are written to standard error");
  add_choice<LogLevel>(*run, "--log-level", options.log_level,
                       {{"debug", LogLevel::kDebug},
                        {"info", LogLevel::kInfo},
                        {"warning", LogLevel::kWarning},
                        {"error", LogLevel::kError}},
                       "The lowest level that is logged");
  return run;
}

CLI::App* add_check(CLI::App& app, CheckOptions& options) {
  CLI::App* check = app.add_subcommand("check", "Check a spec and tell every problem of it");
  check->add_option("SPEC", options.spec, "The pipeline's spec, JSON or YSON")->required();
  check->add_flag("--json", options.json, "Print the problems as one line of JSON");
  return check;
}

std::string limit_problem(const std::string& text) {
  uint64_t limit = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), limit);
  return parsed.ec == std::errc() && parsed.ptr == text.data() + text.size()
             ? ""
             : fmt::format("{} is not a number of rows; 0 prints all", quote_text(text));
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
      ->check(CLI::Validator(limit_problem, ""))
      ->excludes(key);
  read->add_flag("--json", options.json, "One JSON object a row");
  return read;
}

// One of list, retry and drop.
CLI::App* add_dead_letters_action(CLI::App& group, const std::string& name,
                                  const std::string& description, DeadLettersOptions& options) {
  CLI::App* command = group.add_subcommand(name, description);
  add_data_dir(*command, options.data_dir);
  command->add_option("--computation,-c", options.computation, "Only those of this computation");
  CLI::Option* ids = command->add_option(
      "--id", options.ids, "Only these, such as count/0/17; may be given more than once");
  if (options.action != DeadLettersOptions::Action::kList) {
    CLI::Option* all = command->add_flag("--all", options.all, "All of them, or of --computation");
    ids->excludes(all);
  }
  command->add_flag("--json", options.json, "As JSON, one line each");
  return command;
}

std::string see_help(const std::string& path) {
  return fmt::format("Run {} --help for more.\n", path);
}

// `retinue dead-letters list|retry|drop`.
class DeadLetterCommands {
 public:
  explicit DeadLetterCommands(CLI::App& app) {
    using Kind = DeadLettersOptions::Action;
    CLI::App* group = app.add_subcommand(
        "dead-letters", "Look at the inputs that were put aside, try them again or drop them");
    actions_[1].options.action = Kind::kRetry;
    actions_[2].options.action = Kind::kDrop;
    actions_[0].command = add_dead_letters_action(
        *group, "list", "Print them, of a running pipeline too", actions_[0].options);
    actions_[1].command = add_dead_letters_action(
        *group, "retry",
        "Put messages back at the end of their queue, as they were; no worker may run",
        actions_[1].options);
    actions_[2].command = add_dead_letters_action(*group, "drop", "Forget them; no worker may run",
                                                  actions_[2].options);
  }

  // nullopt: none of them was given.
  std::optional<Command> chosen() const {
    for (const auto& [command, options] : actions_) {
      if (!command->parsed()) {
        continue;
      }
      const bool says_which = options.all || !options.ids.empty();
      if (options.action != DeadLettersOptions::Action::kList && !says_which) {
        const std::string path = "retinue dead-letters " + command->get_name();
        return PrintAndExit{fmt::format("{}: say which: --id or --all\n{}", path, see_help(path)),
                            kExitUsage};
      }
      return options;
    }
    return std::nullopt;
  }

 private:
  struct Action {
    const CLI::App* command = nullptr;
    DeadLettersOptions options;
  };
  std::array<Action, 3> actions_;
};

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
  }
  return names;
}

// CLI11 tells of a missing command before it tells of an unknown one, so the words up to the
// command are looked at first.
std::optional<PrintAndExit> check_command(const CLI::App& app,
                                          std::span<const char* const> arguments) {
  const CLI::App* group = &app;
  std::string path = app.get_name();
  size_t next = 0;
  while (!command_names(*group).empty()) {
    const std::vector<std::string> names = command_names(*group);
    const std::string list = fmt::format("the commands are: {}", fmt::join(names, ", "));
    if (next == arguments.size()) {
      return PrintAndExit{
          fmt::format("{}: a command is missing; {}\n{}", path, list, see_help(path)), kExitUsage};
    }
    const std::string word = arguments[next++];
    if (word.starts_with("-")) {
      if (group->get_option_no_throw(word) != nullptr) {
        return std::nullopt;
      }
      return PrintAndExit{
          fmt::format("{}: unknown option {}\n{}", path, quote_text(word), see_help(path)),
          kExitUsage};
    }
    if (std::ranges::count(names, word) == 0) {
      const std::vector<std::string_view> known(names.begin(), names.end());
      return PrintAndExit{fmt::format("{}: unknown command {}{}; {}\n{}", path, quote_text(word),
                                      did_you_mean(word, known), list, see_help(path)),
                          kExitUsage};
    }
    group = group->get_subcommand(word);
    path += " " + word;
  }
  return std::nullopt;
}

}  // namespace

Command parse_command_line(int argc, const char* const* argv) {
  CLI::App app("Retinue: a stateful stream worker and the companions it keeps", "retinue");
  app.set_version_flag("--version", "retinue " RETINUE_VERSION, "Print the version");
  app.set_help_all_flag("--help-all", "Print the help of every command");
  RunOptions run_options;
  CheckOptions check_options;
  ReadStatesOptions read_options;
  VersionOptions version_options;
  const CLI::App* run = add_run(app, run_options);
  const CLI::App* check = add_check(app, check_options);
  CLI::App* states = app.add_subcommand("states", "Look into the states of a data directory");
  const CLI::App* read = add_read_states(*states, read_options);
  DeadLetterCommands dead_letters(app);
  CLI::App* version = app.add_subcommand("version", "Print the version");
  version->add_flag("--json", version_options.json, "As JSON");
  // `retinue help run` is `retinue run --help`.
  std::vector<const char*> arguments(argv + 1, argv + argc);
  if (!arguments.empty() && std::string_view(arguments[0]) == "help") {
    arguments.erase(arguments.begin());
    arguments.push_back("--help");
  }
  if (auto wrong = check_command(app, arguments)) {
    return *std::move(wrong);
  }
  arguments.insert(arguments.begin(), argv[0]);
  try {
    app.parse(static_cast<int>(arguments.size()), arguments.data());
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
  if (auto command = dead_letters.chosen()) {
    return *std::move(command);
  }
  return version_options;
}

}  // namespace retinue::worker
