// StdoutSink: rows as JSON lines on standard output. What was written cannot be taken back: after a
// crash the rows since the last commit come again. It has no position of its own and keeps the one
// that it is given, so that a spec may go back to the file that it named before.
#pragma once

#include <string>

#include "worker/sink/row_lines.h"
#include "worker/sink/sink.h"

namespace retinue::worker {

// Borrows: the descriptor. The process must ignore SIGPIPE.
class StdoutSink final : public Sink {
 public:
  explicit StdoutSink(int fd);

  Result<void> examine(std::string_view position) override;
  Result<void> restore() override { return {}; }
  Result<void> append(std::string_view stream, const TableSchema& schema, const RowBatchView& rows,
                      uint32_t begin, uint32_t end) override;
  Result<std::string> flush() override;

 private:
  RowLines lines_;
  std::string position_;
};

}  // namespace retinue::worker
