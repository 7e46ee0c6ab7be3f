#include "worker/store/state_changes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "worker/store/store.h"

namespace retinue::worker {
namespace {

TEST(StateChangesTest, KeepsSetsAndClearsInOrder) {
  StateChanges changes;
  changes.begin_key() += "b";
  changes.set("value");
  changes.begin_key() += "a";
  changes.clear_row();
  changes.begin_key() += "c";
  changes.set_with_prefix('\1', "");

  ASSERT_EQ(changes.size(), 3u);
  EXPECT_EQ(changes.row(0).key, "b");
  EXPECT_EQ(changes.row(0).value, "value");
  EXPECT_FALSE(changes.row(0).cleared);
  EXPECT_EQ(changes.row(1).key, "a");
  EXPECT_EQ(changes.row(1).value, "");
  EXPECT_TRUE(changes.row(1).cleared);
  EXPECT_EQ(changes.row(2).key, "c");
  EXPECT_EQ(changes.row(2).value, "\1");
  EXPECT_EQ(changes.byte_size(), 9u);
}

TEST(StateChangesTest, ClearLeavesNothing) {
  StateChanges changes;
  changes.begin_key() += "key";
  changes.set("value");
  changes.clear();
  EXPECT_TRUE(changes.empty());
  EXPECT_EQ(changes.byte_size(), 0u);
  changes.begin_key() += "other";
  changes.set("1");
  EXPECT_EQ(changes.row(0).key, "other");
}

TEST(StateChangesTest, SortsByBytesWithPrefixesFirst) {
  StateChanges changes;
  for (const std::string_view key : {"b", "\xff", "ab", "a", ""}) {
    changes.begin_key() += key;
    changes.set(key);
  }
  changes.sort();
  std::vector<std::string_view> keys;
  for (size_t i = 0; i < changes.size(); ++i) {
    keys.push_back(changes.row(i).key);
    EXPECT_EQ(changes.row(i).value, keys.back());
  }
  EXPECT_EQ(keys, (std::vector<std::string_view>{"", "a", "ab", "b", "\xff"}));
}

TEST(StateChangesTest, SortsRowKeysAsTheStoreOrdersThem) {
  std::mt19937_64 random(7);
  StateChanges changes;
  std::vector<std::string> expected;
  for (int i = 0; i < 500; ++i) {
    std::string hash_and_key;
    for (int byte = 0; byte < 8; ++byte) {
      hash_and_key.push_back(static_cast<char>(random() % 3));
    }
    hash_and_key += std::to_string(i);
    std::string& key = changes.begin_key();
    const size_t begin = key.size();
    append_state_row_key(key, OwnerNumber(static_cast<uint32_t>(random() % 2)), hash_and_key,
                         StateNumber(static_cast<uint32_t>(random() % 3)));
    expected.push_back(key.substr(begin));
    changes.set("x");
  }
  std::sort(expected.begin(), expected.end());
  changes.sort();
  for (size_t i = 0; i < changes.size(); ++i) {
    EXPECT_EQ(changes.row(i).key, expected[i]);
  }
}

TEST(StoreTest, StateRowKeyIsOwnerHashColumnsState) {
  std::string key = "before";
  append_state_row_key(key, OwnerNumber(0x01020304), "hashhashcolumns", StateNumber(5));
  EXPECT_EQ(key, std::string("before\1\2\3\4hashhashcolumns\0\0\0\5", 29));
}

TEST(StoreTest, ClearedCommitIsAsNew) {
  EpochCommit commit;
  commit.partition = {.owner = OwnerNumber(1), .partition = PartitionIndex(2)};
  commit.epoch = Epoch(3);
  commit.state_owner = OwnerNumber(1);
  commit.states.begin_key() += "k";
  commit.states.set("v");
  commit.appends.push_back({});
  commit.consumed_begin = BlockSequence(1);
  commit.consumed_end = BlockSequence(2);
  commit.progress = "p";
  commit.clear();
  EXPECT_EQ(commit.partition, PartitionRef{});
  EXPECT_EQ(commit.epoch, Epoch{});
  EXPECT_EQ(commit.state_owner, OwnerNumber{});
  EXPECT_TRUE(commit.states.empty());
  EXPECT_TRUE(commit.appends.empty());
  EXPECT_EQ(commit.consumed_begin, BlockSequence{});
  EXPECT_EQ(commit.consumed_end, BlockSequence{});
  EXPECT_TRUE(commit.progress.empty());
}

}  // namespace
}  // namespace retinue::worker
