#include "protocol/values/farm_hash.h"

#include <farmhash.h>

#include "protocol/base/check.h"

namespace retinue {
namespace {

constexpr uint64_t kMultiplier = 0x9ddfea08eb382d69;

// The last rounds of both mixes.
constexpr uint64_t finish_mix(uint64_t bits) {
  bits = (bits ^ (bits >> 44)) * kMultiplier;
  return (bits ^ (bits >> 41)) * kMultiplier;
}

}  // namespace

uint64_t fingerprint(uint64_t bits) {
  return finish_mix(bits * kMultiplier);
}

uint64_t fingerprint(std::string_view bytes) {
  return NAMESPACE_FOR_HASH_FUNCTIONS::Fingerprint64(bytes.data(), bytes.size());
}

void FarmHasher::add(uint64_t value_fingerprint) {
  uint64_t low = (state_ ^ value_fingerprint) * kMultiplier;
  low ^= low >> 47;
  state_ = finish_mix((value_fingerprint ^ low) * kMultiplier);
  ++count_;
}

void FarmHasher::add(const ColumnView& column, uint32_t row) {
  if (column.is_null(row)) {
    return add_null();
  }
  switch (column.type()) {
    case ColumnType::kInt64:
    case ColumnType::kUint64: return add_uint64(column.uint64_at(row));
    case ColumnType::kDouble: return add_double(column.double_at(row));
    case ColumnType::kBoolean: return add_boolean(column.boolean_at(row));
    case ColumnType::kString: return add_string(column.bytes_at(row));
    case ColumnType::kAny: break;
  }
  RETINUE_CHECK(false, "farm_hash of a column of type any");
}

}  // namespace retinue
