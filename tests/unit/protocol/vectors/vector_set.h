// The golden frames of protocol/vectors, made anew: each is one message that the protocol allows.
#pragma once

#include <functional>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/schema/companion.capnp.h"
#include "protocol/values/row_batch.h"
#include "protocol/values/schema.h"
#include "protocol/values/value.h"

namespace retinue::vectors {

struct Vector {
  std::string name;
  std::string bytes;
};

class VectorSet {
 public:
  void add(std::string name, const std::function<void(wire::Envelope::Builder)>& build);
  // A frame in segments of this many bytes at first, so that far pointers join them.
  void add_segmented(std::string name, size_t first_segment_bytes,
                     const std::function<void(wire::Envelope::Builder)>& build);
  void add_raw(std::string name, std::string bytes);

  std::span<const Vector> vectors() const& { return vectors_; }

 private:
  std::vector<Vector> vectors_;
};

void add_session_vectors(VectorSet& set);
void add_job_vectors(VectorSet& set);
void add_batch_vectors(VectorSet& set);
void add_state_vectors(VectorSet& set);
void add_answer_vectors(VectorSet& set);
void add_foreign_vectors(VectorSet& set);

// Every vector of the current version.
VectorSet all_vectors();

// --- what the vectors are about: the job of open_job_transform, which counts words
inline constexpr int64_t kNowUs = 1'700'000'000'000'000;
inline constexpr uint64_t kJob = 7;
inline constexpr uint64_t kEpoch = 42;

TableSchema key_schema();      // hash: uint64 = farm_hash(word), word: string
TableSchema words_schema();    // word: string, count: int64
TableSchema every_schema();    // one column a type, all nullable
TableSchema profile_schema();  // of the external state "/profiles"

// A key row with its hash.
Row key(std::string_view word);

void write_rows_of(wire::RowBatch::Builder out, const TableSchema& schema,
                   const std::vector<Row>& rows);
// One string column; Null rows are not valid.
void write_strings(wire::ColumnData::Builder out, const std::vector<Value>& values);

// The bytes of packed numbers and of bitmaps, for Data fields.
std::vector<uint8_t> u32s(std::initializer_list<uint32_t> numbers);
std::vector<uint8_t> i64s(std::initializer_list<int64_t> numbers);
std::vector<uint8_t> bits(std::initializer_list<bool> bits);
capnp::Data::Reader data(const std::vector<uint8_t>& bytes);

}  // namespace retinue::vectors
