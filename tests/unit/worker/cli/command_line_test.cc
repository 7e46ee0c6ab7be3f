#include "worker/cli/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

namespace retinue::worker {
namespace {

using ::testing::HasSubstr;

Command parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "retinue");
  return parse_command_line(static_cast<int>(arguments.size()), arguments.data());
}

template <typename Options>
Options parse_as(std::vector<const char*> arguments) {
  const Command command = parse(std::move(arguments));
  const auto* printed = std::get_if<PrintAndExit>(&command);
  EXPECT_TRUE(std::holds_alternative<Options>(command)) << (printed ? printed->text : "");
  const auto* options = std::get_if<Options>(&command);
  return options ? *options : Options();
}

void expect_usage_error(std::vector<const char*> arguments, const std::string& text) {
  const Command command = parse(std::move(arguments));
  const auto* printed = std::get_if<PrintAndExit>(&command);
  ASSERT_NE(printed, nullptr) << text;
  EXPECT_EQ(printed->exit_code, kExitUsage);
  EXPECT_THAT(printed->text, HasSubstr(text));
}

std::string help_of(std::vector<const char*> arguments) {
  const Command command = parse(std::move(arguments));
  const auto* printed = std::get_if<PrintAndExit>(&command);
  EXPECT_NE(printed, nullptr);
  EXPECT_EQ(printed->exit_code, kExitOk);
  return printed->text;
}

TEST(CommandLine, RunHasDefaults) {
  unsetenv("RETINUE_DATA_DIR");
  const auto options = parse_as<RunOptions>({"run", "pipeline.json"});
  EXPECT_EQ(options.spec, "pipeline.json");
  EXPECT_EQ(options.data_dir, "retinue-data");
  EXPECT_EQ(options.durability, Durability::kGroup);
  EXPECT_EQ(options.log_format, LogFormat::kText);
  EXPECT_EQ(options.log_level, LogLevel::kInfo);
  EXPECT_FALSE(options.json);
  EXPECT_FALSE(options.quiet);
}

TEST(CommandLine, DeadLetters) {
  using Action = DeadLettersOptions::Action;
  unsetenv("RETINUE_DATA_DIR");
  const auto list = parse_as<DeadLettersOptions>({"dead-letters", "list"});
  EXPECT_EQ(list.action, Action::kList);
  EXPECT_EQ(list.data_dir, "retinue-data");
  EXPECT_FALSE(list.computation);
  const auto retry = parse_as<DeadLettersOptions>(
      {"dead-letters", "retry", "--id", "a/0/1", "--id", "a/0/2", "-d", "/data", "--json"});
  EXPECT_EQ(retry.action, Action::kRetry);
  EXPECT_EQ(retry.ids, (std::vector<std::string>{"a/0/1", "a/0/2"}));
  EXPECT_EQ(retry.data_dir, "/data");
  EXPECT_TRUE(retry.json);
  const auto drop = parse_as<DeadLettersOptions>({"dead-letters", "drop", "--all", "-c", "count"});
  EXPECT_EQ(drop.action, Action::kDrop);
  EXPECT_TRUE(drop.all);
  EXPECT_EQ(drop.computation, "count");
  expect_usage_error({"dead-letters", "drop"}, "say which: --id or --all");
  expect_usage_error({"dead-letters", "retry", "--all", "--id", "a/0/1"}, "--id");
  expect_usage_error({"dead-letters"}, "the commands are: list, retry, drop");
}

TEST(CommandLine, RunTakesEveryOption) {
  const auto options =
      parse_as<RunOptions>({"run", "-d", "/data", "--durability", "each", "--json", "-q",
                            "--log-format", "json", "--log-level", "debug", "p.yson"});
  EXPECT_EQ(options.spec, "p.yson");
  EXPECT_EQ(options.data_dir, "/data");
  EXPECT_EQ(options.durability, Durability::kEach);
  EXPECT_TRUE(options.json);
  EXPECT_TRUE(options.quiet);
  EXPECT_EQ(options.log_format, LogFormat::kJson);
  EXPECT_EQ(options.log_level, LogLevel::kDebug);
  EXPECT_EQ(parse_as<RunOptions>({"run", "p", "--durability=os"}).durability, Durability::kOs);
  EXPECT_EQ(parse_as<RunOptions>({"run", "p", "--durability=group"}).durability,
            Durability::kGroup);
  EXPECT_EQ(parse_as<RunOptions>({"run", "p", "--log-level=warning"}).log_level,
            LogLevel::kWarning);
  EXPECT_EQ(parse_as<RunOptions>({"run", "p", "--log-level=error"}).log_level, LogLevel::kError);
  EXPECT_EQ(parse_as<RunOptions>({"run", "p", "--data-dir", "x"}).data_dir, "x");
}

TEST(CommandLine, TheEnvironmentNamesTheDataDirectory) {
  setenv("RETINUE_DATA_DIR", "/from/env", 1);
  EXPECT_EQ(parse_as<RunOptions>({"run", "p"}).data_dir, "/from/env");
  EXPECT_EQ(parse_as<RunOptions>({"run", "p", "-d", "/given"}).data_dir, "/given");
  EXPECT_EQ(parse_as<ReadStatesOptions>({"states", "read", "-c", "count"}).data_dir, "/from/env");
  unsetenv("RETINUE_DATA_DIR");
}

TEST(CommandLine, CheckAndVersion) {
  const auto check = parse_as<CheckOptions>({"check", "p.json", "--json"});
  EXPECT_EQ(check.spec, "p.json");
  EXPECT_TRUE(check.json);
  EXPECT_FALSE(parse_as<CheckOptions>({"check", "p.json"}).json);
  EXPECT_TRUE(parse_as<VersionOptions>({"version", "--json"}).json);
  EXPECT_FALSE(parse_as<VersionOptions>({"version"}).json);
}

TEST(CommandLine, StatesRead) {
  const auto bare = parse_as<ReadStatesOptions>({"states", "read", "--computation", "count"});
  EXPECT_EQ(bare.computation, "count");
  EXPECT_EQ(bare.limit, 100u);
  EXPECT_EQ(bare.state, std::nullopt);
  EXPECT_EQ(bare.key, std::nullopt);
  const auto full = parse_as<ReadStatesOptions>(
      {"states", "read", "-c", "count", "-s", "n", "-k", "[\"a b\"]", "--json", "-d", "/d"});
  EXPECT_EQ(full.state, "n");
  EXPECT_EQ(full.key, "[\"a b\"]");
  EXPECT_TRUE(full.json);
  EXPECT_EQ(full.data_dir, "/d");
  EXPECT_EQ(parse_as<ReadStatesOptions>({"states", "read", "-c", "count", "-n", "0"}).limit, 0u);
  EXPECT_EQ(parse_as<ReadStatesOptions>({"states", "read", "-c", "count", "-k", ""}).key, "");
}

TEST(CommandLine, ErrorsSayWhatIsWrong) {
  expect_usage_error(
      {}, "a command is missing; the commands are: run, check, states, dead-letters, version");
  expect_usage_error({"fly"}, "unknown command \"fly\"; the commands are: run, ");
  expect_usage_error({"chekc", "p"}, "unknown command \"chekc\" (did you mean \"check\"?)");
  expect_usage_error({"--fly", "run"}, "unknown option \"--fly\"");
  expect_usage_error({"states", "raed"}, "retinue states: unknown command \"raed\" (did you mean");
  expect_usage_error({"run"}, "SPEC is required");
  expect_usage_error({"run", "a", "b"}, "b");
  expect_usage_error({"run", "a", "--fast"}, "--fast");
  expect_usage_error({"run", "a", "--durability", "never"},
                     "--durability: \"never\" is not group|each|os\n");
  expect_usage_error({"run", "a", "--log-level", "loud"}, "is not debug|info|warning|error\n");
  expect_usage_error({"run", "a", "--log-format", "xml"}, "is not text|json\n");
  expect_usage_error({"run", "a", "-d"}, "--data-dir");
  expect_usage_error({"check"}, "SPEC is required");
  expect_usage_error({"states"}, "retinue states: a command is missing; the commands are: read");
  expect_usage_error({"states", "read"}, "--computation is required");
  expect_usage_error({"states", "read", "-c", "x", "-n", "-1"},
                     "--limit: \"-1\" is not a number of rows; 0 prints all\n");
  expect_usage_error({"states", "read", "-c", "x", "-n", "many"},
                     "--limit: \"many\" is not a number of rows; 0 prints all\n");
  expect_usage_error({"states", "read", "-c", "x", "-n", "3", "-k", "a"}, "excludes");
}

TEST(CommandLine, HelpIsNoError) {
  EXPECT_THAT(help_of({"--help"}), HasSubstr("states"));
  EXPECT_THAT(help_of({"run", "--help"}), HasSubstr("--durability"));
  EXPECT_THAT(help_of({"states", "read", "-h"}), HasSubstr("--key"));
  EXPECT_THAT(help_of({"--help-all"}), HasSubstr("--log-format"));
  EXPECT_EQ(help_of({"help"}), help_of({"--help"}));
  EXPECT_EQ(help_of({"help", "states", "read"}), help_of({"states", "read", "--help"}));
  EXPECT_EQ(help_of({"--version"}), "retinue " RETINUE_VERSION "\n");
}

TEST(CommandLine, HelpShowsTheWordsThatAnOptionTakes) {
  const std::string help = help_of({"run", "--help"});
  EXPECT_THAT(help, HasSubstr("--durability group|each|os=group"));
  EXPECT_THAT(help, HasSubstr("--log-format text|json=text"));
  EXPECT_THAT(help, HasSubstr("--log-level debug|info|warning|error=info"));
  EXPECT_TRUE(std::ranges::all_of(help, [](unsigned char c) { return c == '\n' || c >= ' '; }));
}

}  // namespace
}  // namespace retinue::worker
