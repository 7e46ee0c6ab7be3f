#include "worker/cli/progress_printer.h"

#include <fmt/format.h>

#include <algorithm>

#include "worker/cli/summary_printer.h"

namespace retinue::worker {
namespace {

constexpr int kBarWidth = 20;

std::string bar(double fraction) {
  const int filled = static_cast<int>(fraction * kBarWidth);
  std::string text;
  for (int i = 0; i < kBarWidth; ++i) {
    text += i < filled ? "#" : "·";
  }
  return text;
}

uint64_t queued_messages(const Summary& summary) {
  uint64_t queued = 0;
  for (const ComputationSummary& computation : summary.computations) {
    queued += computation.queued_messages;
  }
  return queued;
}

}  // namespace

std::string progress_line(const std::string& pipeline, const Summary& summary, double rate) {
  std::string line = pipeline;
  if (summary.source_bytes_total && *summary.source_bytes_total > 0) {
    const double fraction = std::min(1.0, static_cast<double>(summary.source_bytes_read) /
                                              static_cast<double>(*summary.source_bytes_total));
    line += fmt::format("  [{}] {:3.0f}%", bar(fraction), fraction * 100);
  }
  const int64_t seconds = summary.elapsed.microseconds() / 1'000'000;
  line += fmt::format(
      "  {} in  {} processed  {}/s  {} out  {} queued  {:02}:{:02}",
      with_separators(summary.messages_in), with_separators(summary.messages_processed),
      with_separators(static_cast<uint64_t>(rate)), with_separators(summary.messages_out),
      with_separators(queued_messages(summary)), seconds / 60, seconds % 60);
  return line;
}

ProgressPrinter::ProgressPrinter(std::string pipeline, Options options, LogSink& log,
                                 std::FILE* out)
    : pipeline_(std::move(pipeline)), options_(options), log_(log), out_(out) {}

ProgressPrinter::~ProgressPrinter() {
  finish();
}

void ProgressPrinter::write(const LogEntry& entry) {
  const std::lock_guard lock(mutex_);
  erase_line();
  log_.write(entry);
}

Duration ProgressPrinter::interval() const {
  return options_.is_terminal ? options_.terminal_interval : options_.plain_interval;
}

bool ProgressPrinter::is_due(Duration elapsed) const {
  return !options_.is_quiet && elapsed - last_shown_ >= interval();
}

void ProgressPrinter::show(const Summary& summary) {
  if (!is_due(summary.elapsed)) {
    return;
  }
  const double seconds = (summary.elapsed - last_shown_).seconds();
  const double now = static_cast<double>(summary.messages_processed - last_processed_) / seconds;
  rate_ = options_.is_terminal && rate_ > 0 ? 0.7 * rate_ + 0.3 * now : now;
  last_shown_ = summary.elapsed;
  last_processed_ = summary.messages_processed;

  const std::lock_guard lock(mutex_);
  const std::string line = progress_line(pipeline_, summary, rate_);
  if (options_.is_terminal) {
    std::fprintf(out_, "\r\x1b[2K%s", line.c_str());
    line_is_up_ = true;
  } else {
    std::fprintf(out_, "%s\n", line.c_str());
  }
  std::fflush(out_);
}

void ProgressPrinter::finish() {
  const std::lock_guard lock(mutex_);
  erase_line();
}

void ProgressPrinter::erase_line() {
  if (line_is_up_) {
    std::fputs("\r\x1b[2K", out_);
    std::fflush(out_);
    line_is_up_ = false;
  }
}

}  // namespace retinue::worker
