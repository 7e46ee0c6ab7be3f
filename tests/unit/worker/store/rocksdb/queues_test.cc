// Blocks of inboxes, read a few at a time, and dead letters.
#include <gmock/gmock.h>
#include <rocksdb/db.h>

#include <limits>

#include "tests/unit/worker/store/rocksdb/fixture.h"

namespace retinue::worker {
namespace {

using ::testing::ElementsAre;

std::vector<uint64_t> sequences(const Result<std::vector<StoredBlock>>& blocks) {
  EXPECT_TRUE(blocks.ok());
  std::vector<uint64_t> all;
  for (const StoredBlock& block : *blocks) {
    all.push_back(block.sequence.value());
  }
  return all;
}

TEST_F(RocksDbStoreTest, BlocksAreLoadedByRangeAndSize) {
  const auto store = open();
  const PartitionRef inbox = partition_ref(7, 1);
  EpochCommit commit;
  for (uint64_t sequence = 254; sequence <= 259; ++sequence) {
    commit.appends.push_back(
        {.inbox = inbox, .sequence = BlockSequence(sequence), .block = std::string(100, 'b')});
  }
  commit.appends.push_back(
      {.inbox = partition_ref(7, 2), .sequence = BlockSequence(1), .block = "other"});
  ASSERT_TRUE(commit_one(*store, commit).ok());
  const auto load = [&](uint64_t begin, uint64_t end, size_t bytes) {
    return sequences(store->load_blocks(inbox, BlockSequence(begin), BlockSequence(end), bytes));
  };
  constexpr size_t kAll = std::numeric_limits<size_t>::max();
  EXPECT_THAT(load(255, 258, kAll), ElementsAre(255, 256, 257));
  EXPECT_THAT(load(0, 1000, kAll), ElementsAre(254, 255, 256, 257, 258, 259));
  EXPECT_THAT(load(256, 1000, 0), ElementsAre(256)) << "one at least";
  EXPECT_THAT(load(256, 1000, 200), ElementsAre(256, 257));
  EXPECT_THAT(load(256, 1000, 201), ElementsAre(256, 257, 258));
  EXPECT_THAT(load(260, 1000, kAll), ElementsAre());
  EXPECT_THAT(load(256, 256, kAll), ElementsAre());
  EXPECT_EQ(store->last_block(inbox).value(), BlockSequence(259));
  EXPECT_EQ(store->last_block(partition_ref(7, 2)).value(), BlockSequence(1));
  EXPECT_EQ(store->last_block(partition_ref(7, 0)).value(), std::nullopt);
  EXPECT_EQ(store->last_block(partition_ref(8, 0)).value(), std::nullopt);
}

std::vector<std::string> dead_letters(const Store& store, uint32_t owner) {
  std::vector<std::string> all;
  EXPECT_TRUE(store
                  .scan_dead_letters(OwnerNumber(owner),
                                     [&](PartitionIndex partition, DeadLetterNumber number,
                                         std::string_view record) {
                                       all.push_back(std::to_string(partition.value()) + "/" +
                                                     std::to_string(number.value()) + " " +
                                                     std::string(record));
                                       return true;
                                     })
                  .ok());
  return all;
}

EpochCommit commit_of(PartitionRef partition) {
  EpochCommit commit;
  commit.partition = partition;
  return commit;
}

TEST_F(RocksDbStoreTest, DeadLettersComeAndGoWithTheirCommit) {
  auto store = open();
  EpochCommit commit = commit_of(partition_ref(2, 256));
  commit.dead_letters = {{DeadLetterNumber(300), "b"}, {DeadLetterNumber(7), "a"}};
  ASSERT_TRUE(commit_one(*store, commit).ok());
  commit = commit_of(partition_ref(2, 1));
  commit.dead_letters = {{DeadLetterNumber(8), "c"}};
  ASSERT_TRUE(commit_one(*store, commit).ok());
  commit = commit_of(partition_ref(3, 1));
  commit.dead_letters = {{DeadLetterNumber(8), "of another"}};
  ASSERT_TRUE(commit_one(*store, commit).ok());
  EXPECT_THAT(dead_letters(*store, 2), ElementsAre("1/8 c", "256/7 a", "256/300 b"));
  EXPECT_THAT(dead_letters(*open_reader(), 2), ElementsAre("1/8 c", "256/7 a", "256/300 b"));
  EXPECT_THAT(dead_letters(*store, 1), ElementsAre());

  commit = commit_of(partition_ref(2, 256));
  commit.settled_dead_letters = {DeadLetterNumber(7)};
  ASSERT_TRUE(commit_one(*store, commit).ok());
  store.reset();
  store = open();
  EXPECT_THAT(dead_letters(*store, 2), ElementsAre("1/8 c", "256/300 b"));
  EXPECT_THAT(dead_letters(*store, 3), ElementsAre("1/8 of another"));

  int visits = 0;
  ASSERT_TRUE(
      store->scan_dead_letters(OwnerNumber(2), [&](auto, auto, auto) { return ++visits, false; })
          .ok());
  EXPECT_EQ(visits, 1);
}

// As a release without dead letters left it.
void remove_dead_letters_family(const std::string& database) {
  std::vector<rocksdb::ColumnFamilyDescriptor> families;
  for (const char* const name : {"default", "states", "messages", "dead_letters"}) {
    families.emplace_back(name, rocksdb::ColumnFamilyOptions());
  }
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  rocksdb::DB* db = nullptr;
  ASSERT_TRUE(rocksdb::DB::Open(rocksdb::DBOptions(), database, families, &handles, &db).ok());
  ASSERT_TRUE(db->DropColumnFamily(handles[3]).ok());
  for (rocksdb::ColumnFamilyHandle* handle : handles) {
    ASSERT_TRUE(db->DestroyColumnFamilyHandle(handle).ok());
  }
  delete db;
}

TEST_F(RocksDbStoreTest, ADirectoryWithoutDeadLettersIsReadAndThenExtended) {
  ASSERT_TRUE(commit_one(*open(), chain_commit(1)).ok());
  remove_dead_letters_family((directory() / "db").string());
  EXPECT_THAT(dead_letters(*open_reader(), 1), ElementsAre());
  EXPECT_EQ(chain_length(*open_reader()), 1u);
  EpochCommit commit = commit_of(partition_ref(1, 0));
  commit.dead_letters = {{DeadLetterNumber(2), "a"}};
  commit.progress = "1";
  ASSERT_TRUE(commit_one(*open(), commit).ok());
  EXPECT_THAT(dead_letters(*open_reader(), 1), ElementsAre("0/2 a"));
}

TEST(EpochCommitTest, IsEmptyOnceCleared) {
  EpochCommit commit;
  commit.dead_letters = {{DeadLetterNumber(1), "a"}};
  commit.settled_dead_letters = {DeadLetterNumber(2)};
  commit.clear();
  EXPECT_TRUE(commit.dead_letters.empty());
  EXPECT_TRUE(commit.settled_dead_letters.empty());
}

}  // namespace
}  // namespace retinue::worker
