#include "protocol/values/bitmap.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace retinue {
namespace {

std::vector<bool> bits_of(const ByteBuffer& bitmap, uint32_t size) {
  EXPECT_EQ(bitmap.size(), bitmap_bytes(size));
  std::vector<bool> bits;
  for (uint32_t i = 0; i < size; ++i) {
    bits.push_back(bitmap_get(bitmap.data(), i));
  }
  for (size_t i = size; i < bitmap.size() * 8; ++i) {
    EXPECT_FALSE(bitmap_get(bitmap.data(), static_cast<uint32_t>(i))) << "past the last bit";
  }
  return bits;
}

// A bitmap of `size` random bits and what it should hold. Fills the buffer with set bits first, so
// that whatever is left from an earlier use shows.
struct Fixture {
  ByteBuffer bitmap;
  std::vector<bool> expected;

  Fixture(uint32_t size, std::mt19937& random) {
    bitmap_append_run(bitmap, 0, true, 512);
    bitmap_truncate(bitmap, 0);
    for (uint32_t i = 0; i < size; ++i) {
      expected.push_back(random() % 2 == 0);
      bitmap_push(bitmap, i, expected.back());
    }
  }
  uint32_t size() const { return static_cast<uint32_t>(expected.size()); }
};

TEST(BitmapTest, BytesRoundUp) {
  EXPECT_EQ(bitmap_bytes(0), 0u);
  EXPECT_EQ(bitmap_bytes(1), 1u);
  EXPECT_EQ(bitmap_bytes(8), 1u);
  EXPECT_EQ(bitmap_bytes(9), 2u);
  EXPECT_EQ(bitmap_bytes(UINT32_MAX), size_t{1} << 29);
}

TEST(BitmapTest, AppendsFromEveryBitToEveryBit) {
  std::mt19937 random(1);
  Fixture source(64, random);
  for (uint32_t size = 0; size < 20; ++size) {
    for (uint32_t begin = 0; begin < 20; ++begin) {
      for (uint32_t count = 0; count < 44; ++count) {
        Fixture target(size, random);
        bitmap_append(target.bitmap, size, source.bitmap.data(), begin, count);
        for (uint32_t i = 0; i < count; ++i) {
          target.expected.push_back(source.expected[begin + i]);
        }
        ASSERT_EQ(bits_of(target.bitmap, target.size()), target.expected)
            << size << " " << begin << " " << count;
      }
    }
  }
}

TEST(BitmapTest, AppendReadsOnlyTheBytesItNeeds) {
  // The sanitizers watch the ends of the vector.
  for (uint32_t begin = 0; begin < 8; ++begin) {
    for (uint32_t count = 0; count < 40; ++count) {
      const std::vector<uint8_t> source(bitmap_bytes(begin + count), 0xff);
      ByteBuffer bitmap;
      bitmap_push(bitmap, 0, false);
      bitmap_append(bitmap, 1, source.data(), begin, count);
      EXPECT_TRUE(bitmap_all_set(bitmap.data(), 1, count + 1));
    }
  }
}

TEST(BitmapTest, AppendsRuns) {
  std::mt19937 random(2);
  for (const bool bit : {false, true}) {
    for (uint32_t size = 0; size < 20; ++size) {
      for (uint32_t count = 0; count < 30; ++count) {
        Fixture target(size, random);
        bitmap_append_run(target.bitmap, size, bit, count);
        target.expected.insert(target.expected.end(), count, bit);
        ASSERT_EQ(bits_of(target.bitmap, target.size()), target.expected);
      }
    }
  }
}

TEST(BitmapTest, TruncatesAndGrowsAgain) {
  std::mt19937 random(3);
  for (uint32_t size = 0; size < 20; ++size) {
    Fixture target(20, random);
    bitmap_truncate(target.bitmap, size);
    target.expected.resize(size);
    ASSERT_EQ(bits_of(target.bitmap, size), target.expected);
    bitmap_push(target.bitmap, size, false);
    target.expected.push_back(false);
    ASSERT_EQ(bits_of(target.bitmap, size + 1), target.expected);
  }
}

TEST(BitmapTest, AllSetLooksAtItsRangeOnly) {
  for (uint32_t hole = 0; hole < 30; ++hole) {
    ByteBuffer bitmap;
    bitmap_append_run(bitmap, 0, true, hole);
    bitmap_push(bitmap, hole, false);
    bitmap_append_run(bitmap, hole + 1, true, 30 - hole);
    for (uint32_t begin = 0; begin <= 31; ++begin) {
      for (uint32_t end = begin; end <= 31; ++end) {
        ASSERT_EQ(bitmap_all_set(bitmap.data(), begin, end), hole < begin || hole >= end);
      }
    }
  }
}

}  // namespace
}  // namespace retinue
