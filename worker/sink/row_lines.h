// RowLines: rows of several streams as JSON lines in one buffer, which both sinks write from.
//
// Threads: one at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "protocol/base/result.h"
#include "protocol/values/row_batch.h"
#include "protocol/values/schema.h"
#include "worker/json/json_row_writer.h"

namespace retinue::worker {

class RowLines {
 public:
  // Hands the buffered lines to `write`, which takes them all or fails, whenever there are many.
  using Write = std::function<Result<void>(std::string_view)>;
  explicit RowLines(Write write) : write_(std::move(write)) {}

  // Precondition: a stream always comes with the same schema. Errors: kSchemaMismatch, and those of
  // `write`.
  Result<void> append(std::string_view stream, const TableSchema& schema, const RowBatchView& rows,
                      uint32_t begin, uint32_t end);
  // Hands over what is left.
  Result<void> flush();

 private:
  const Write write_;
  std::map<std::string, JsonRowWriter, std::less<>> writers_;  // by stream
  std::string buffer_;
};

}  // namespace retinue::worker
