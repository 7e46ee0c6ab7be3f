#include "worker/cli/progress_printer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "worker/cli/summary_printer.h"

namespace retinue::worker {
namespace {

// What a line shows, from the widest to the narrowest: n name, B bar and share, b short bar and
// share, % share, i in, p processed, r rate, o out, q queued, t time.
constexpr std::array<std::string_view, 9> kLayouts = {
    "nBiproqt", "nBprqt", "nbprqt", "nbprt", "n%prt", "n%rt", "%rt", "%t", "%"};

std::string bar(double fraction, int width, std::string_view empty) {
  const int filled = static_cast<int>(fraction * width);
  std::string text;
  for (int i = 0; i < width; ++i) {
    text += i < filled ? "#" : empty;
  }
  return fmt::format("[{}] ", text);
}

uint64_t queued_messages(const Summary& summary) {
  uint64_t queued = 0;
  for (const ComputationSummary& computation : summary.computations) {
    queued += computation.queued_messages;
  }
  return queued;
}

// How much of the input is read and also processed; nullopt when that cannot be known.
std::optional<double> share_done(const Summary& summary) {
  if (!summary.source_bytes_total || *summary.source_bytes_total == 0) {
    return std::nullopt;
  }
  const double read = static_cast<double>(summary.source_bytes_read) /
                      static_cast<double>(*summary.source_bytes_total);
  const auto processed = static_cast<double>(summary.messages_processed);
  const auto queued = static_cast<double>(queued_messages(summary));
  return std::min(1.0, read) * (queued > 0 ? processed / (processed + queued) : 1.0);
}

std::string field_text(char field, const std::string& pipeline, const Summary& summary, double rate,
                       std::string_view empty_bar) {
  const std::optional<double> share = share_done(summary);
  // Rounded down: 100% is all of it.
  const std::string percent =
      share ? fmt::format("{:3}%", static_cast<int>(*share * 100)) : std::string();
  const int64_t seconds = summary.elapsed.microseconds() / 1'000'000;
  switch (field) {
    case 'n': return pipeline;
    case 'B': return share ? bar(*share, 20, empty_bar) + percent : "";
    case 'b': return share ? bar(*share, 10, empty_bar) + percent : "";
    case '%': return percent;
    case 'i': return with_separators(summary.messages_in) + " in";
    case 'p': return with_separators(summary.messages_processed) + " processed";
    case 'r': return with_separators(static_cast<uint64_t>(rate)) + "/s";
    case 'o': return with_separators(summary.messages_out) + " out";
    case 'q': return with_separators(queued_messages(summary)) + " queued";
    default: return fmt::format("{:02}:{:02}", seconds / 60, seconds % 60);
  }
}

// Of a line in which every character takes one column.
size_t columns_of(std::string_view line) {
  return static_cast<size_t>(std::ranges::count_if(
      line, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::vector<LogField> progress_fields(const Summary& summary, double rate) {
  std::vector<LogField> fields = {
      {"messages_in", fmt::to_string(summary.messages_in)},
      {"messages_processed", fmt::to_string(summary.messages_processed)},
      {"messages_per_second", fmt::to_string(static_cast<uint64_t>(rate))},
      {"messages_out", fmt::to_string(summary.messages_out)},
      {"queued_messages", fmt::to_string(queued_messages(summary))},
      {"elapsed_seconds", fmt::format("{:.3f}", summary.elapsed.seconds())}};
  if (const auto share = share_done(summary)) {
    fields.push_back({"share_done", fmt::format("{:.3f}", *share)});
  }
  return fields;
}

}  // namespace

std::string progress_line(const std::string& pipeline, const Summary& summary, double rate,
                          const ProgressLineStyle& style) {
  std::string line;
  for (const std::string_view layout : kLayouts) {
    line.clear();
    for (const char field : layout) {
      const std::string text =
          field_text(field, pipeline, summary, rate, style.has_utf8 ? "·" : ".");
      line += line.empty() || text.empty() ? text : "  " + text;
    }
    if (style.columns == 0 || columns_of(line) <= style.columns) {
      return line;
    }
  }
  return line.substr(0, style.columns);
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

  if (options_.as_log) {
    write({LogLevel::kInfo, "progress", progress_fields(summary, rate_)});
    return;
  }
  const std::lock_guard lock(mutex_);
  if (options_.is_terminal) {
    // One column stays free: with all of them taken some terminals go on to the next line.
    const auto columns = static_cast<size_t>(std::max(2, options_.columns()) - 1);
    const std::string line = progress_line(pipeline_, summary, rate_, {columns, options_.has_utf8});
    std::fprintf(out_, "\r\x1b[2K%s", line.c_str());
    line_is_up_ = true;
  } else {
    const std::string line = progress_line(pipeline_, summary, rate_, {0, options_.has_utf8});
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
