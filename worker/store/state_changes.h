// StateChanges: the states that an epoch set or cleared, in one buffer.
//
// Rows are kept as (row key, value) slices of a single byte buffer, so that an epoch of a thousand
// keys costs no allocation once the buffer has grown.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace retinue::worker {

class StateChanges {
 public:
  struct Row {
    std::string_view key;  // as append_state_row_key makes it
    std::string_view value;
    bool cleared;
  };

  // begin_key(), append the row key to the string it gives, then one of set() and clear_row().
  std::string& begin_key();
  void set(std::string_view value);
  void set_with_prefix(char prefix, std::string_view value);  // value = prefix · bytes
  void clear_row();

  size_t size() const { return rows_.size(); }
  bool empty() const { return rows_.empty(); }
  Row row(size_t index) const;
  size_t byte_size() const { return bytes_.size(); }
  // Puts the rows in key order. Precondition: no key twice.
  void sort();
  void clear();

 private:
  struct Slice {
    // What the key begins with, so that most comparisons do not touch the bytes.
    uint32_t owner;
    uint64_t hash;
    uint32_t key_begin;
    uint32_t value_begin;
    uint32_t value_end;
    bool cleared;
  };

  void finish_row(size_t value_begin, bool cleared);

  std::string bytes_;
  uint32_t key_begin_ = 0;
  std::vector<Slice> rows_;
};

}  // namespace retinue::worker
