// Sink: takes messages out of the pipeline.
//
// A sink partition reads a durable inbox. Writing a stretch of it gives a new position; the
// position is committed together with the consumed blocks, and on restart restore() takes back what
// was written beyond the last committed position. So a file gets every message exactly once.
//
// A pipeline examines all its sinks before it restores any, so that none is changed when one of
// them cannot go on.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "protocol/base/result.h"
#include "protocol/values/row_batch.h"
#include "protocol/values/schema.h"
#include "worker/sink/committed_file.h"

namespace retinue::worker {

// Threads: one at a time; the engine calls it off the loop's thread.
class Sink {
 public:
  virtual ~Sink() = default;

  // Called once, before anything else; changes nothing. `position` is the last committed one;
  // empty: none yet. Errors: kIoError; kDataCorrupted when what was committed is no longer there;
  // kInvalidArgument for a file that has content but no position, which is never overwritten.
  virtual Result<void> examine(std::string_view position) = 0;
  // Called once, after examine(). Then flush() gives the position to go on from. If it is not the
  // one examined, it must be committed before anything is appended: without a position nobody knows
  // after a crash that a file's content is the pipeline's own. Errors: as examine.
  virtual Result<void> restore() = 0;
  // Adds the rows [begin, end) of a stream's batch. They may stay buffered until flush().
  virtual Result<void> append(std::string_view stream, const TableSchema& schema,
                              const RowBatchView& rows, uint32_t begin, uint32_t end) = 0;
  // Puts everything appended where it belongs, on disk if it is a file. Returns the new position.
  // Errors: kOutOfSpace, kIoError, kDataCorrupted; a flush that failed may be called again.
  virtual Result<std::string> flush() = 0;
  // The file it writes; nullptr when it writes none.
  virtual const CommittedFile* file() const { return nullptr; }
};

}  // namespace retinue::worker
