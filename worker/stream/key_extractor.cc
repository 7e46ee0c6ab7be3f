#include "worker/stream/key_extractor.h"

#include <fmt/format.h>

#include <cmath>

#include "protocol/base/limits.h"
#include "protocol/values/farm_hash.h"
#include "protocol/values/key_codec.h"
#include "worker/spec/expression.h"

namespace retinue::worker {
namespace {

// A column's tag and end, or a number.
constexpr size_t kKeyColumnOverheadBytes = 16;

// Which key columns the hash is taken of.
Result<std::vector<std::string>> hashed_columns(const TableSchema& key_schema) {
  for (const Column& column : key_schema.columns()) {
    if (!column.expression.empty()) {
      RETINUE_ASSIGN(HashExpression expression, parse_hash_expression(column.expression));
      return std::move(expression.columns);
    }
  }
  std::vector<std::string> all;
  for (const Column& column : key_schema.columns()) {
    all.push_back(column.name);
  }
  return all;
}

void append_value(RowBatchBuilder& out, ColumnIndex to, const ColumnView& from, uint32_t row) {
  if (from.is_null(row)) {
    return;  // a column that is not set is null
  }
  switch (from.type()) {
    case ColumnType::kInt64: out.set_int64(to, from.int64_at(row)); return;
    case ColumnType::kUint64: out.set_uint64(to, from.uint64_at(row)); return;
    case ColumnType::kDouble: out.set_double(to, from.double_at(row)); return;
    case ColumnType::kBoolean: out.set_boolean(to, from.boolean_at(row)); return;
    case ColumnType::kString:
    case ColumnType::kAny: out.set_bytes(to, from.bytes_at(row)); return;
  }
}

// One row of a schema's columns, to run the columnar code on values.
struct SingleRow {
  RowBatchBuilder builder;
  RowBatchView view;
};

Result<SingleRow> single_row(const TableSchema& schema, const Row& row) {
  SingleRow single{.builder = RowBatchBuilder(schema), .view = {}};
  RETINUE_TRY(append_row(single.builder, schema, row));
  single.view = single.builder.view();
  return single;
}

}  // namespace

Result<KeyExtractor> KeyExtractor::create(const TableSchema& key_schema,
                                          const TableSchema& stream_schema) {
  KeyExtractor extractor;
  for (uint32_t i = 0; i < key_schema.size(); ++i) {
    const ColumnIndex in_key(i);
    const Column& column = key_schema[in_key];
    if (!column.expression.empty()) {
      extractor.hash_column_ = in_key;
      continue;
    }
    RETINUE_ASSIGN(const ColumnIndex in_stream, stream_schema.resolve(column.name, column.type));
    extractor.columns_.push_back({.in_key = in_key, .in_stream = in_stream});
  }
  RETINUE_ASSIGN(const std::vector<std::string> hashed, hashed_columns(key_schema));
  for (const std::string& name : hashed) {
    const std::optional<ColumnIndex> in_stream = stream_schema.find(name);
    if (!in_stream || stream_schema[*in_stream].type == ColumnType::kAny) {
      return Error{ErrorCode::kSchemaMismatch,
                   fmt::format("the key's hash is taken of column \"{}\", which the stream does "
                               "not have with a type that can be hashed",
                               name)};
    }
    extractor.hashed_in_stream_.push_back(*in_stream);
  }
  return extractor;
}

KeyHash KeyExtractor::hash(const RowBatchView& rows, uint32_t row) const {
  FarmHasher hasher;
  for (const ColumnIndex column : hashed_in_stream_) {
    if (column.value() < rows.column_count()) {
      hasher.add(rows.column(column), row);
    } else {
      hasher.add_null();
    }
  }
  return hasher.finish();
}

Result<void> KeyExtractor::append_key(std::string& out, KeyHash hash, const RowBatchView& rows,
                                      uint32_t row) const {
  append_big_endian(out, hash.value());
  for (const KeyColumn& column : columns_) {
    if (column.in_stream.value() < rows.column_count()) {
      RETINUE_TRY(append_key_value(out, rows.column(column.in_stream), row));
    } else {
      append_key_null(out);
    }
  }
  return {};
}

Result<void> KeyExtractor::check_keys(const RowBatchView& rows) const {
  for (const KeyColumn& key : columns_) {
    if (key.in_stream.value() >= rows.column_count() ||
        rows.column(key.in_stream).type() != ColumnType::kDouble) {
      continue;
    }
    const ColumnView& column = rows.column(key.in_stream);
    for (uint32_t row = 0; row < rows.row_count(); ++row) {
      if (std::isnan(column.double_at(row))) {
        return Error{ErrorCode::kSchemaMismatch,
                     fmt::format("message {}: NaN cannot be in the key of its consumer", row)};
      }
    }
  }
  return check_key_sizes(rows);
}

Result<void> KeyExtractor::check_key_sizes(const RowBatchView& rows) const {
  std::vector<const ColumnView*> texts;
  for (const KeyColumn& key : columns_) {
    if (key.in_stream.value() < rows.column_count() &&
        rows.column(key.in_stream).type() == ColumnType::kString) {
      texts.push_back(&rows.column(key.in_stream));
    }
  }
  for (uint32_t row = 0; !texts.empty() && row < rows.row_count(); ++row) {
    size_t text_bytes = 0;
    for (const ColumnView* column : texts) {
      text_bytes += column->bytes_at(row).size();
    }
    // An encoded text is at most twice as long as it was, any other column a few bytes.
    if (2 * text_bytes + columns_.size() * kKeyColumnOverheadBytes <= limits::kKeyBytesLimit) {
      continue;
    }
    std::string key;
    RETINUE_TRY(append_key(key, KeyHash(), rows, row));
    if (key.size() > limits::kKeyBytesLimit) {
      return Error{ErrorCode::kLimitExceeded,
                   fmt::format("message {}: its key for its consumer has {} bytes, the limit is "
                               "{}; use a digest of it as the key",
                               row, key.size(), limits::kKeyBytesLimit)};
    }
  }
  return {};
}

void KeyExtractor::append_key_row(RowBatchBuilder& out, KeyHash hash, const RowBatchView& rows,
                                  uint32_t row) const {
  if (hash_column_) {
    out.set_uint64(*hash_column_, hash.value());
  }
  for (const KeyColumn& column : columns_) {
    if (column.in_stream.value() < rows.column_count()) {
      append_value(out, column.in_key, rows.column(column.in_stream), row);
    }
  }
  out.finish_row();
}

TableSchema plain_key_schema(const TableSchema& key_schema) {
  std::vector<Column> columns;
  for (const Column& column : key_schema.columns()) {
    if (column.expression.empty()) {
      columns.push_back(column);
    }
  }
  return TableSchema::create(std::move(columns)).value();
}

Result<std::string> stored_key(const TableSchema& key_schema, const Row& plain_key) {
  const TableSchema plain = plain_key_schema(key_schema);
  RETINUE_ASSIGN(const SingleRow row, single_row(plain, plain_key));
  RETINUE_ASSIGN(const KeyExtractor extractor, KeyExtractor::create(key_schema, plain));
  std::string key;
  RETINUE_TRY(extractor.append_key(key, extractor.hash(row.view, 0), row.view, 0));
  return key;
}

}  // namespace retinue::worker
