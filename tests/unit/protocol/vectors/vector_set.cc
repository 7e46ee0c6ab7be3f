#include "tests/unit/protocol/vectors/vector_set.h"

#include <gtest/gtest.h>

#include <utility>

#include "protocol/frame/frame_writer.h"
#include "protocol/frame/wire_values.h"
#include "protocol/values/farm_hash.h"

namespace retinue::vectors {

namespace {

template <typename Number>
std::vector<uint8_t> packed(std::initializer_list<Number> numbers) {
  std::vector<uint8_t> bytes(numbers.size() * sizeof(Number));
  std::memcpy(bytes.data(), numbers.begin(), bytes.size());
  return bytes;
}

RowBatchBuilder batch_of(const TableSchema& schema, const std::vector<Row>& rows) {
  RowBatchBuilder builder(schema);
  for (const Row& row : rows) {
    Result<void> appended = append_row(builder, schema, row);
    EXPECT_TRUE(appended.ok()) << appended.error().to_string();
  }
  return builder;
}

}  // namespace

void VectorSet::add(std::string name, const std::function<void(wire::Envelope::Builder)>& build) {
  add_segmented(std::move(name), size_t{64} << 10, build);
}

void VectorSet::add_segmented(std::string name, size_t first_segment_bytes,
                              const std::function<void(wire::Envelope::Builder)>& build) {
  FrameWriter writer(first_segment_bytes);
  build(writer.begin());
  add_raw(std::move(name), writer.to_bytes());
}

void VectorSet::add_raw(std::string name, std::string bytes) {
  vectors_.push_back({std::move(name), std::move(bytes)});
}

VectorSet all_vectors() {
  VectorSet set;
  add_session_vectors(set);
  add_job_vectors(set);
  add_batch_vectors(set);
  add_state_vectors(set);
  add_answer_vectors(set);
  add_foreign_vectors(set);
  return set;
}

TableSchema key_schema() {
  return TableSchema::create({{"hash", ColumnType::kUint64, true, "farm_hash(word)"},
                              {"word", ColumnType::kString, true, ""}})
      .value();
}

TableSchema words_schema() {
  return TableSchema::create(
             {{"word", ColumnType::kString, true, ""}, {"count", ColumnType::kInt64, false, ""}})
      .value();
}

TableSchema every_schema() {
  return TableSchema::create({{"int64", ColumnType::kInt64, false, ""},
                              {"uint64", ColumnType::kUint64, false, ""},
                              {"double", ColumnType::kDouble, false, ""},
                              {"boolean", ColumnType::kBoolean, false, ""},
                              {"string", ColumnType::kString, false, ""},
                              {"any", ColumnType::kAny, false, ""}})
      .value();
}

TableSchema profile_schema() {
  return TableSchema::create({{"name", ColumnType::kString, false, ""},
                              {"visits", ColumnType::kUint64, false, ""},
                              {"active", ColumnType::kBoolean, false, ""}})
      .value();
}

Row key(std::string_view word) {
  FarmHasher hasher;
  hasher.add_string(word);
  return {hasher.finish().value(), std::string(word)};
}

void write_rows_of(wire::RowBatch::Builder out, const TableSchema& schema,
                   const std::vector<Row>& rows) {
  write_rows(out, batch_of(schema, rows));
}

void write_strings(wire::ColumnData::Builder out, const std::vector<Value>& values) {
  TableSchema schema = TableSchema::create({{"value", ColumnType::kString, false, ""}}).value();
  std::vector<Row> rows;
  for (const Value& value : values) {
    rows.push_back({value});
  }
  RowBatchBuilder batch = batch_of(schema, rows);
  write_column(out, batch.column_bytes()[0]);
}

std::vector<uint8_t> u32s(std::initializer_list<uint32_t> numbers) {
  return packed(numbers);
}

std::vector<uint8_t> i64s(std::initializer_list<int64_t> numbers) {
  return packed(numbers);
}

std::vector<uint8_t> bits(std::initializer_list<bool> list) {
  std::vector<uint8_t> bytes((list.size() + 7) / 8);
  size_t i = 0;
  for (bool bit : list) {
    bytes[i / 8] = static_cast<uint8_t>(bytes[i / 8] | (bit ? 1u : 0u) << (i % 8));
    ++i;
  }
  return bytes;
}

capnp::Data::Reader data(const std::vector<uint8_t>& bytes) {
  return {bytes.data(), bytes.size()};
}

}  // namespace retinue::vectors
