// JsonLinesSink: rows as JSON lines in a file, every committed row exactly once.
//
// Its position is the file's (file_position.h).
#pragma once

#include <string>

#include "worker/sink/committed_file.h"
#include "worker/sink/row_lines.h"
#include "worker/sink/sink.h"

namespace retinue::worker {

class JsonLinesSink final : public Sink {
 public:
  explicit JsonLinesSink(std::string path);

  Result<void> examine(std::string_view position) override;
  Result<void> restore() override { return file_.restore(); }
  Result<void> append(std::string_view stream, const TableSchema& schema, const RowBatchView& rows,
                      uint32_t begin, uint32_t end) override;
  Result<std::string> flush() override;
  const CommittedFile* file() const override { return &file_; }

 private:
  CommittedFile file_;
  RowLines lines_;
};

}  // namespace retinue::worker
