// What the tests of RocksDbStore share: a folder of their own and commits that are easy to check.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <string>

#include "tests/folder/folder.h"
#include "worker/store/rocksdb/rocksdb_store.h"

namespace retinue::worker {

inline PartitionRef partition_ref(uint32_t owner, uint32_t partition) {
  return {.owner = OwnerNumber(owner), .partition = PartitionIndex(partition)};
}

// The row key of a state whose key columns are `key`.
inline std::string row_key(uint32_t owner, uint64_t hash, std::string_view key, uint32_t state) {
  std::string hash_and_key;
  for (int shift = 56; shift >= 0; shift -= 8) {
    hash_and_key.push_back(static_cast<char>(hash >> shift));
  }
  std::string row;
  append_state_row_key(row, OwnerNumber(owner), hash_and_key.append(key), StateNumber(state));
  return row;
}

inline void set_state(EpochCommit& commit, std::string_view row, std::string_view value) {
  commit.states.begin_key() += row;
  commit.states.set(value);
}

inline void clear_state(EpochCommit& commit, std::string_view row) {
  commit.states.begin_key() += row;
  commit.states.clear_row();
}

// --- a chain of commits: what survives of it must be a prefix
inline constexpr uint32_t kChainOwner = 1;

inline std::string chain_key(uint64_t epoch) {
  return row_key(kChainOwner, epoch, "", 1);
}
inline std::string latest_key() {
  return row_key(kChainOwner, 0, "latest", 1);
}

// Sets a state of its own and one in common, and passes a block through the inbox.
inline EpochCommit chain_commit(uint64_t epoch) {
  EpochCommit commit;
  commit.partition = partition_ref(kChainOwner, 0);
  commit.state_owner = OwnerNumber(kChainOwner);
  commit.epoch = Epoch(epoch);
  set_state(commit, chain_key(epoch), std::string(200, 'v'));
  set_state(commit, latest_key(), std::to_string(epoch));
  commit.appends.push_back({.inbox = commit.partition,
                            .sequence = BlockSequence(epoch),
                            .block = "block " + std::to_string(epoch)});
  commit.consumed_begin = BlockSequence(epoch - 1);
  commit.consumed_end = BlockSequence(epoch);
  commit.progress = std::to_string(epoch);
  return commit;
}

inline Result<void> commit_one(Store& store, const EpochCommit& commit, bool sync = false) {
  const EpochCommit* const commits[] = {&commit};
  return store.commit(commits, sync);
}

inline void commit_chain(Store& store, uint64_t first, uint64_t last) {
  for (uint64_t epoch = first; epoch <= last; ++epoch) {
    const Result<void> committed = commit_one(store, chain_commit(epoch));
    ASSERT_TRUE(committed.ok()) << committed.error().to_string();
  }
}

// Checks that exactly the commits 1 to n are there, and returns n.
inline uint64_t chain_length(const Store& store) {
  const auto progress = store.load_progress(partition_ref(kChainOwner, 0));
  EXPECT_TRUE(progress.ok());
  const uint64_t length = *progress ? std::stoull(**progress) : 0;
  std::vector<std::string> keys = {latest_key()};
  for (uint64_t epoch = 1; epoch <= length + 3; ++epoch) {
    keys.push_back(chain_key(epoch));
  }
  std::vector<std::optional<std::string>> values;
  const std::vector<std::string_view> views(keys.begin(), keys.end());
  EXPECT_TRUE(store.load_states(views, values).ok());
  EXPECT_EQ(values[0].value_or("0"), std::to_string(length));
  for (uint64_t epoch = 1; epoch <= length + 3; ++epoch) {
    EXPECT_EQ(values[epoch].has_value(), epoch <= length) << epoch << " of " << length;
  }
  const auto inbox = store.load_inbox(partition_ref(kChainOwner, 0));
  EXPECT_TRUE(inbox.ok());
  EXPECT_EQ(inbox->size(), length > 0 ? 1u : 0u);
  for (const StoredBlock& block : *inbox) {
    EXPECT_EQ(block.sequence.value(), length);
    EXPECT_EQ(block.block, "block " + std::to_string(length));
  }
  return length;
}

class RocksDbStoreTest : public ::testing::Test {
 protected:
  std::filesystem::path directory() const { return temporary_.path() / "data"; }

  static Result<std::unique_ptr<RocksDbStore>> try_open(const std::filesystem::path& path,
                                                        bool read_only = false,
                                                        bool unsynced_log = false) {
    return RocksDbStore::open(
        {.directory = path.string(), .read_only = read_only, .unsynced_log = unsynced_log});
  }
  static std::unique_ptr<RocksDbStore> open(const std::filesystem::path& path,
                                            bool read_only = false) {
    auto store = try_open(path, read_only);
    if (!store) {
      ADD_FAILURE() << store.error().to_string();
      std::abort();
    }
    return std::move(store).value();
  }
  std::unique_ptr<RocksDbStore> open() const { return open(directory()); }
  std::unique_ptr<RocksDbStore> open_reader() const { return open(directory(), true); }

  testing::Folder temporary_;
};

}  // namespace retinue::worker
