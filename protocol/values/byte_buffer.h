// ByteBuffer: bytes that grow at the end. truncate() keeps the memory for the next use.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace retinue {

class ByteBuffer {
 public:
  uint8_t* data() { return bytes_.data(); }
  const uint8_t* data() const { return bytes_.data(); }
  size_t size() const { return size_; }
  // Precondition: `count` <= size().
  std::span<const uint8_t> first(size_t count) const { return {bytes_.data(), count}; }

  // `count` more bytes, for the caller to write all of them; what they hold before is unspecified.
  uint8_t* extend(size_t count) {
    if (bytes_.size() - size_ < count) [[unlikely]] {
      bytes_.resize(std::max(bytes_.size() * 2, size_ + count + 64));
    }
    uint8_t* const place = bytes_.data() + size_;
    size_ += count;
    return place;
  }
  void append(const void* bytes, size_t count) {
    if (count != 0) {
      std::memcpy(extend(count), bytes, count);
    }
  }
  template <typename T>
  void append_number(T number) {
    std::memcpy(extend(sizeof number), &number, sizeof number);
  }
  // Precondition: `size` <= size().
  void truncate(size_t size) { size_ = size; }

 private:
  std::vector<uint8_t> bytes_;  // as many as were ever needed; the first size_ are in use
  size_t size_ = 0;
};

}  // namespace retinue
