// What the store and the state cache cost. Every comparison measures two ways of doing one thing in
// turns, in one run, and counts the thread's processor time, so that its ratio holds on a busy
// machine too; its times are ns a row.
#include <benchmark/benchmark.h>
#include <time.h>

#include <algorithm>
#include <random>
#include <string>
#include <unordered_map>

#include "protocol/base/check.h"
#include "protocol/values/key_codec.h"
#include "tests/folder/folder.h"
#include "worker/state/state_cache.h"
#include "worker/store/rocksdb/rocksdb_store.h"

namespace retinue::worker {
namespace {

constexpr size_t kBatchRows = 1000;
constexpr size_t kPrefetchRows = 20;  // divides a batch

class TemporaryStore {
 public:
  TemporaryStore() { reopen(); }

  // Brings everything from the log into table files.
  void reopen() {
    store_.reset();
    auto opened = RocksDbStore::open({.directory = folder_.path("data")});
    RETINUE_CHECK(opened.ok());
    store_ = std::move(opened).value();
  }
  Store& get() { return *store_; }

 private:
  const testing::Folder folder_;
  std::unique_ptr<RocksDbStore> store_;
};

// Hash and columns of the numbered key; the hashes are spread.
std::string hash_and_key(uint64_t number) {
  std::string key;
  append_big_endian(key, number * 0x9e3779b97f4a7c15);
  append_key_uint64(key, number);
  return key;
}

std::string row_key(uint64_t number) {
  std::string key;
  append_state_row_key(key, OwnerNumber(1), hash_and_key(number), StateNumber(1));
  return key;
}

EpochCommit make_commit(std::mt19937_64& random, uint64_t keys) {
  static const std::string value(100, 'v');
  EpochCommit commit;
  commit.progress = "progress";
  for (size_t i = 0; i < kBatchRows; ++i) {
    commit.states.begin_key() += row_key(random() % keys);
    commit.states.set_with_prefix('\1', value);
  }
  return commit;
}

void commit_or_abort(Store& store, const EpochCommit& commit, bool sync = false) {
  const EpochCommit* const commits[] = {&commit};
  RETINUE_CHECK(store.commit(commits, sync).ok());
}

// Adds up the time of two ways; `ratio` is that of the first over that of the second.
class Comparison {
 public:
  // CLOCK_MONOTONIC where waiting counts.
  explicit Comparison(clockid_t clock = CLOCK_THREAD_CPUTIME_ID) : clock_(clock) {}

  template <typename Work>
  void first(Work&& work) {
    first_ns_ += time(work);
  }
  template <typename Work>
  void second(Work&& work) {
    second_ns_ += time(work);
  }
  void report(benchmark::State& state, const char* first, const char* second, size_t rows) const {
    const double count = static_cast<double>(state.iterations()) * static_cast<double>(rows);
    state.counters[std::string(first) + "_ns"] = first_ns_ / count;
    state.counters[std::string(second) + "_ns"] = second_ns_ / count;
    state.counters["ratio"] = first_ns_ / second_ns_;
  }

 private:
  template <typename Work>
  double time(Work&& work) {
    const double begin = now_ns();
    work();
    return now_ns() - begin;
  }
  double now_ns() const {
    timespec now{};
    ::clock_gettime(clock_, &now);
    return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
  }

  const clockid_t clock_;
  double first_ns_ = 0;
  double second_ns_ = 0;
};

// Sorting is part of the sorted way's time.
void commit_unsorted_or_sorted(benchmark::State& state) {
  std::mt19937_64 random(1);
  TemporaryStore unsorted;
  TemporaryStore sorted;
  Comparison comparison;
  const auto keys = static_cast<uint64_t>(state.range(0));
  for (auto _ : state) {
    const EpochCommit plain = make_commit(random, keys);
    EpochCommit ordered = plain;
    comparison.first([&] { commit_or_abort(unsorted.get(), plain); });
    comparison.second([&] {
      ordered.states.sort();
      commit_or_abort(sorted.get(), ordered);
    });
  }
  comparison.report(state, "unsorted", "sorted", kBatchRows);
}
BENCHMARK(commit_unsorted_or_sorted)->Arg(100'000)->Arg(1'000'000)->Iterations(300);

void commit_synced_or_not(benchmark::State& state) {
  std::mt19937_64 random(1);
  TemporaryStore synced;
  TemporaryStore unsynced;
  Comparison comparison(CLOCK_MONOTONIC);
  for (auto _ : state) {
    EpochCommit commit = make_commit(random, 100'000);
    commit.states.sort();
    comparison.first([&] { commit_or_abort(synced.get(), commit, true); });
    comparison.second([&] { commit_or_abort(unsynced.get(), commit, false); });
  }
  comparison.report(state, "synced", "unsynced", kBatchRows);
}
BENCHMARK(commit_synced_or_not)->Iterations(100);

void sort_changes(benchmark::State& state) {
  std::mt19937_64 random(1);
  const EpochCommit commit = make_commit(random, 1'000'000);
  for (auto _ : state) {
    state.PauseTiming();
    StateChanges changes = commit.states;
    state.ResumeTiming();
    changes.sort();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(kBatchRows));
}
BENCHMARK(sort_changes);

// A batch's inbox block comes and goes within a few epochs.
void pass_inbox_blocks(benchmark::State& state) {
  TemporaryStore store;
  const std::string block(100'000, 'b');
  uint64_t sequence = 0;
  for (auto _ : state) {
    EpochCommit commit;
    ++sequence;
    commit.appends.push_back({.inbox = {}, .sequence = BlockSequence(sequence), .block = block});
    commit.consumed_begin = BlockSequence(sequence > 4 ? sequence - 4 : 0);
    commit.consumed_end = commit.consumed_begin.next();
    commit_or_abort(store.get(), commit);
  }
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(block.size()));
}
BENCHMARK(pass_inbox_blocks)->Iterations(3000);

void load_present_or_absent(benchmark::State& state) {
  constexpr uint64_t kKeys = 200'000;
  std::mt19937_64 random(1);
  TemporaryStore store;
  for (uint64_t begin = 0; begin < kKeys; begin += kBatchRows) {
    EpochCommit commit;
    for (uint64_t number = begin; number < begin + kBatchRows; ++number) {
      commit.states.begin_key() += row_key(number);
      commit.states.set_with_prefix('\1', std::string(100, 'v'));
    }
    commit_or_abort(store.get(), commit);
  }
  if (state.range(0) != 0) {
    store.reopen();
  }
  Comparison comparison;
  std::vector<std::optional<std::string>> values;
  for (auto _ : state) {
    std::vector<std::string> keys[2];
    std::vector<std::string_view> views[2];
    for (const int absent : {0, 1}) {
      for (size_t i = 0; i < kBatchRows; ++i) {
        keys[absent].push_back(row_key(random() % kKeys + (absent != 0 ? kKeys : 0)));
      }
      views[absent].assign(keys[absent].begin(), keys[absent].end());
    }
    comparison.first([&] { RETINUE_CHECK(store.get().load_states(views[0], values).ok()); });
    RETINUE_CHECK(values[0].has_value());
    comparison.second([&] { RETINUE_CHECK(store.get().load_states(views[1], values).ok()); });
    RETINUE_CHECK(!values[0].has_value());
  }
  comparison.report(state, "present", "absent", kBatchRows);
}
BENCHMARK(load_present_or_absent)->ArgName("reopened")->Arg(0)->Arg(1)->Iterations(100);

// Prefetching as a batch's assembly does, against a plain hash map from key to index.
void find_in_cache_or_map(benchmark::State& state) {
  const auto keys = static_cast<uint64_t>(state.range(0));
  StateCache cache(1, ~size_t{0});
  std::unordered_map<std::string_view, uint64_t> map;
  std::vector<std::string> names;
  for (uint64_t number = 0; number < keys; ++number) {
    names.push_back(hash_and_key(number));
  }
  for (uint64_t number = 0; number < keys; ++number) {
    cache.find_or_insert(KeyHash(read_big_endian64(names[number].data())), names[number]);
    map[names[number]] = number;
  }
  std::mt19937_64 random(1);
  Comparison comparison;
  uint64_t sum = 0;
  for (auto _ : state) {
    std::string batch[kBatchRows];
    for (std::string& name : batch) {
      name = names[random() % keys];
    }
    comparison.first([&] {
      for (size_t begin = 0; begin < kBatchRows; begin += kPrefetchRows) {
        KeyHash hashes[kPrefetchRows];
        for (size_t i = 0; i < kPrefetchRows; ++i) {
          hashes[i] = KeyHash(read_big_endian64(batch[begin + i].data()));
        }
        cache.prefetch(hashes);
        for (size_t i = 0; i < kPrefetchRows; ++i) {
          sum += cache.find_or_insert(hashes[i], batch[begin + i]).batch_index.value();
        }
      }
    });
    comparison.second([&] {
      for (const std::string& name : batch) {
        sum += map.find(name)->second;
      }
    });
  }
  benchmark::DoNotOptimize(sum);
  comparison.report(state, "cache", "map", kBatchRows);
}
BENCHMARK(find_in_cache_or_map)->Arg(1000)->Arg(100'000)->Arg(1'000'000);

// Every key is new, and one leaves for each that comes.
void insert_and_evict(benchmark::State& state) {
  StateCache cache(1, size_t{32} << 20);
  const std::string value(100, 'v');
  uint64_t number = 0;
  for (auto _ : state) {
    const std::string name = hash_and_key(++number);
    KeyEntry& entry = cache.find_or_insert(KeyHash(read_big_endian64(name.data())), name);
    cache.set(entry, 0, value);
    cache.evict();
  }
  state.counters["entries"] = static_cast<double>(cache.size());
}
BENCHMARK(insert_and_evict);

}  // namespace
}  // namespace retinue::worker
