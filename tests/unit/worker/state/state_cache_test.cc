#include "worker/state/state_cache.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

namespace retinue::worker {
namespace {

constexpr size_t kUnbounded = ~size_t{0};

std::string key_of(uint64_t number) {
  return "a key that does not fit in place " + std::to_string(number);
}

KeyEntry& insert(StateCache& cache, uint64_t number) {
  return cache.find_or_insert(KeyHash(number), key_of(number));
}

KeyEntry* find(StateCache& cache, uint64_t number) {
  return cache.find(KeyHash(number), key_of(number));
}

TEST(StateCacheTest, AnEntryIsMadeOnceWithNothingLoaded) {
  StateCache cache(2, kUnbounded);
  EXPECT_EQ(find(cache, 1), nullptr);
  KeyEntry& entry = insert(cache, 1);
  EXPECT_EQ(entry.hash(), KeyHash(1));
  EXPECT_EQ(entry.key(), key_of(1));
  ASSERT_EQ(entry.states().size(), 2u);
  EXPECT_EQ(entry.states()[1].presence, StateSlot::Presence::kNotLoaded);
  EXPECT_EQ(entry.batch_stamp, BatchStamp());
  EXPECT_EQ(&insert(cache, 1), &entry);
  EXPECT_EQ(find(cache, 1), &entry);
  EXPECT_EQ(cache.size(), 1u);
  EXPECT_EQ(cache.hits(), 2u);
  EXPECT_EQ(cache.misses(), 2u);
}

TEST(StateCacheTest, KeysOfOneHashAreApart) {
  StateCache cache(1, kUnbounded);
  KeyEntry& a = cache.find_or_insert(KeyHash(7), "a");
  KeyEntry& b = cache.find_or_insert(KeyHash(7), "b");
  EXPECT_NE(&a, &b);
  EXPECT_EQ(cache.find(KeyHash(7), "a"), &a);
  EXPECT_EQ(cache.find(KeyHash(7), "b"), &b);
  EXPECT_EQ(cache.find(KeyHash(7), "c"), nullptr);
}

TEST(StateCacheTest, EntriesStayInPlaceWhileTheCacheGrows) {
  StateCache cache(1, kUnbounded);
  std::vector<KeyEntry*> entries;
  for (uint64_t i = 0; i < 20'000; ++i) {
    entries.push_back(&insert(cache, i << 40));
  }
  EXPECT_EQ(cache.size(), 20'000u);
  for (uint64_t i = 0; i < 20'000; ++i) {
    ASSERT_EQ(find(cache, i << 40), entries[i]);
  }
}

TEST(StateCacheTest, ValuesStandByStateAndAreAccounted) {
  StateCache cache(2, kUnbounded);
  KeyEntry& entry = insert(cache, 1);
  const size_t empty = cache.byte_size();
  EXPECT_GE(empty, sizeof(KeyEntry) + 2 * sizeof(StateSlot) + key_of(1).size());
  cache.set(entry, 1, std::string(10'000, 'x'));
  cache.set(entry, 0, "short");
  EXPECT_EQ(entry.states()[1].value, std::string(10'000, 'x'));
  EXPECT_EQ(entry.states()[0].value, "short");
  EXPECT_EQ(entry.states()[0].presence, StateSlot::Presence::kPresent);
  EXPECT_EQ(entry.key(), key_of(1));
  EXPECT_GE(cache.byte_size(), empty + 10'000);
  cache.set_absent(entry, 1);
  EXPECT_EQ(entry.states()[1].presence, StateSlot::Presence::kAbsent);
  EXPECT_EQ(cache.byte_size(), empty);
}

TEST(StateCacheTest, EvictionStopsWithinTheBound) {
  StateCache probe(1, kUnbounded);
  insert(probe, 1000);
  const size_t entry_bytes = probe.byte_size();

  StateCache cache(1, 100 * entry_bytes);
  for (uint64_t i = 1000; i < 1150; ++i) {
    insert(cache, i);
  }
  EXPECT_EQ(cache.size(), 150u);
  cache.evict();
  EXPECT_EQ(cache.size(), 100u);
  EXPECT_EQ(cache.byte_size(), 100 * entry_bytes);
  cache.evict();
  EXPECT_EQ(cache.size(), 100u);
}

TEST(StateCacheTest, EntriesOfOpenBatchesStayOverTheBound) {
  StateCache cache(1, 0);
  const BatchStamp first = cache.begin_batch();
  insert(cache, 1).batch_stamp = first;
  insert(cache, 2).batch_stamp = first;
  const BatchStamp second = cache.begin_batch();
  insert(cache, 2).batch_stamp = second;
  insert(cache, 3);
  cache.evict();
  EXPECT_EQ(cache.size(), 2u) << "no batch has the third";
  cache.end_batch(first);
  cache.evict();
  EXPECT_EQ(cache.size(), 1u);
  EXPECT_NE(find(cache, 2), nullptr);
  cache.end_batch(second);
  cache.evict();
  EXPECT_EQ(cache.size(), 0u);
  EXPECT_EQ(cache.byte_size(), 0u);
}

TEST(StateCacheTest, ALaterBatchMayEndFirst) {
  StateCache cache(1, 0);
  const BatchStamp first = cache.begin_batch();
  insert(cache, 1).batch_stamp = first;
  const BatchStamp second = cache.begin_batch();
  insert(cache, 2).batch_stamp = second;
  cache.end_batch(second);
  cache.evict();
  EXPECT_NE(find(cache, 1), nullptr);
  cache.end_batch(first);
  cache.evict();
  EXPECT_EQ(cache.size(), 0u);
}

TEST(StateCacheTest, UsedEntriesOutliveUnusedOnes) {
  StateCache probe(1, kUnbounded);
  insert(probe, 100'000);
  StateCache cache(1, 1000 * probe.byte_size());
  size_t found = 0;
  for (uint64_t i = 0; i < 20'000; ++i) {
    insert(cache, 100'000 + i);
    cache.evict();
    // Ten keys are in constant use, the others are seen once.
    found += find(cache, 100'000 + i % 10) != nullptr ? 1 : 0;
  }
  EXPECT_EQ(found, 20'000u);
}

// Against a model of what the open batches hold, under random use; the hashes collide often.
TEST(StateCacheTest, RandomUseKeepsEveryPromise) {
  constexpr size_t kBytesLimit = 40'000;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    StateCache cache(1, kBytesLimit);
    std::map<BatchStamp, std::map<uint64_t, KeyEntry*>> held;
    for (int step = 0; step < 500; ++step) {
      const BatchStamp stamp = cache.begin_batch();
      held[stamp];  // it may have no key
      for (uint64_t i = random() % 20; i > 0; --i) {
        const uint64_t number = random() % 400;
        KeyEntry& entry = cache.find_or_insert(KeyHash(number % 37), key_of(number));
        ASSERT_EQ(entry.key(), key_of(number));
        if (entry.states()[0].presence == StateSlot::Presence::kPresent) {
          ASSERT_EQ(entry.states()[0].value.substr(0, 3), std::to_string(number + 100));
        }
        cache.set(entry, 0, std::to_string(number + 100) + std::string(random() % 500, 'x'));
        entry.batch_stamp = stamp;
        held[stamp][number] = &entry;
      }
      while (held.size() > random() % 4) {
        const BatchStamp ended = std::next(held.begin(), random() % held.size())->first;
        held.erase(ended);
        cache.end_batch(ended);
      }
      cache.evict();
      for (const auto& [open, entries] : held) {
        for (const auto& [number, entry] : entries) {
          ASSERT_EQ(cache.find(KeyHash(number % 37), key_of(number)), entry);
        }
      }
    }
    for (const auto& [open, entries] : held) {
      cache.end_batch(open);
    }
    cache.evict();
    EXPECT_LE(cache.byte_size(), kBytesLimit);
    EXPECT_GT(cache.size(), 0u);
  }
}

}  // namespace
}  // namespace retinue::worker
