// Bitmaps: bit i is bit i % 8 of byte i / 8, least significant first.
#pragma once

#include <cstddef>
#include <cstdint>

#include "protocol/values/byte_buffer.h"

namespace retinue {

inline bool bitmap_get(const uint8_t* bitmap, uint32_t row) {
  return (bitmap[row >> 3] >> (row & 7)) & 1;
}
constexpr size_t bitmap_bytes(uint32_t rows) {
  return (size_t{rows} + 7) / 8;
}
// Whether bits [begin, end) are all set.
bool bitmap_all_set(const uint8_t* bitmap, uint32_t begin, uint32_t end);

// The three below append to a bitmap of `size` bits in bitmap_bytes(size) bytes. Invariant: the
// bits of its last byte past `size` are 0.
inline void bitmap_push(ByteBuffer& bitmap, uint32_t size, bool bit) {
  if (size % 8 == 0) {
    bitmap.append_number(uint8_t{bit});
  } else {
    bitmap.data()[size / 8] |= static_cast<uint8_t>(bit << (size % 8));
  }
}
void bitmap_append_run(ByteBuffer& bitmap, uint32_t size, bool bit, uint32_t count);
// Appends bits [begin, begin + count) of `source`.
void bitmap_append(ByteBuffer& bitmap, uint32_t size, const uint8_t* source, uint32_t begin,
                   uint32_t count);
// Cuts a bitmap down to its first `size` bits.
void bitmap_truncate(ByteBuffer& bitmap, uint32_t size);

}  // namespace retinue
