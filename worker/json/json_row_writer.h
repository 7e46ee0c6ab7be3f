// JsonRowWriter: rows of a schema as JSON lines, which JsonRowParser reads back to the same rows.
//
// Fields stand in the schema's order and null columns are written as null. A string that is no
// UTF-8 is written as {"$base64": "…"}, a double that is no number as "nan", "inf" or "-inf".
// Exact for every type but any: there uint64 values within int64 come back as int64, non-finite
// doubles as strings, and strings that are no UTF-8 and attributes as the maps they are written as.
//
// Threads: append() may be called from several, with an `out` each.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "protocol/base/result.h"
#include "protocol/values/row_batch.h"
#include "protocol/values/schema.h"

namespace retinue::worker {

class JsonRowWriter {
 public:
  explicit JsonRowWriter(const TableSchema& schema);

  // Appends the row and a line feed. Columns that `rows` lacks (an older revision) are null.
  // Errors: kSchemaMismatch when an any column holds no valid YSON; `out` is as it was then.
  // Precondition: the columns of `rows` have the schema's types.
  Result<void> append(const RowBatchView& rows, uint32_t row, std::string& out) const;

 private:
  // What goes before each column's value: `{"word":`, `,"count":`.
  std::vector<std::string> prefixes_;
};

}  // namespace retinue::worker
