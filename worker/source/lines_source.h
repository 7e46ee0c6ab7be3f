// LinesSource: the lines of files, one after the other, as rows.
//
// Threads: as Source. Owns: the open file.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/values/schema.h"
#include "worker/source/input_paths.h"
#include "worker/source/interrupt.h"
#include "worker/source/line_reader.h"
#include "worker/source/record_parser.h"
#include "worker/source/source.h"
#include "worker/source/source_position.h"
#include "worker/spec/spec.h"

namespace retinue::worker {

class LinesSource final : public Source {
 public:
  struct Options {
    Compression compression = Compression::kAuto;
    BadLinePolicy on_bad_line = BadLinePolicy::kFail;
    int stdin_fd = 0;
  };

  // Precondition: `inputs` is not empty; `parser` is for `schema`.
  LinesSource(std::vector<InputPath> inputs, TableSchema schema,
              std::unique_ptr<RecordParser> parser, std::unique_ptr<Interrupt> interrupt,
              Options options);

  Result<void> seek(std::string_view position) override;
  Result<void> read(SourceChunk& chunk, uint32_t rows_limit, size_t bytes_limit) override;
  void interrupt() override { interrupt_->raise(); }
  std::vector<std::string> paths() const override;
  std::optional<uint64_t> total_bytes() const override;

 private:
  struct File {
    InputPath input;
    uint64_t fingerprint = 0;  // of its path
    LinePlace place;           // where open() goes on
    uint64_t stored_bytes_read = 0;
    bool is_finished = false;
  };
  struct Limits {
    uint32_t rows;
    size_t bytes;
  };

  Result<void> fill(SourceChunk& chunk, Limits limits);
  // Reads lines of the current file. kLine: a limit was reached.
  Result<LineReader::Outcome> read_lines(SourceChunk& chunk, Limits limits);
  Result<void> take_line(SourceChunk& chunk, const Line& line);

  // Makes `file` the current one.
  Result<void> open(File& file);
  // Ends the current one.
  void finish();
  File* next_file();
  uint64_t stored_bytes_done() const;

  const TableSchema schema_;
  const Options options_;
  const std::unique_ptr<RecordParser> parser_;
  const std::unique_ptr<Interrupt> interrupt_;
  std::vector<File> files_;
  File* current_ = nullptr;
  LineReader lines_;              // of the current file
  SourcePosition position_;       // after the last line that is in a chunk
  std::optional<Error> failure_;  // ends reading
};

}  // namespace retinue::worker
