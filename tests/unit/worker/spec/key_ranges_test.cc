#include "worker/spec/key_ranges.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace retinue::worker {
namespace {

constexpr uint64_t kMax = std::numeric_limits<uint64_t>::max();

TEST(KeyRanges, OnePartitionOwnsEverything) {
  EXPECT_EQ(key_range(PartitionIndex(0), 1), (KeyRange{KeyHash(0), KeyHash(kMax)}));
  EXPECT_EQ(partition_of(KeyHash(0), 1), PartitionIndex(0));
  EXPECT_EQ(partition_of(KeyHash(kMax), 1), PartitionIndex(0));
}

TEST(KeyRanges, PowersOfTwoCutAtTheTopBits) {
  EXPECT_EQ(key_range(PartitionIndex(2), 4),
            (KeyRange{KeyHash(0x8000'0000'0000'0000), KeyHash(0xbfff'ffff'ffff'ffff)}));
  EXPECT_EQ(partition_of(KeyHash(0xbfff'ffff'ffff'ffff), 4), PartitionIndex(2));
  EXPECT_EQ(partition_of(KeyHash(0xc000'0000'0000'0000), 4), PartitionIndex(3));
}

class KeyRangesOf : public testing::TestWithParam<uint32_t> {};

TEST_P(KeyRangesOf, CoverEveryHashOnceAndAgreeWithPartitionOf) {
  const uint32_t count = GetParam();
  uint64_t next = 0;
  for (uint32_t index = 0; index < count; ++index) {
    const PartitionIndex partition(index);
    const KeyRange range = key_range(partition, count);
    ASSERT_EQ(range.lowest.value(), next) << "partition " << index << " of " << count;
    ASSERT_LE(range.lowest, range.highest);
    ASSERT_EQ(partition_of(range.lowest, count), partition);
    ASSERT_EQ(partition_of(range.highest, count), partition);
    next = range.highest.value() + 1;
  }
  EXPECT_EQ(next, 0u) << "the last range must end at the last hash";
}

INSTANTIATE_TEST_SUITE_P(Counts, KeyRangesOf,
                         testing::Values(1u, 2u, 3u, 5u, 7u, 10u, 64u, 100u, 1000u, 65537u));

TEST(KeyRanges, TheLargestCountWorks) {
  const uint32_t count = std::numeric_limits<uint32_t>::max();
  const KeyRange last = key_range(PartitionIndex(count - 1), count);
  EXPECT_EQ(last.highest, KeyHash(kMax));
  EXPECT_EQ(partition_of(last.lowest, count), PartitionIndex(count - 1));
  EXPECT_EQ(partition_of(KeyHash(last.lowest.value() - 1), count), PartitionIndex(count - 2));
}

}  // namespace
}  // namespace retinue::worker
