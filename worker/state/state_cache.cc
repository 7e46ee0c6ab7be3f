#include "worker/state/state_cache.h"

#include <utility>

#include "protocol/base/check.h"

namespace retinue::worker {
namespace {

constexpr int kInitialSizeLog2 = 10;
// What the allocator adds to a block, and the entry's share of the buckets.
constexpr size_t kAllocationOverheadBytes = 16;
constexpr size_t kEntryOverheadBytes = 3 * kAllocationOverheadBytes + 32;

size_t heap_bytes(const std::string& text) {
  static const size_t kInlineCapacity = std::string().capacity();
  return text.capacity() > kInlineCapacity ? text.capacity() + kAllocationOverheadBytes : 0;
}

}  // namespace

StateCache::StateCache(size_t states_per_key, size_t bytes_limit)
    : states_per_key_(states_per_key),
      bytes_limit_(bytes_limit),
      buckets_(size_t{1} << kInitialSizeLog2),
      shift_(64 - kInitialSizeLog2) {}

StateCache::~StateCache() {
  for (const Bucket& bucket : buckets_) {
    delete bucket.entry;
  }
}

size_t StateCache::probe(uint64_t hash, std::string_view key) const {
  const size_t mask = buckets_.size() - 1;
  for (size_t at = home(hash);; at = (at + 1) & mask) {
    const Bucket& bucket = buckets_[at];
    if (bucket.entry == nullptr || (bucket.hash == hash && bucket.entry->key == key)) {
      return at;
    }
  }
}

KeyEntry& StateCache::find_or_insert(KeyHash hash, std::string_view key) {
  size_t at = probe(hash.value(), key);
  if (KeyEntry* entry = buckets_[at].entry) {
    ++hits_;
    entry->referenced_ = true;
    return *entry;
  }
  ++misses_;
  if (size_ >= buckets_.size() / 2) {
    grow();
    at = probe(hash.value(), key);
  }
  auto entry = std::make_unique<KeyEntry>();
  entry->hash = hash;
  entry->key = key;
  entry->states.resize(states_per_key_);
  account(*entry);
  ++size_;
  buckets_[at] = {.hash = hash.value(), .entry = entry.release()};
  return *buckets_[at].entry;
}

KeyEntry* StateCache::find(KeyHash hash, std::string_view key) {
  KeyEntry* entry = buckets_[probe(hash.value(), key)].entry;
  if (entry == nullptr) {
    ++misses_;
    return nullptr;
  }
  ++hits_;
  entry->referenced_ = true;
  return entry;
}

void StateCache::prefetch(std::span<const KeyHash> hashes) const {
  for (const KeyHash hash : hashes) {
    __builtin_prefetch(&buckets_[home(hash.value())]);
  }
  for (const KeyHash hash : hashes) {
    if (const KeyEntry* entry = buckets_[home(hash.value())].entry) {
      __builtin_prefetch(entry, /*rw=*/1);
      __builtin_prefetch(&entry->states, /*rw=*/1);
    }
  }
  for (const KeyHash hash : hashes) {
    if (const KeyEntry* entry = buckets_[home(hash.value())].entry) {
      __builtin_prefetch(entry->key.data());
      __builtin_prefetch(entry->states.data());
    }
  }
}

void StateCache::pin(KeyEntry& entry) {
  ++entry.pins_;
}

void StateCache::unpin(KeyEntry& entry) {
  RETINUE_CHECK(entry.pins_ > 0);
  if (--entry.pins_ == 0) {
    account(entry);
  }
}

void StateCache::evict() {
  const size_t mask = buckets_.size() - 1;
  // One turn of the hand takes the reference marks away, the second takes the entries.
  for (size_t steps = 2 * buckets_.size(); bytes_ > bytes_limit_ && steps > 0; --steps) {
    KeyEntry* entry = buckets_[clock_hand_].entry;
    if (entry != nullptr && entry->pins_ == 0 && !std::exchange(entry->referenced_, false)) {
      // The bucket may now hold the next entry: the hand stays.
      erase(clock_hand_);
    } else {
      clock_hand_ = (clock_hand_ + 1) & mask;
    }
  }
}

void StateCache::grow() {
  std::vector<Bucket> old(buckets_.size() * 2);
  old.swap(buckets_);
  --shift_;
  clock_hand_ = 0;
  const size_t mask = buckets_.size() - 1;
  for (const Bucket& bucket : old) {
    if (bucket.entry == nullptr) {
      continue;
    }
    size_t at = home(bucket.hash);
    while (buckets_[at].entry != nullptr) {
      at = (at + 1) & mask;
    }
    buckets_[at] = bucket;
  }
}

void StateCache::erase(size_t bucket) {
  bytes_ -= buckets_[bucket].entry->accounted_bytes_;
  --size_;
  delete buckets_[bucket].entry;
  const size_t mask = buckets_.size() - 1;
  size_t hole = bucket;
  for (size_t at = (hole + 1) & mask; buckets_[at].entry != nullptr; at = (at + 1) & mask) {
    // An entry may move into the hole unless its home lies behind the hole.
    if (((at - home(buckets_[at].hash)) & mask) >= ((at - hole) & mask)) {
      buckets_[hole] = buckets_[at];
      hole = at;
    }
  }
  buckets_[hole] = {};
}

void StateCache::account(KeyEntry& entry) {
  size_t bytes = sizeof(KeyEntry) + kEntryOverheadBytes + heap_bytes(entry.key) +
                 entry.states.capacity() * sizeof(StateSlot);
  for (const StateSlot& slot : entry.states) {
    bytes += heap_bytes(slot.value);
  }
  bytes_ += bytes - entry.accounted_bytes_;
  entry.accounted_bytes_ = bytes;
}

}  // namespace retinue::worker
