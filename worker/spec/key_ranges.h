// Which partition owns which key hashes: the hashes are cut into equal ranges, one a partition.
#pragma once

#include <cstdint>

#include "protocol/base/check.h"
#include "protocol/base/ids.h"

namespace retinue::worker {

__extension__ using Uint128 = unsigned __int128;

// Both ends included.
struct KeyRange {
  KeyHash lowest;
  KeyHash highest;

  friend constexpr bool operator==(const KeyRange&, const KeyRange&) = default;
};

// The partition, of `partition_count`, that owns a hash. Precondition: partition_count > 0.
constexpr PartitionIndex partition_of(KeyHash hash, uint32_t partition_count) {
  const Uint128 scaled = Uint128{hash.value()} * partition_count;
  return PartitionIndex(static_cast<uint32_t>(scaled >> 64));
}

// The hashes that partition_of gives to `partition`: [ceil(i * 2^64 / n), ceil((i + 1) * 2^64 /
// n)). Precondition: partition < partition_count.
constexpr KeyRange key_range(PartitionIndex partition, uint32_t partition_count) {
  RETINUE_CHECK(partition.value() < partition_count);
  const auto first_of = [&](uint64_t index) {
    return ((Uint128{index} << 64) + partition_count - 1) / partition_count;
  };
  return {KeyHash(static_cast<uint64_t>(first_of(partition.value()))),
          KeyHash(static_cast<uint64_t>(first_of(uint64_t{partition.value()} + 1) - 1))};
}

}  // namespace retinue::worker
