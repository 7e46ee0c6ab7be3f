// StateCache: the keys of one partition and their states, in memory, bounded.
//
// A KeyEntry holds every state of a key in one block of memory: a key costs a look-up two or three
// cache lines. One look-up an input both groups the batch by key and finds the states. Entries of
// batches that are not over are never evicted: a batch is over when its commit is stored, so what
// the store does not have yet is always found here. The others leave by the clock algorithm when
// the cache is over its bound.
//
// Threads: one. Entries do not move while they live.
#pragma once

#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/base/ids.h"

namespace retinue::worker {

// Numbers the batches of a partition; the first is 1.
using BatchStamp = StrongNumber<struct BatchStampTag, uint64_t>;

struct StateSlot {
  enum class Presence : uint8_t { kNotLoaded, kAbsent, kPresent };

  Presence presence = Presence::kNotLoaded;
  std::string value;  // without the stored format's prefix
};

class KeyEntry {
 public:
  KeyEntry(const KeyEntry&) = delete;
  KeyEntry& operator=(const KeyEntry&) = delete;

  KeyHash hash() const { return hash_; }
  // hash (8 bytes, big-endian) · encoded columns
  std::string_view key() const {
    return {reinterpret_cast<const char*>(slots() + state_count_), key_bytes_};
  }
  // In the order of the computation's states.
  std::span<const StateSlot> states() const { return {slots(), state_count_}; }

  // Call before a use that is a few entries ahead.
  void prefetch() const {
    const char* const begin = reinterpret_cast<const char*>(this);
    __builtin_prefetch(begin, /*rw=*/1);
    __builtin_prefetch(begin + kCacheLineBytes, /*rw=*/1);
  }

  // The last batch that has the key, and as which of its keys.
  BatchStamp batch_stamp;
  KeyIndex batch_index;

 private:
  friend class StateCache;
  static constexpr size_t kCacheLineBytes = 64;

  struct Deleter {
    void operator()(KeyEntry* entry) const;
  };
  using Pointer = std::unique_ptr<KeyEntry, Deleter>;

  KeyEntry(KeyHash hash, uint32_t state_count, std::string_view key);
  ~KeyEntry();
  // The slots and the key's bytes follow the entry.
  static Pointer create(KeyHash hash, uint32_t state_count, std::string_view key);

  const StateSlot* slots() const {
    return std::launder(reinterpret_cast<const StateSlot*>(this + 1));
  }
  StateSlot* slots() { return std::launder(reinterpret_cast<StateSlot*>(this + 1)); }
  // With everything that it owns, and its share of the buckets.
  size_t byte_size() const;

  const KeyHash hash_;
  const uint32_t state_count_;
  const uint32_t key_bytes_;
  bool referenced_ = true;
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

  // Keep the account of bytes.
  void set(KeyEntry& entry, size_t state, std::string_view value);
  void set_absent(KeyEntry& entry, size_t state);

  // Stamps ascend. Entries that carry the stamp of this batch or of a later one are not evicted
  // before end_batch().
  BatchStamp begin_batch();
  void end_batch(BatchStamp stamp);
  // Evicts entries until the cache is within its bound, or all are held by batches.
  void evict();

  size_t size() const { return size_; }
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
    KeyEntry::Pointer entry;
  };

  size_t home(uint64_t hash) const { return (hash * kSpread) >> shift_; }
  // The bucket of the key, or the free one where it belongs.
  size_t probe(uint64_t hash, std::string_view key) const;
  void grow();
  // Frees the bucket and moves into it what had to make way for its entry.
  void erase(size_t bucket);

  const uint32_t states_per_key_;
  const size_t bytes_limit_;
  std::vector<Bucket> buckets_;
  int shift_;
  size_t size_ = 0;
  size_t bytes_ = 0;
  size_t clock_hand_ = 0;
  BatchStamp last_stamp_;
  std::vector<BatchStamp> open_batches_;  // ascending
  uint64_t hits_ = 0;
  uint64_t misses_ = 0;
};

}  // namespace retinue::worker
