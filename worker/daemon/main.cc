// retinue: the worker's program.
#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <variant>

#include "worker/cli/command_line.h"
#include "worker/cli/spec_printer.h"
#include "worker/cli/state_reader.h"
#include "worker/daemon/pipeline_run.h"
#include "worker/json/json_writer.h"
#include "worker/spec/spec_loader.h"

namespace retinue::worker {
namespace {

void print(std::FILE* out, std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), out);
}

int print_error(const Error& error, int exit_code) {
  print(stderr, fmt::format("retinue: {}\n", error.to_string()));
  return exit_code;
}

int execute(const RunOptions& options) {
  auto report = check_spec(options.spec);
  if (!report) {
    return print_error(report.error(), kExitUsage);
  }
  if (!report->ok()) {
    print(stderr, report_text({.spec = options.spec, .json = false}, *report));
    return kExitUsage;
  }
  return PipelineRun(options, report->spec).run();
}

int execute(const CheckOptions& options) {
  auto report = check_spec(options.spec);
  if (!report) {
    if (options.json) {
      SpecReport unreadable;
      unreadable.problems.push_back({.path = "", .message = report.error().to_string()});
      print(stdout, report_json(unreadable) + "\n");
      return kExitUsage;
    }
    return print_error(report.error(), kExitUsage);
  }
  if (options.json) {
    print(stdout, report_json(*report) + "\n");
  } else {
    print(report->ok() ? stdout : stderr, report_text(options, *report));
  }
  return report->ok() ? kExitOk : kExitUsage;
}

int execute(const ReadStatesOptions& options) {
  auto store = RocksDbStore::open({.directory = options.data_dir.string(), .read_only = true});
  if (!store) {
    return print_error(store.error(), kExitFailed);
  }
  const auto result = read_states(options, **store, [](std::string_view line) {
    print(stdout, line);
    print(stdout, "\n");
  });
  if (!result) {
    return print_error(result.error(), kExitFailed);
  }
  if (result->has_more) {
    print(stderr, fmt::format("(the first {} rows; --limit 0 prints all)\n", result->rows));
  }
  if (result->rows == 0 && options.key) {
    print(stderr, "(no state for that key)\n");
  }
  return kExitOk;
}

int execute(const VersionOptions& options) {
  print(stdout,
        options.json ? "{\"version\":\"" RETINUE_VERSION "\"}\n" : "retinue " RETINUE_VERSION "\n");
  return kExitOk;
}

int execute(const PrintAndExit& nothing) {
  print(nothing.exit_code == kExitOk ? stdout : stderr, nothing.text);
  return nothing.exit_code;
}

}  // namespace
}  // namespace retinue::worker

int main(int argc, char** argv) {
  using namespace retinue::worker;
  return std::visit([](const auto& command) { return execute(command); },
                    parse_command_line(argc, argv));
}
