#include "worker/store/state_changes.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <tuple>

#include "protocol/base/check.h"
#include "protocol/values/key_codec.h"

namespace retinue::worker {
namespace {

// How a state row key begins; zeros for a key too short for that.
struct KeyStart {
  uint32_t owner = 0;
  uint64_t hash = 0;

  explicit KeyStart(std::string_view key) {
    if (key.size() >= sizeof owner + sizeof hash) {
      owner = read_big_endian32(key.data());
      hash = read_big_endian64(key.data() + sizeof owner);
    }
  }
};

}  // namespace

std::string& StateChanges::begin_key() {
  key_begin_ = static_cast<uint32_t>(bytes_.size());
  return bytes_;
}

void StateChanges::finish_row(size_t value_begin, bool cleared) {
  RETINUE_CHECK(bytes_.size() <= std::numeric_limits<uint32_t>::max(),
                "the state changes of one epoch exceed 4 GiB");
  const KeyStart start(std::string_view(bytes_).substr(key_begin_, value_begin - key_begin_));
  rows_.push_back({.owner = start.owner,
                   .hash = start.hash,
                   .key_begin = key_begin_,
                   .value_begin = static_cast<uint32_t>(value_begin),
                   .value_end = static_cast<uint32_t>(bytes_.size()),
                   .cleared = cleared});
}

void StateChanges::set(std::string_view value) {
  const size_t value_begin = bytes_.size();
  bytes_.append(value);
  finish_row(value_begin, false);
}

void StateChanges::set_with_prefix(char prefix, std::string_view value) {
  const size_t value_begin = bytes_.size();
  bytes_.push_back(prefix);
  bytes_.append(value);
  finish_row(value_begin, false);
}

void StateChanges::clear_row() {
  finish_row(bytes_.size(), true);
}

StateChanges::Row StateChanges::row(size_t index) const {
  const Slice& slice = rows_[index];
  const char* bytes = bytes_.data();
  return {.key = {bytes + slice.key_begin, slice.value_begin - slice.key_begin},
          .value = {bytes + slice.value_begin, slice.value_end - slice.value_begin},
          .cleared = slice.cleared};
}

void StateChanges::sort() {
  const char* bytes = bytes_.data();
  std::sort(rows_.begin(), rows_.end(), [bytes](const Slice& a, const Slice& b) {
    if (a.owner != b.owner || a.hash != b.hash) {
      return std::tie(a.owner, a.hash) < std::tie(b.owner, b.hash);
    }
    const size_t a_size = a.value_begin - a.key_begin;
    const size_t b_size = b.value_begin - b.key_begin;
    const int order =
        std::memcmp(bytes + a.key_begin, bytes + b.key_begin, std::min(a_size, b_size));
    return order != 0 ? order < 0 : a_size < b_size;
  });
}

void StateChanges::clear() {
  bytes_.clear();
  rows_.clear();
}

}  // namespace retinue::worker
