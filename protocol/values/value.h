// One typed value and rows of them: for keys on a command line, tests and everything off the hot
// path. The hot path reads columns in place (row_batch.h).
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "protocol/base/result.h"
#include "protocol/values/row_batch.h"
#include "protocol/values/schema.h"

namespace retinue {

struct Null {
  friend auto operator<=>(Null, Null) = default;
};

// Binary YSON of a kAny column.
struct AnyValue {
  std::string yson;
  friend auto operator<=>(const AnyValue&, const AnyValue&) = default;
};

using Value = std::variant<Null, int64_t, uint64_t, double, bool, std::string, AnyValue>;
using Row = std::vector<Value>;

// Reads one row out of a batch; appends one row to a builder (kSchemaMismatch names the column).
Row row_at(const RowBatchView& view, uint32_t row);
Result<void> append_row(RowBatchBuilder& builder, const TableSchema& schema, const Row& row);

}  // namespace retinue
