// Between the values of protocol/values and their Cap'n Proto shapes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "protocol/base/limits.h"
#include "protocol/base/result.h"
#include "protocol/schema/companion.capnp.h"
#include "protocol/values/row_batch.h"
#include "protocol/values/schema.h"

namespace retinue {

// --- rows
void write_rows(wire::RowBatch::Builder out, const RowBatchView& rows);
void write_rows(wire::RowBatch::Builder out, const RowBatchBuilder& rows);
void write_column(wire::ColumnData::Builder out, const ColumnBytes& column);
// Opens in place; the view borrows the reader's message. Errors as RowBatchView::open.
Result<RowBatchView> read_rows(wire::RowBatch::Reader in);
// One column of `rows` values as a RowBatchView of a single column.
Result<RowBatchView> read_column(wire::ColumnData::Reader in, uint32_t rows);

// --- schemas
void write_schema(wire::Schema::Builder out, const TableSchema& schema);
Result<TableSchema> read_schema(wire::Schema::Reader in);

// --- vectors of numbers in Data
// Views `data` as `count` packed numbers. Errors: kProtocolViolation with `what` when the size
// differs.
Result<std::span<const uint32_t>> read_u32(capnp::Data::Reader data, uint32_t count,
                                           std::string_view what);
Result<std::span<const int64_t>> read_i64(capnp::Data::Reader data, uint32_t count,
                                          std::string_view what);
capnp::Data::Reader as_data(std::span<const uint32_t> numbers);
capnp::Data::Reader as_data(std::span<const int64_t> numbers);
capnp::Data::Reader as_data(std::span<const uint8_t> bytes);

// --- texts
inline std::string_view as_view(capnp::Text::Reader text) {
  return {text.begin(), text.size()};
}
inline capnp::Text::Reader as_text(const std::string& text) {
  return {text.c_str(), text.size()};
}
// At most that many bytes, cut between characters of UTF-8 so that what is left stays valid text.
std::string_view clip_text(std::string_view text,
                           size_t bytes_limit = limits::kErrorTextBytesLimit);

// --- errors
void write_error(wire::ErrorInfo::Builder out, const Error& error, std::string_view remedy = {});
// A code that this release does not know becomes kInternal, with its number in the message.
Error read_error(wire::ErrorInfo::Reader in);

}  // namespace retinue
