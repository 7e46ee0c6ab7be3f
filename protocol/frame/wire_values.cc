#include "protocol/frame/wire_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "protocol/base/limits.h"

namespace retinue {

namespace {

static_assert(static_cast<int>(wire::ColumnType::INT64) == static_cast<int>(ColumnType::kInt64));
static_assert(static_cast<int>(wire::ColumnType::ANY) == static_cast<int>(ColumnType::kAny));

wire::ColumnType to_wire(ColumnType type) {
  return static_cast<wire::ColumnType>(type);
}

Result<ColumnType> from_wire(wire::ColumnType type, uint32_t column) {
  if (type < wire::ColumnType::INT64 || type > wire::ColumnType::ANY) {
    return Error{ErrorCode::kSchemaMismatch,
                 fmt::format("column {} has type number {}, which this release does not know",
                             column, static_cast<int>(type))};
  }
  return static_cast<ColumnType>(type);
}

Result<void> check_column_count(size_t columns) {
  if (columns > limits::kColumnsLimit) {
    return Error{ErrorCode::kLimitExceeded,
                 fmt::format("{} columns; the limit is {}", columns, limits::kColumnsLimit)};
  }
  return {};
}

std::span<const uint8_t> bytes_of(capnp::Data::Reader data) {
  return {data.begin(), data.size()};
}

Result<ColumnBytes> read_column_bytes(wire::ColumnData::Reader in, uint32_t column) {
  ColumnBytes bytes;
  RETINUE_ASSIGN(bytes.type, from_wire(in.getType(), column));
  bytes.validity = bytes_of(in.getValidity());
  bytes.values = bytes_of(in.getValues());
  bytes.offsets = bytes_of(in.getOffsets());
  return bytes;
}

void write_columns(wire::RowBatch::Builder out, uint32_t row_count, auto&& columns,
                   auto&& bytes_of_column) {
  out.setRowCount(row_count);
  auto list = out.initColumns(static_cast<unsigned>(columns.size()));
  for (unsigned i = 0; i < list.size(); ++i) {
    write_column(list[i], bytes_of_column(columns[i]));
  }
}

template <typename Number>
Result<std::span<const Number>> read_numbers(capnp::Data::Reader data, uint32_t count,
                                             std::string_view what) {
  if (data.size() != size_t{count} * sizeof(Number)) {
    return Error{ErrorCode::kProtocolViolation,
                 fmt::format("{}: {} bytes where {} numbers of {} bytes belong", what, data.size(),
                             count, sizeof(Number))};
  }
  if (reinterpret_cast<uintptr_t>(data.begin()) % alignof(Number) != 0) {
    return Error{ErrorCode::kProtocolViolation, fmt::format("{}: not aligned to a word", what)};
  }
  return std::span(reinterpret_cast<const Number*>(data.begin()), count);
}

template <typename Number>
capnp::Data::Reader numbers_as_data(std::span<const Number> numbers) {
  return {reinterpret_cast<const kj::byte*>(numbers.data()), numbers.size_bytes()};
}

}  // namespace

std::string_view clip_text(std::string_view text, size_t bytes_limit) {
  if (text.size() <= bytes_limit) {
    return text;
  }
  size_t end = bytes_limit;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) {
    --end;
  }
  return text.substr(0, end);
}

void write_rows(wire::RowBatch::Builder out, const RowBatchView& rows) {
  write_columns(out, rows.row_count(), rows.columns(),
                [](const ColumnView& column) -> const ColumnBytes& { return column.raw(); });
}

void write_rows(wire::RowBatch::Builder out, const RowBatchBuilder& rows) {
  write_columns(out, rows.row_count(), rows.column_bytes(),
                [](const ColumnBytes& column) -> const ColumnBytes& { return column; });
}

void write_column(wire::ColumnData::Builder out, const ColumnBytes& column) {
  out.setType(to_wire(column.type));
  if (!column.validity.empty()) {
    out.setValidity(as_data(column.validity));
  }
  out.setValues(as_data(column.values));
  if (is_variable_width(column.type)) {
    out.setOffsets(as_data(column.offsets));
  }
}

Result<RowBatchView> read_rows(wire::RowBatch::Reader in) {
  auto list = in.getColumns();
  RETINUE_TRY(check_column_count(list.size()));
  std::vector<ColumnBytes> columns;
  columns.reserve(list.size());
  for (wire::ColumnData::Reader column : list) {
    RETINUE_ASSIGN(ColumnBytes bytes,
                   read_column_bytes(column, static_cast<uint32_t>(columns.size())));
    columns.push_back(bytes);
  }
  return RowBatchView::open(in.getRowCount(), columns);
}

Result<RowBatchView> read_column(wire::ColumnData::Reader in, uint32_t rows) {
  RETINUE_ASSIGN(ColumnBytes bytes, read_column_bytes(in, 0));
  return RowBatchView::open(rows, std::span(&bytes, 1));
}

void write_schema(wire::Schema::Builder out, const TableSchema& schema) {
  auto list = out.initColumns(static_cast<unsigned>(schema.size()));
  for (unsigned i = 0; i < list.size(); ++i) {
    const Column& column = schema[ColumnIndex(i)];
    list[i].setName(as_text(column.name));
    list[i].setType(to_wire(column.type));
    list[i].setRequired(column.required);
    if (!column.expression.empty()) {
      list[i].setExpression(as_text(column.expression));
    }
  }
}

Result<TableSchema> read_schema(wire::Schema::Reader in) {
  auto list = in.getColumns();
  RETINUE_TRY(check_column_count(list.size()));
  std::vector<Column> columns;
  columns.reserve(list.size());
  for (wire::ColumnSchema::Reader from : list) {
    Column column;
    column.name = as_view(from.getName());
    RETINUE_ASSIGN(column.type, from_wire(from.getType(), static_cast<uint32_t>(columns.size())));
    column.required = from.getRequired();
    column.expression = as_view(from.getExpression());
    columns.push_back(std::move(column));
  }
  return TableSchema::create(std::move(columns));
}

Result<std::span<const uint32_t>> read_u32(capnp::Data::Reader data, uint32_t count,
                                           std::string_view what) {
  return read_numbers<uint32_t>(data, count, what);
}

Result<std::span<const int64_t>> read_i64(capnp::Data::Reader data, uint32_t count,
                                          std::string_view what) {
  return read_numbers<int64_t>(data, count, what);
}

capnp::Data::Reader as_data(std::span<const uint32_t> numbers) {
  return numbers_as_data(numbers);
}

capnp::Data::Reader as_data(std::span<const int64_t> numbers) {
  return numbers_as_data(numbers);
}

capnp::Data::Reader as_data(std::span<const uint8_t> bytes) {
  return numbers_as_data(bytes);
}

void write_error(wire::ErrorInfo::Builder out, const Error& error, std::string_view remedy) {
  out.setCode(static_cast<uint16_t>(error.code));
  out.setMessage(as_text(std::string(clip_text(error.message))));
  if (!remedy.empty()) {
    out.setRemedy(as_text(std::string(clip_text(remedy))));
  }
}

Error read_error(wire::ErrorInfo::Reader in) {
  std::string message(clip_text(as_view(in.getMessage())));
  if (std::string_view remedy = clip_text(as_view(in.getRemedy())); !remedy.empty()) {
    message += fmt::format(" ({})", remedy);
  }
  if (std::optional<ErrorCode> code = error_code_from_number(in.getCode())) {
    return {*code, std::move(message)};
  }
  return {ErrorCode::kInternal, fmt::format("error number {}, which this release does not know: {}",
                                            in.getCode(), message)};
}

}  // namespace retinue
