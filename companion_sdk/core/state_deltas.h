// StateDeltas: what a batch does to one internal state, at most one entry a key, the last one wins.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "companion_sdk/core/batch_view.h"
#include "protocol/schema/companion.capnp.h"

namespace retinue::companion {

class StateDeltas {
 public:
  explicit StateDeltas(StateIndex state) : state_(state) {}

  // Forgets everything; buffers stay. Borrows: `batch`, until the next begin().
  void begin(const BatchView& batch);
  // Precondition of both: a key of the batch.
  void set(KeyIndex key, std::string_view bytes);
  void clear(KeyIndex key);

  // Sorts by key and drops what changes nothing: the bytes that were loaded, or a clear of what was
  // absent. The next four are about what is left.
  void settle();
  bool empty() const { return entries_.empty(); }
  size_t byte_size() const;
  size_t longest_value() const;
  void write(const InternalStateSpec& spec, wire::InternalStateDelta::Builder out) const;

 private:
  struct Entry {
    uint32_t key = 0;
    bool is_clear = false;
    size_t offset = 0;  // into bytes_
    size_t size = 0;
  };

  Entry& entry(KeyIndex key);
  std::string_view bytes(const Entry& entry) const {
    return std::string_view(bytes_).substr(entry.offset, entry.size);
  }
  bool changes_something(const Entry& entry) const;

  StateIndex state_;
  const BatchView* batch_ = nullptr;
  std::vector<Entry> entries_;
  std::vector<uint32_t> entry_of_key_;  // 1 + place in entries_; 0: none
  std::string bytes_;
};

}  // namespace retinue::companion
