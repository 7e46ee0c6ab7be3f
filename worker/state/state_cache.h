// StateCache: the keys of one partition and their states, in memory, bounded.
//
// A KeyEntry holds every state of a key. One look-up an input both groups the batch by key and
// finds the states. Entries that a batch holds or a commit still carries are pinned: never evicted.
// The others leave by the clock algorithm when the cache is over its bound.
//
// Threads: one. Entries do not move while they live.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/base/ids.h"

namespace retinue::worker {

struct StateSlot {
  enum class Presence : uint8_t { kNotLoaded, kAbsent, kPresent };

  Presence presence = Presence::kNotLoaded;
  std::string value;  // without the stored format's prefix
};

class KeyEntry {
 public:
  KeyHash hash;
  std::string key;                // hash (8 bytes, big-endian) · encoded columns
  std::vector<StateSlot> states;  // in the order of the computation's states

  // For the owner of the batch: which batch has it, and as which key.
  uint64_t batch_stamp = 0;
  KeyIndex batch_index;

 private:
  friend class StateCache;
  uint32_t pins_ = 0;
  bool referenced_ = true;
  size_t accounted_bytes_ = 0;
};

class StateCache {
 public:
  StateCache(size_t states_per_key, size_t bytes_limit);
  ~StateCache();
  StateCache(const StateCache&) = delete;
  StateCache& operator=(const StateCache&) = delete;

  // The entry of a key, made (with nothing loaded) if there is none. `key` includes the hash.
  KeyEntry& find_or_insert(KeyHash hash, std::string_view key);
  KeyEntry* find(KeyHash hash, std::string_view key);
  // Brings what the look-ups of these hashes will touch into the processor's caches, all at a time
  // instead of one after the other. About 16 are a good number.
  void prefetch(std::span<const KeyHash> hashes) const;

  // Pins nest. The last unpin() takes note of the entry's new size.
  void pin(KeyEntry& entry);
  void unpin(KeyEntry& entry);
  // Evicts unpinned entries until the cache is within its bound, or all are pinned.
  void evict();

  size_t size() const { return size_; }
  // Of all entries, as of their insertion or last unpin().
  size_t byte_size() const { return bytes_; }
  // Look-ups that found their key, and those that did not.
  uint64_t hits() const { return hits_; }
  uint64_t misses() const { return misses_; }

 private:
  // Multiplying by 2^64 / phi spreads hashes that differ only in a few bits over the buckets.
  static constexpr uint64_t kSpread = 0x9e3779b97f4a7c15;

  // Open addressing over (hash, entry) pairs; linear probing, backward-shift deletion. The size is
  // a power of two, 2^(64 - shift_).
  struct Bucket {
    uint64_t hash = 0;
    KeyEntry* entry = nullptr;
  };

  size_t home(uint64_t hash) const { return (hash * kSpread) >> shift_; }
  // The bucket of the key, or the free one where it belongs.
  size_t probe(uint64_t hash, std::string_view key) const;
  void grow();
  // Frees the bucket and moves into it what had to make way for its entry.
  void erase(size_t bucket);
  // Brings bytes_ up to date with what the entry holds now.
  void account(KeyEntry& entry);

  const size_t states_per_key_;
  const size_t bytes_limit_;
  std::vector<Bucket> buckets_;
  int shift_;
  size_t size_ = 0;
  size_t bytes_ = 0;
  size_t clock_hand_ = 0;
  uint64_t hits_ = 0;
  uint64_t misses_ = 0;
};

}  // namespace retinue::worker
