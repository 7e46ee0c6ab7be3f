// Source: reads records into rows, a chunk at a time, from a position that can be saved and
// resumed.
//
// A source is read on a thread of its own (source_feed.h); the position after a chunk is committed
// in the same epoch as the chunk's rows.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/base/clock.h"
#include "protocol/base/result.h"
#include "protocol/values/row_batch.h"

namespace retinue::worker {

struct SourceChunk {
  // The source partition the rows come from: a file's path, or "-". One a chunk.
  std::string partition;
  RowBatchBuilder rows;
  // Opaque; hand it to Source::seek to go on after this chunk.
  std::string position;
  uint64_t bytes_read = 0;  // uncompressed, in this chunk
  // Of the files as they lie, in all, before a seek too: bytes_done / total_bytes() is the
  // progress.
  uint64_t bytes_done = 0;
  uint64_t lines_skipped = 0;  // bad lines that the policy let pass
  // Bad lines for the dead-letter file, one JSON line each; written when the chunk is committed.
  std::string dead_letters;
  bool is_last = false;  // the source is finite and ends with this chunk, which may be empty
};

// Threads: one at a time.
class Source {
 public:
  virtual ~Source() = default;

  // Goes to just after the chunk that gave `position`. Call before the first read, or not at all.
  // Errors: kDataCorrupted for a garbled position, kIoError when its file is gone or shorter.
  virtual Result<void> seek(std::string_view position) = 0;
  // Fills `chunk` (cleared first) with 1 to rows_limit rows of one source partition, or with
  // is_last. Ends a chunk once bytes_read is bytes_limit, even without a row if all of those were
  // bad lines or blank. Blocks while a pipe has nothing and the chunk is empty. The rows before an
  // error come first; the error ends reading. Errors: kIoError; kInvalidRecord with file, line and
  // column; kDraining once interrupted.
  virtual Result<void> read(SourceChunk& chunk, uint32_t rows_limit, size_t bytes_limit) = 0;
  // Makes a read() or seek() on another thread return soon, with kDraining. It stays so.
  virtual void interrupt() = 0;
  // Its files, as they were found when it was made.
  virtual std::vector<std::string> paths() const = 0;
  // Bytes of all files as they lay when the source was made; nullopt with a pipe among them.
  virtual std::optional<uint64_t> total_bytes() const = 0;
};

}  // namespace retinue::worker
