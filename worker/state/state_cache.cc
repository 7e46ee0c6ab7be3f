#include "worker/state/state_cache.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "protocol/base/check.h"

namespace retinue::worker {
namespace {

constexpr int kInitialSizeLog2 = 10;
// What the allocator adds to a block.
constexpr size_t kAllocationOverheadBytes = 16;

size_t heap_bytes(const std::string& text) {
  static const size_t kInlineCapacity = std::string().capacity();
  return text.capacity() > kInlineCapacity ? text.capacity() + kAllocationOverheadBytes : 0;
}

}  // namespace

// --- entries

KeyEntry::KeyEntry(KeyHash hash, uint32_t state_count, std::string_view key)
    : hash_(hash), state_count_(state_count), key_bytes_(static_cast<uint32_t>(key.size())) {
  std::uninitialized_default_construct_n(slots(), state_count_);
  std::memcpy(reinterpret_cast<char*>(slots() + state_count_), key.data(), key.size());
}

KeyEntry::~KeyEntry() {
  std::destroy_n(slots(), state_count_);
}

KeyEntry::Pointer KeyEntry::create(KeyHash hash, uint32_t state_count, std::string_view key) {
  static_assert(sizeof(KeyEntry) % alignof(StateSlot) == 0);
  void* const memory =
      ::operator new(sizeof(KeyEntry) + state_count * sizeof(StateSlot) + key.size());
  return Pointer(new (memory) KeyEntry(hash, state_count, key));
}

void KeyEntry::Deleter::operator()(KeyEntry* entry) const {
  entry->~KeyEntry();
  ::operator delete(entry);
}

size_t KeyEntry::byte_size() const {
  size_t bytes = kAllocationOverheadBytes + sizeof(KeyEntry) + state_count_ * sizeof(StateSlot) +
                 key_bytes_ + 2 * sizeof(std::pair<uint64_t, Pointer>);
  for (const StateSlot& slot : states()) {
    bytes += heap_bytes(slot.value);
  }
  return bytes;
}

// --- look-ups

StateCache::StateCache(size_t states_per_key, size_t bytes_limit)
    : states_per_key_(static_cast<uint32_t>(states_per_key)),
      bytes_limit_(bytes_limit),
      buckets_(size_t{1} << kInitialSizeLog2),
      shift_(64 - kInitialSizeLog2) {}

StateCache::~StateCache() = default;

size_t StateCache::probe(uint64_t hash, std::string_view key) const {
  const size_t mask = buckets_.size() - 1;
  for (size_t at = home(hash);; at = (at + 1) & mask) {
    const Bucket& bucket = buckets_[at];
    if (bucket.entry == nullptr || (bucket.hash == hash && bucket.entry->key() == key)) {
      return at;
    }
  }
}

KeyEntry& StateCache::find_or_insert(KeyHash hash, std::string_view key) {
  size_t at = probe(hash.value(), key);
  if (KeyEntry* entry = buckets_[at].entry.get()) {
    ++hits_;
    entry->referenced_ = true;
    return *entry;
  }
  ++misses_;
  if (size_ >= buckets_.size() / 2) {
    grow();
    at = probe(hash.value(), key);
  }
  KeyEntry::Pointer entry = KeyEntry::create(hash, states_per_key_, key);
  bytes_ += entry->byte_size();
  ++size_;
  buckets_[at] = {.hash = hash.value(), .entry = std::move(entry)};
  return *buckets_[at].entry;
}

KeyEntry* StateCache::find(KeyHash hash, std::string_view key) {
  KeyEntry* entry = buckets_[probe(hash.value(), key)].entry.get();
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
    if (const KeyEntry* entry = buckets_[home(hash.value())].entry.get()) {
      entry->prefetch();
    }
  }
}

// --- values

void StateCache::set(KeyEntry& entry, size_t state, std::string_view value) {
  StateSlot& slot = entry.slots()[state];
  bytes_ -= heap_bytes(slot.value);
  slot.presence = StateSlot::Presence::kPresent;
  slot.value.assign(value);
  bytes_ += heap_bytes(slot.value);
}

void StateCache::set_absent(KeyEntry& entry, size_t state) {
  StateSlot& slot = entry.slots()[state];
  bytes_ -= heap_bytes(slot.value);
  slot.presence = StateSlot::Presence::kAbsent;
  std::string().swap(slot.value);
}

// --- eviction

BatchStamp StateCache::begin_batch() {
  last_stamp_ = BatchStamp(last_stamp_.value() + 1);
  open_batches_.push_back(last_stamp_);
  return last_stamp_;
}

void StateCache::end_batch(BatchStamp stamp) {
  const auto batch = std::ranges::find(open_batches_, stamp);
  RETINUE_CHECK(batch != open_batches_.end());
  open_batches_.erase(batch);
}

void StateCache::evict() {
  const size_t mask = buckets_.size() - 1;
  // One turn of the hand takes the reference marks away, the second takes the entries.
  for (size_t steps = 2 * buckets_.size(); bytes_ > bytes_limit_ && steps > 0; --steps) {
    KeyEntry* entry = buckets_[clock_hand_].entry.get();
    const bool may_go =
        entry != nullptr && (open_batches_.empty() || entry->batch_stamp < open_batches_.front());
    if (may_go && !std::exchange(entry->referenced_, false)) {
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
  for (Bucket& bucket : old) {
    if (bucket.entry == nullptr) {
      continue;
    }
    size_t at = home(bucket.hash);
    while (buckets_[at].entry != nullptr) {
      at = (at + 1) & mask;
    }
    buckets_[at] = std::move(bucket);
  }
}

void StateCache::erase(size_t bucket) {
  bytes_ -= buckets_[bucket].entry->byte_size();
  --size_;
  buckets_[bucket] = {};
  const size_t mask = buckets_.size() - 1;
  size_t hole = bucket;
  for (size_t at = (hole + 1) & mask; buckets_[at].entry != nullptr; at = (at + 1) & mask) {
    // An entry may move into the hole unless its home lies behind the hole.
    if (((at - home(buckets_[at].hash)) & mask) >= ((at - hole) & mask)) {
      buckets_[hole] = std::move(buckets_[at]);
      hole = at;
    }
  }
}

}  // namespace retinue::worker
