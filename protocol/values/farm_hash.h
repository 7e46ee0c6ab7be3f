// farm_hash of a row of values, bit-compatible with YTsaurus, and its 64-bit fingerprints.
//
// A row's hash folds the fingerprints of its values, left to right, from the seed 0xdeadc0de, and
// xors the number of values in at the end. Integers and doubles fingerprint their raw 64 bits,
// strings are farmhash Fingerprint64 of their bytes; null, 0, false and 0.0 all give 0. -0.0 is
// hashed as 0.0: the key codec holds them for one key, and a key has one hash.
#pragma once

#include <bit>
#include <cstdint>
#include <string_view>

#include "protocol/base/ids.h"
#include "protocol/values/row_batch.h"

namespace retinue {

// Of the raw bits of a number, and of a string.
uint64_t fingerprint(uint64_t bits);
uint64_t fingerprint(std::string_view bytes);

class FarmHasher {
 public:
  void add_null() { add(fingerprint(uint64_t{0})); }
  void add_int64(int64_t value) { add(fingerprint(static_cast<uint64_t>(value))); }
  void add_uint64(uint64_t value) { add(fingerprint(value)); }
  void add_double(double value) { add(fingerprint(std::bit_cast<uint64_t>(value + 0.0))); }
  void add_boolean(bool value) { add(fingerprint(uint64_t{value})); }
  void add_string(std::string_view bytes) { add(fingerprint(bytes)); }
  // Precondition: not a kAny column, which has no hash.
  void add(const ColumnView& column, uint32_t row);

  KeyHash finish() const { return KeyHash(state_ ^ count_); }

 private:
  void add(uint64_t value_fingerprint);

  uint64_t state_ = 0xdeadc0de;
  uint64_t count_ = 0;
};

}  // namespace retinue
