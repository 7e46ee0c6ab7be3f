#include "protocol/values/bitmap.h"

#include <algorithm>
#include <cstring>

namespace retinue {
namespace {

constexpr uint8_t low_bits(uint32_t count) {
  return static_cast<uint8_t>((1u << count) - 1);
}

// At most 8 bits, without touching a byte that holds none of them.
uint8_t read_bits(const uint8_t* bitmap, uint32_t begin, uint32_t count) {
  const uint32_t shift = begin % 8;
  uint32_t bits = bitmap[begin / 8] >> shift;
  if (shift + count > 8) {
    bits |= uint32_t{bitmap[begin / 8 + 1]} << (8 - shift);
  }
  return static_cast<uint8_t>(bits) & low_bits(count);
}

}  // namespace

bool bitmap_all_set(const uint8_t* bitmap, uint32_t begin, uint32_t end) {
  while (begin < end) {
    const uint32_t count = std::min(8 - begin % 8, end - begin);
    if (read_bits(bitmap, begin, count) != low_bits(count)) {
      return false;
    }
    begin += count;
  }
  return true;
}

void bitmap_append_run(ByteBuffer& bitmap, uint32_t size, bool bit, uint32_t count) {
  const size_t added = bitmap_bytes(size + count) - bitmap_bytes(size);
  if (added != 0) {
    std::memset(bitmap.extend(added), bit ? 0xff : 0, added);
  }
  if (bit && size % 8 != 0) {
    bitmap.data()[size / 8] |= static_cast<uint8_t>(~low_bits(size % 8));
  }
  bitmap_truncate(bitmap, size + count);
}

void bitmap_append(ByteBuffer& bitmap, uint32_t size, const uint8_t* source, uint32_t begin,
                   uint32_t count) {
  bitmap.extend(bitmap_bytes(size + count) - bitmap_bytes(size));
  uint8_t* to = bitmap.data() + size / 8;
  if (size % 8 != 0 && count != 0) {
    const uint32_t head = std::min(8 - size % 8, count);
    *to++ |= static_cast<uint8_t>(read_bits(source, begin, head) << (size % 8));
    begin += head;
    count -= head;
  }
  // `to` is at a byte's first bit now.
  if (begin % 8 == 0) {
    if (count >= 8) {
      std::memcpy(to, source + begin / 8, count / 8);
    }
  } else {
    for (uint32_t i = 0; i < count / 8; ++i) {
      to[i] = read_bits(source, begin + i * 8, 8);
    }
  }
  if (count % 8 != 0) {
    to[count / 8] = read_bits(source, begin + count / 8 * 8, count % 8);
  }
}

void bitmap_truncate(ByteBuffer& bitmap, uint32_t size) {
  bitmap.truncate(bitmap_bytes(size));
  if (size % 8 != 0) {
    bitmap.data()[size / 8] &= low_bits(size % 8);
  }
}

}  // namespace retinue
