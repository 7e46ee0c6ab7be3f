// retinue: the worker's program.
#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <string>
#include <string_view>
#include <variant>

#include "worker/cli/command_line.h"
#include "worker/cli/dead_letter_printer.h"
#include "worker/cli/spec_printer.h"
#include "worker/cli/standard_streams.h"
#include "worker/cli/state_reader.h"
#include "worker/cli/summary_printer.h"
#include "worker/daemon/last_words.h"
#include "worker/daemon/pipeline_run.h"
#include "worker/engine/kept_dead_letters.h"
#include "worker/log/printable.h"
#include "worker/spec/spec_loader.h"

namespace retinue::worker {
namespace {

void print_for_people(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
}

std::string error_text(const Error& error) {
  return fmt::format("retinue: {}\n", printable(error.to_string()));
}

int print_error(const Error& error, int exit_code) {
  print_for_people(error_text(error));
  return exit_code;
}

// Each command returns its exit code; `out` is checked and finished by main.
using ExitCode = Result<int>;

// A run that ends before it begins; `text` is what people read about it.
ExitCode refuse(const RunOptions& options, Output& out, const Error& error, std::string_view text,
                int exit_code) {
  if (options.log_format == LogFormat::kJson) {
    SpdlogSink(options.log_format, options.log_level).error(error.to_string());
  } else {
    print_for_people(text);
  }
  if (options.json) {
    RETINUE_TRY(out.write(
        summary_json("", Engine::State::kFailed, error.to_string(), {}, process_usage()) + "\n"));
  }
  return exit_code;
}

ExitCode execute(const RunOptions& options, Output& out) {
  auto report = check_spec(options.spec);
  if (!report) {
    return refuse(options, out, report.error(), error_text(report.error()), kExitUsage);
  }
  if (!report->ok()) {
    return refuse(options, out, report->error(), report_text({.spec = options.spec}, *report),
                  kExitUsage);
  }
  if (const auto enough = check_open_files_limit(report->spec); !enough) {
    return refuse(options, out, enough.error(), error_text(enough.error()), kExitFailed);
  }
  return PipelineRun(options, report->spec).run();
}

ExitCode execute(const CheckOptions& options, Output& out) {
  auto report = check_spec(options.spec);
  if (!report && !options.json) {
    return print_error(report.error(), kExitUsage);
  }
  if (!report) {
    SpecReport unreadable;
    unreadable.problems.push_back({.path = "", .message = report.error().to_string()});
    report = std::move(unreadable);
  }
  if (options.json) {
    RETINUE_TRY(out.write(report_json(*report) + "\n"));
  } else if (report->ok()) {
    RETINUE_TRY(out.write(report_text(options, *report)));
  } else {
    print_for_people(report_text(options, *report));
  }
  return report->ok() ? kExitOk : kExitUsage;
}

ExitCode execute(const ReadStatesOptions& options, Output& out) {
  RETINUE_ASSIGN(const auto store,
                 RocksDbStore::open({.directory = options.data_dir.string(), .read_only = true}));
  RETINUE_ASSIGN(const ReadStatesResult result,
                 read_states(options, *store, [&](std::string_view line) -> Result<void> {
                   RETINUE_TRY(out.write(line));
                   return out.write("\n");
                 }));
  RETINUE_TRY(out.finish());
  if (result.has_more) {
    print_for_people(fmt::format("(the first {}; --limit 0 prints all)\n",
                                 result.rows == 1 ? "row" : fmt::format("{} rows", result.rows)));
  }
  if (result.rows == 0 && options.key) {
    print_for_people("(no state for that key)\n");
  }
  return kExitOk;
}

ExitCode execute(const DeadLettersOptions& options, Output& out) {
  using Action = DeadLettersOptions::Action;
  const bool is_list = options.action == Action::kList;
  DeadLetterSelection selection;
  if (options.computation) {
    selection.computation = ComputationId(*options.computation);
  }
  for (const std::string& text : options.ids) {
    auto id = DeadLetterId::parse(text);
    if (!id) {
      return print_error(id.error(), kExitUsage);
    }
    selection.ids.push_back(*std::move(id));
  }
  // Before a writer would make a new directory.
  RETINUE_ASSIGN(auto store,
                 RocksDbStore::open({.directory = options.data_dir.string(), .read_only = true}));
  if (!is_list) {
    store.reset();
    RETINUE_ASSIGN(store, RocksDbStore::open({.directory = options.data_dir.string()}));
  }
  RETINUE_ASSIGN(const PipelineRecord record, load_pipeline_record(*store));
  if (is_list) {
    RETINUE_TRY(
        visit_dead_letters(*store, record, selection,
                           [&](const DeadLetterId& id, const DeadLetter& letter) -> Result<void> {
                             RETINUE_ASSIGN(const std::string line,
                                            dead_letter_line(record, id, letter, options.json));
                             return out.write(line + "\n");
                           }));
    return kExitOk;
  }
  const bool is_retry = options.action == Action::kRetry;
  RETINUE_ASSIGN(const uint64_t count, settle_dead_letters(*store, record, selection,
                                                           is_retry ? DeadLetterSettling::kRetry
                                                                    : DeadLetterSettling::kDrop));
  RETINUE_TRY(out.write(
      options.json ? fmt::format("{{\"{}\":{}}}\n", is_retry ? "retried" : "dropped", count)
                   : fmt::format("{} {}\n", count,
                                 is_retry ? "will be tried again by the next run" : "dropped")));
  return kExitOk;
}

ExitCode execute(const VersionOptions& options, Output& out) {
  RETINUE_TRY(out.write(options.json ? "{\"version\":\"" RETINUE_VERSION "\"}\n"
                                     : "retinue " RETINUE_VERSION "\n"));
  return kExitOk;
}

ExitCode execute(const PrintAndExit& nothing, Output& out) {
  if (nothing.exit_code == kExitOk) {
    RETINUE_TRY(out.write(nothing.text));
  } else {
    print_for_people(nothing.text);
  }
  return nothing.exit_code;
}

int execute(const Command& command) {
  Output out(stdout);
  const ExitCode exit_code =
      std::visit([&](const auto& options) { return execute(options, out); }, command);
  if (!exit_code) {
    return print_error(exit_code.error(), kExitFailed);
  }
  if (const auto finished = out.finish(); !finished) {
    return print_error(finished.error(), kExitFailed);
  }
  return *exit_code;
}

}  // namespace
}  // namespace retinue::worker

int main(int argc, char** argv) {
  using namespace retinue::worker;
  occupy_standard_descriptors();
  say_last_words();
  // A file over the limit of ulimit -f is an error of the write.
  std::signal(SIGXFSZ, SIG_IGN);
  return execute(parse_command_line(argc, argv));
}
