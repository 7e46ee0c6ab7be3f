#include "tests/bench/end_to_end/rocksdb_alone.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "protocol/values/farm_hash.h"
#include "protocol/values/key_codec.h"
#include "worker/state/state_value.h"
#include "worker/store/rocksdb/rocksdb_store.h"

namespace retinue::bench {
namespace {

using namespace retinue::worker;

constexpr uint64_t kBatch = 1000;

void must(const Result<void>& result) {
  if (!result) {
    throw std::runtime_error(result.error().to_string());
  }
}

std::string row_key(uint64_t key) {
  std::string hash_and_key;
  FarmHasher hasher;
  hasher.add_uint64(key);
  append_big_endian(hash_and_key, hasher.finish().value());
  append_key_uint64(hash_and_key, key);
  std::string row;
  append_state_row_key(row, OwnerNumber(1), hash_and_key, StateNumber(1));
  return row;
}

}  // namespace

Measurement run_rocksdb_alone(const InputOptions& options, const std::filesystem::path& data_dir) {
  auto store = RocksDbStore::open({.directory = data_dir.string()});
  if (!store) {
    throw std::runtime_error(store.error().to_string());
  }
  std::mt19937_64 random(1);
  EpochCommit commit;
  std::vector<std::optional<std::string>> values;
  const std::string value(16, 'v');
  const auto begin = std::chrono::steady_clock::now();
  for (uint64_t done = 0; done < options.messages; done += kBatch) {
    std::vector<std::string> rows;
    for (uint64_t i = 0; i < kBatch; ++i) {
      rows.push_back(row_key(random() % options.keys));
    }
    std::ranges::sort(rows);
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    std::vector<std::string_view> keys(rows.begin(), rows.end());
    must((*store)->load_states(keys, values));
    commit.clear();
    commit.partition = {OwnerNumber(1), PartitionIndex(0)};
    commit.state_owner = OwnerNumber(1);
    for (const std::string& row : rows) {
      commit.states.begin_key().append(row);
      commit.states.set_with_prefix(kStoredPlain, value);
    }
    const EpochCommit* const one[] = {&commit};
    must((*store)->commit(one, /*sync=*/true));
  }
  return Measurement{
      .name = "RocksDB alone",
      .messages = options.messages,
      .seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count()};
}

}  // namespace retinue::bench
