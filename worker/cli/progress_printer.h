// ProgressPrinter: how a run gets on, on standard error: one line rewritten in place on a terminal,
// a plain line now and then elsewhere, or entries of the log.
//
// It is also the run's LogSink: a log line first takes the progress line away.
//
// Threads: any, as LogSink; show() from one.
#pragma once

#include <cstddef>
#include <cstdio>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "protocol/base/clock.h"
#include "worker/engine/summary.h"
#include "worker/log/log.h"

namespace retinue::worker {

class ProgressPrinter final : public LogSink {
 public:
  struct Options {
    bool is_terminal = false;
    bool is_quiet = false;
    bool as_log = false;  // as entries of the log; is_terminal is false then
    bool has_utf8 = true;
    std::function<int()> columns = [] { return 80; };  // of the terminal, now
    Duration terminal_interval = Duration::milliseconds(200);
    Duration plain_interval = Duration::seconds(5);
  };

  // Borrows: the log that lines go to, and the stream.
  ProgressPrinter(std::string pipeline, Options options, LogSink& log, std::FILE* out);
  ~ProgressPrinter() override;

  void write(const LogEntry& entry) override;
  // Whether show() would do something after that much of the run; a summary costs more than this.
  bool is_due(Duration elapsed) const;
  // Shows the summary if it is due.
  void show(const Summary& summary);
  // Takes the line away for good.
  void finish();
  // How often show() does something.
  Duration interval() const;

 private:
  void erase_line();

  const std::string pipeline_;
  const Options options_;
  LogSink& log_;
  std::FILE* const out_;
  std::mutex mutex_;
  Duration last_shown_;
  uint64_t last_processed_ = 0;
  double rate_ = 0;
  bool line_is_up_ = false;
};

struct ProgressLineStyle {
  size_t columns = 0;  // that the line may take, each character one; 0: any number
  bool has_utf8 = true;
};

// "word_count  [######··············]  31%  1,204,311 in  1,204,000 processed  240,100/s  1,204,000
// out  311 queued  00:05", the rate being messages processed a second of late, the share what is
// read and no longer queued; less of it where there is less room.
std::string progress_line(const std::string& pipeline, const Summary& summary, double rate,
                          const ProgressLineStyle& style = {});

}  // namespace retinue::worker
