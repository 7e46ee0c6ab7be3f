// JsonRowParser: one JSON object, as a line of a file holds it, into one row of a RowBatchBuilder.
//
// A field goes to the column of its name: whole numbers to int64 and uint64, numbers (and the
// strings "nan", "inf" and "-inf") to double, true and false to boolean, strings and
// {"$base64": "…"} to string, any value to any. null and an absent field are null. Nothing is
// converted: 1.0 is no int64, "1" neither.
//
// Threads: one at a time. Owns: its buffers, which are reused from line to line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "protocol/base/result.h"
#include "protocol/values/row_batch.h"
#include "protocol/values/schema.h"

namespace retinue::worker {

class JsonRowParser {
 public:
  enum class UnknownFields : uint8_t { kError, kIgnore };
  struct Options {
    UnknownFields unknown_fields = UnknownFields::kError;
  };
  // A line is parsed where it lies if this many bytes after it may be read, and copied otherwise.
  static constexpr size_t kPadding = 64;

  explicit JsonRowParser(const TableSchema& schema) : JsonRowParser(schema, Options{}) {}
  JsonRowParser(const TableSchema& schema, Options options);
  ~JsonRowParser();
  JsonRowParser(JsonRowParser&&) noexcept;
  JsonRowParser& operator=(JsonRowParser&&) noexcept;

  // Appends the line's row to `rows`, a builder of the same schema; after an error `rows` is as it
  // was. `readable` is the number of bytes that may be read from line.data() on, at least
  // line.size().
  // Errors: kInvalidRecord, "column N: …" with N the byte in the line from 1: no valid JSON object,
  // a value that does not fit its column, a required column that is null or absent, a field that is
  // unknown or there twice, a value larger than limits::kValueBytesLimit.
  Result<void> parse(std::string_view line, size_t readable, RowBatchBuilder& rows);
  Result<void> parse(std::string_view line, RowBatchBuilder& rows) {
    return parse(line, line.size(), rows);
  }

 private:
  class Impl;

  std::unique_ptr<Impl> impl_;
};

}  // namespace retinue::worker
