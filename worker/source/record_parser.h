// RecordParser: makes the row of one line.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "protocol/base/result.h"
#include "protocol/values/row_batch.h"
#include "protocol/values/schema.h"
#include "worker/source/line_reader.h"
#include "worker/spec/spec.h"

namespace retinue::worker {

struct BadLine {
  uint64_t column = 1;  // the byte in the line, from 1
  std::string error;
};

// Threads: one at a time.
class RecordParser {
 public:
  virtual ~RecordParser() = default;

  // Appends the line's row, or none for a line that holds nothing. After a bad line `rows` is as
  // it was.
  virtual std::optional<BadLine> parse(const std::string& path, const Line& line,
                                       RowBatchBuilder& rows) = 0;
};

// Errors: kSchemaMismatch when the stream's columns do not fit the source.
Result<std::unique_ptr<RecordParser>> make_record_parser(const SourceSpec& spec,
                                                         const TableSchema& schema);

}  // namespace retinue::worker
