#include "worker/daemon/pipeline_run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "worker/cli/standard_streams.h"
#include "worker/cli/summary_printer.h"
#include "worker/cli/terminal.h"
#include "worker/sink/make_sink.h"
#include "worker/source/make_source.h"
#include "worker/source/source_feed.h"

namespace retinue::worker {
namespace {

constexpr size_t kSinkThreads = 2;

bool writes_to_stdout(const PipelineSpec& spec) {
  return std::ranges::any_of(
      spec.sinks, [](const auto& sink) { return sink.second.type == SinkType::kStdout; });
}

Result<OpenedSource> open_source(const SourceOpening& opening, const std::function<void()>& wake) {
  RETINUE_ASSIGN(std::unique_ptr<Source> source,
                 make_source(opening.spec, opening.schema, opening.position));
  OpenedSource opened{
      .feed = nullptr, .total_bytes = source->total_bytes(), .paths = source->paths()};
  opened.feed =
      std::make_unique<SourceFeed>(std::move(source), opening.position, opening.options, wake);
  return opened;
}

}  // namespace

PipelineRun::PipelineRun(const RunOptions& options, const PipelineSpec& spec)
    : options_(options),
      spec_(spec),
      log_(options.log_format, options.log_level),
      progress_(
          spec.name,
          {.is_terminal = options.log_format == LogFormat::kText && isatty(STDERR_FILENO) != 0,
           .is_quiet = options.quiet,
           .as_log = options.log_format == LogFormat::kJson,
           .has_utf8 = locale_has_utf8(),
           .columns = [] { return terminal_columns(STDERR_FILENO); }},
          log_, stderr) {}

PipelineRun::~PipelineRun() {
  executor_.reset();
}

int PipelineRun::run() {
  if (auto started = start(); !started) {
    report(Engine::State::kFailed, started.error().to_string(), {});
    return started.error().code == ErrorCode::kInvalidSpec ? kExitUsage : kExitFailed;
  }
  loop_.run();
  const bool has_failed = engine_->state() == Engine::State::kFailed;
  const bool is_reported =
      report(engine_->state(), has_failed ? engine_->error().to_string() : "", engine_->summary());
  return has_failed || !is_reported ? kExitFailed : kExitOk;
}

EngineDependencies PipelineRun::engine_dependencies() {
  const auto wake = [this] { loop_.wake(); };
  return EngineDependencies{
      .spec = spec_,
      .store = *store_,
      .companions = *companions_,
      .clock = clock_,
      .log = progress_,
      .durability = options_.durability,
      .wake = wake,
      .run_blocking =
          [this](std::function<void()> work, std::function<void()> done) {
            executor_->submit(std::move(work), std::move(done));
          },
      .open_source = [wake](const SourceOpening& opening) { return open_source(opening, wake); },
      .open_sink = [](const SinkSpec& sink,
                      PartitionIndex partition) { return make_sink(sink, partition); },
  };
}

Result<void> PipelineRun::start() {
  RETINUE_ASSIGN(store_, RocksDbStore::open({
                             .directory = options_.data_dir.string(),
                             .unsynced_log = options_.durability == Durability::kOs,
                         }));
  RETINUE_ASSIGN(CompanionSocket socket, CompanionSocket::create(options_.data_dir));
  socket_.emplace(std::move(socket));
  server_.emplace(loop_, progress_);
  companions_.emplace(spec_,
                      CompanionsOptions{.token = socket_->token(),
                                        .socket_address = socket_->path().string(),
                                        .environment_file = socket_->env_file().string()},
                      *server_, progress_, clock_);
  server_->report_to(*companions_);
  executor_.emplace(loop_, kSinkThreads);
  RETINUE_ASSIGN(engine_, Engine::create(engine_dependencies()));
  RETINUE_TRY(server_->listen(socket_->path()));
  loop_.on_stop_signal(
      [this](int signal) {
        progress_.info("stopping: finishing what is out, then committing it",
                       {{"signal", fmt::to_string(signal)}});
        engine_->stop();
      },
      [this] { server_->kill_processes(); });
  loop_.on_turn([this] { turn(); });
  progress_.info("pipeline starts",
                 {{"pipeline", spec_.name},
                  {"data_dir", options_.data_dir.string()},
                  {"durability", std::string(durability_name(options_.durability))},
                  {"companion_env", socket_->env_file().string()}});
  companions_->start();
  return {};
}

void PipelineRun::turn() {
  companions_->tick();
  engine_->turn();
  if (engine_->state() != Engine::State::kRunning) {
    if (!is_draining_) {
      is_draining_ = true;
      progress_.finish();
      companions_->drain();
    }
    if (companions_->is_drained()) {
      loop_.stop();
      return;
    }
  } else if (progress_.is_due(engine_->elapsed())) {
    progress_.show(engine_->summary());
  }
  set_wakeup();
}

void PipelineRun::set_wakeup() {
  std::optional<Duration> at = companions_->next_wakeup();
  const auto earlier = [&](std::optional<Duration> other) {
    if (other && (!at || *other < *at)) {
      at = other;
    }
  };
  earlier(engine_->next_wakeup());
  if (!is_draining_ && !options_.quiet) {
    earlier(clock_.monotonic() + progress_.interval());
  }
  loop_.set_wakeup(at);
}

bool PipelineRun::report(Engine::State state, const std::string& error, const Summary& summary) {
  const ProcessUsage usage = process_usage();
  if (!error.empty()) {
    progress_.error(error);
  }
  if (options_.json) {
    Output out(writes_to_stdout(spec_) ? stderr : stdout);
    const std::string json = summary_json(spec_.name, state, error, summary, usage);
    out.write(json + "\n").ok();  // finish() tells
    const auto printed = out.finish();
    if (!printed) {
      progress_.error(printed.error().to_string());
    }
    return printed.ok();
  }
  if (!engine_) {
    return true;
  }
  if (options_.log_format == LogFormat::kJson) {
    progress_.info("pipeline ends", summary_fields(state, summary, usage));
  } else {
    std::fputs(summary_text(spec_.name, state, summary, usage).c_str(), stderr);
  }
  return true;
}

}  // namespace retinue::worker
