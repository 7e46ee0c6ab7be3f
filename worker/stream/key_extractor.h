// KeyExtractor: the key of a message, by a computation's group_by_schema.
//
// A first uint64 column with the expression farm_hash(…) is the key's hash; without one the hash is
// farm_hash of all key columns. A stored key is the hash, 8 bytes big-endian, and the encoded
// columns other than the hash column, so that keys sort by hash.
//
// Threads: immutable; borrows nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "protocol/base/ids.h"
#include "protocol/base/result.h"
#include "protocol/values/row_batch.h"
#include "protocol/values/schema.h"
#include "protocol/values/value.h"

namespace retinue::worker {

class KeyExtractor {
 public:
  // For the rows of one stream. Errors: kSchemaMismatch when the stream lacks a key column or has
  // it with another type.
  static Result<KeyExtractor> create(const TableSchema& key_schema,
                                     const TableSchema& stream_schema);

  KeyHash hash(const RowBatchView& rows, uint32_t row) const;
  // Appends the stored key. Errors: kSchemaMismatch for a value that cannot be in a key (NaN).
  Result<void> append_key(std::string& out, KeyHash hash, const RowBatchView& rows,
                          uint32_t row) const;
  // Errors: as append_key, and kLimitExceeded for a key over limits::kKeyBytesLimit; for the first
  // row that has no key.
  Result<void> check_keys(const RowBatchView& rows) const;
  // Appends the key as a row of the key schema.
  void append_key_row(RowBatchBuilder& out, KeyHash hash, const RowBatchView& rows,
                      uint32_t row) const;

 private:
  Result<void> check_key_sizes(const RowBatchView& rows) const;

  struct KeyColumn {
    ColumnIndex in_key;
    ColumnIndex in_stream;
  };

  std::optional<ColumnIndex> hash_column_;     // of the key schema
  std::vector<ColumnIndex> hashed_in_stream_;  // what farm_hash is taken of
  std::vector<KeyColumn> columns_;             // without the hash column
};

// The key schema without its hash column: what the encoded part of a stored key holds.
TableSchema plain_key_schema(const TableSchema& key_schema);
// The stored key of a key given as values of plain_key_schema; it begins with the hash.
// Errors: kSchemaMismatch.
Result<std::string> stored_key(const TableSchema& key_schema, const Row& plain_key);

}  // namespace retinue::worker
