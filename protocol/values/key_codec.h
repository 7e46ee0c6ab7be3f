// The order-preserving key codec: encoded keys compare byte-wise as their rows compare value-wise,
// column by column, null first. The encoding is on disk: never change what a byte means.
//
// A value is one tag byte and a body: null 0x01; false 0x02, true 0x03; int64 0x04 and uint64 0x05
// as 8 bytes big-endian (int64 with its sign bit flipped); double 0x06 as 8 bytes big-endian, sign
// bit flipped when positive, all bits when negative, -0.0 written as 0.0, NaN refused; string 0x07,
// bytes with 0x00 written as 0x00 0xff, closed by 0x00 0x01. The bytes are a prefix-free code, so
// rows concatenate; a row has exactly one encoding.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "protocol/base/result.h"
#include "protocol/values/row_batch.h"
#include "protocol/values/schema.h"
#include "protocol/values/value.h"

namespace retinue {

void append_key_int64(std::string& out, int64_t value);
void append_key_uint64(std::string& out, uint64_t value);
void append_key_double(std::string& out, double value);  // Precondition: not NaN.
void append_key_boolean(std::string& out, bool value);
void append_key_string(std::string& out, std::string_view value);
void append_key_null(std::string& out);

// Appends one value of a column. Errors: kSchemaMismatch for NaN or a kAny column.
Result<void> append_key_value(std::string& out, const ColumnView& column, uint32_t row);
Result<void> append_key_value(std::string& out, const Value& value);

// Reads the values back, in order. Errors: kDataCorrupted when the bytes are not a key of
// `schema`'s types, or bytes are left over.
Result<Row> decode_key(std::string_view bytes, const TableSchema& schema);

// 8 bytes big-endian without a tag: the key hash that stored keys begin with.
void append_big_endian(std::string& out, uint64_t value);
void append_big_endian(std::string& out, uint32_t value);
uint64_t read_big_endian64(const char* bytes);
uint32_t read_big_endian32(const char* bytes);

}  // namespace retinue
