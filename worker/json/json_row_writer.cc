#include "worker/json/json_row_writer.h"

#include <fmt/format.h>

#include <iterator>

#include "protocol/yson/parser.h"
#include "worker/json/json_writer.h"

namespace retinue::worker {
namespace {

Result<void> append_value(const ColumnView& column, uint32_t row, std::string& out) {
  if (column.is_null(row)) {
    out += "null";
    return {};
  }
  switch (column.type()) {
    case ColumnType::kInt64:
      fmt::format_to(std::back_inserter(out), "{}", column.int64_at(row));
      break;
    case ColumnType::kUint64:
      fmt::format_to(std::back_inserter(out), "{}", column.uint64_at(row));
      break;
    case ColumnType::kDouble: append_json_double(out, column.double_at(row)); break;
    case ColumnType::kBoolean: out += column.boolean_at(row) ? "true" : "false"; break;
    case ColumnType::kString: append_json_string(out, column.bytes_at(row)); break;
    case ColumnType::kAny: {
      const auto node = yson::parse(column.bytes_at(row));
      if (!node) {
        return Error{ErrorCode::kSchemaMismatch, "not valid YSON: " + node.error().message};
      }
      append_json(out, *node);
    }
  }
  return {};
}

}  // namespace

JsonRowWriter::JsonRowWriter(const TableSchema& schema) {
  for (const Column& column : schema.columns()) {
    std::string& prefix = prefixes_.emplace_back(prefixes_.empty() ? "{" : ",");
    append_json_string(prefix, column.name);
    prefix += ':';
  }
}

Result<void> JsonRowWriter::append(const RowBatchView& rows, uint32_t row, std::string& out) const {
  const size_t start = out.size();
  for (uint32_t i = 0; i < prefixes_.size(); ++i) {
    out += prefixes_[i];
    if (i >= rows.column_count()) {
      out += "null";
    } else if (auto appended = append_value(rows.column(ColumnIndex(i)), row, out); !appended) {
      const std::string context = fmt::format("column {} of row {}", i, row);
      out.resize(start);
      return std::move(appended).error().with_context(context);
    }
  }
  out += prefixes_.empty() ? "{}\n" : "}\n";
  return {};
}

}  // namespace retinue::worker
