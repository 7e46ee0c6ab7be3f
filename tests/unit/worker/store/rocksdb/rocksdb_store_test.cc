#include "worker/store/rocksdb/rocksdb_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <random>
#include <thread>

#include "tests/unit/worker/store/rocksdb/fixture.h"

namespace retinue::worker {
namespace {

using ::testing::ElementsAre;
using ::testing::Optional;

std::vector<std::optional<std::string>> load(const Store& store,
                                             const std::vector<std::string>& keys) {
  std::vector<std::optional<std::string>> values = {"left from before"};
  const std::vector<std::string_view> views(keys.begin(), keys.end());
  EXPECT_TRUE(store.load_states(views, values).ok());
  return values;
}

// Rows as "hash/key/state=value".
std::vector<std::string> scan(const Store& store, uint32_t owner, std::string_view from = {},
                              size_t limit = 1000) {
  std::vector<std::string> rows;
  const auto visit = [&](const StateRow& row) {
    rows.push_back(std::to_string(row.hash.value()) + "/" + std::string(row.key) + "/" +
                   std::to_string(row.state.value()) + "=" + std::string(row.value));
    return rows.size() < limit;
  };
  EXPECT_TRUE(store.scan_states(OwnerNumber(owner), from, visit).ok());
  return rows;
}

std::vector<uint64_t> inbox_sequences(const Store& store, PartitionRef inbox) {
  std::vector<uint64_t> sequences;
  const auto blocks = store.load_inbox(inbox);
  EXPECT_TRUE(blocks.ok());
  for (const StoredBlock& block : *blocks) {
    sequences.push_back(block.sequence.value());
  }
  return sequences;
}

TEST_F(RocksDbStoreTest, StatesReadBackAlsoAfterReopening) {
  auto store = open();
  EpochCommit commit;
  set_state(commit, row_key(1, 5, "a", 1), "one");
  set_state(commit, row_key(1, 5, "a", 2), "");
  set_state(commit, row_key(1, 6, "b", 1), std::string(100'000, 'x'));
  ASSERT_TRUE(commit_one(*store, commit).ok());
  const std::vector<std::string> keys = {row_key(1, 6, "b", 1), row_key(1, 5, "c", 1),
                                         row_key(1, 5, "a", 1), row_key(1, 5, "a", 2),
                                         row_key(1, 5, "a", 1)};
  for (int round = 0; round < 2; ++round) {
    EXPECT_THAT(load(*store, keys),
                ElementsAre(std::string(100'000, 'x'), std::nullopt, "one", "", "one"));
    EXPECT_THAT(load(*store, {}), ElementsAre());
    store.reset();
    store = open();
  }
}

TEST_F(RocksDbStoreTest, AClearedStateIsAbsent) {
  auto store = open();
  EpochCommit commit;
  set_state(commit, row_key(1, 1, "k", 1), "one");
  set_state(commit, row_key(1, 1, "k", 2), "two");
  ASSERT_TRUE(commit_one(*store, commit).ok());
  commit.clear();
  clear_state(commit, row_key(1, 1, "k", 1));
  clear_state(commit, row_key(1, 1, "never there", 1));
  ASSERT_TRUE(commit_one(*store, commit).ok());
  EXPECT_THAT(load(*store, {row_key(1, 1, "k", 1), row_key(1, 1, "k", 2)}),
              ElementsAre(std::nullopt, "two"));
  EXPECT_THAT(scan(*store, 1), ElementsAre("1/k/2=two"));
}

TEST_F(RocksDbStoreTest, LaterCommitsOfAGroupWin) {
  auto store = open();
  EpochCommit first;
  set_state(first, row_key(1, 1, "k", 1), "first");
  first.progress = "1";
  first.appends.push_back({.inbox = {}, .sequence = BlockSequence(1), .block = "x"});
  EpochCommit second;
  set_state(second, row_key(1, 1, "k", 1), "second");
  second.progress = "2";
  second.consumed_begin = BlockSequence(1);
  second.consumed_end = BlockSequence(2);
  const EpochCommit* const commits[] = {&first, &second};
  ASSERT_TRUE(store->commit(commits, true).ok());
  EXPECT_THAT(load(*store, {row_key(1, 1, "k", 1)}), ElementsAre("second"));
  EXPECT_THAT(*store->load_progress({}), Optional(std::string("2")));
  EXPECT_THAT(inbox_sequences(*store, {}), ElementsAre());
  EXPECT_TRUE(store->commit({}, true).ok());
}

TEST_F(RocksDbStoreTest, ScansOneOwnerInOrderOfHashes) {
  constexpr uint32_t kLastOwner = std::numeric_limits<uint32_t>::max();
  constexpr uint64_t kLastHash = std::numeric_limits<uint64_t>::max();
  auto store = open();
  EpochCommit commit;
  set_state(commit, row_key(2, 256, "b", 1), "v1");
  set_state(commit, row_key(2, 256, "a", 2), "v2");
  set_state(commit, row_key(2, 256, "a", 1), "v3");
  set_state(commit, row_key(2, 1, "", 1), "v4");
  set_state(commit, row_key(2, kLastHash, "z", 1), "v5");
  set_state(commit, row_key(1, kLastHash, "z", 1), "before");
  set_state(commit, row_key(3, 0, "", 0), "behind");
  set_state(commit, row_key(kLastOwner, kLastHash, "z", kLastOwner), "last");
  ASSERT_TRUE(commit_one(*store, commit).ok());

  EXPECT_THAT(scan(*store, 2), ElementsAre("1//1=v4", "256/a/1=v3", "256/a/2=v2", "256/b/1=v1",
                                           "18446744073709551615/z/1=v5"));
  EXPECT_THAT(scan(*store, 2, row_key(2, 256, "a", 2), 2), ElementsAre("256/a/2=v2", "256/b/1=v1"));
  EXPECT_THAT(scan(*store, 2, row_key(2, 257, "", 0).substr(0, 12)),
              ElementsAre("18446744073709551615/z/1=v5"));
  EXPECT_EQ(scan(*store, 2, row_key(1, 0, "", 0)).size(), 5u) << "from before the owner";
  EXPECT_THAT(scan(*store, 2, row_key(3, 0, "", 0)), ElementsAre()) << "from behind the owner";
  EXPECT_THAT(scan(*store, 4), ElementsAre());
  EXPECT_EQ(scan(*store, kLastOwner).size(), 1u);
}

TEST_F(RocksDbStoreTest, NamesHaveOneNumberForEver) {
  auto store = open();
  EXPECT_EQ(*store->find_name(NameKind::kComputation, "count"), std::nullopt);
  const uint32_t count = *store->intern(NameKind::kComputation, "count");
  const uint32_t sink = *store->intern(NameKind::kSink, "count");
  const uint32_t empty = *store->intern(NameKind::kState, "");
  EXPECT_GT(count, 0u);
  EXPECT_NE(count, sink);
  EXPECT_NE(empty, sink);
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(*store->intern(NameKind::kComputation, "count"), count);
    EXPECT_EQ(*store->find_name(NameKind::kComputation, "count"), count);
    EXPECT_EQ(*store->find_name(NameKind::kSink, "count"), sink);
    EXPECT_EQ(*store->find_name(NameKind::kState, "count"), std::nullopt);
    EXPECT_EQ(*store->find_name(NameKind::kState, ""), empty);
    store.reset();
    store = open();
  }
  const uint32_t later = *store->intern(NameKind::kState, "later");
  EXPECT_GT(later, std::max({count, sink, empty}));
}

TEST_F(RocksDbStoreTest, NamesGivenOutByManyThreadsDiffer) {
  auto store = open();
  std::vector<uint32_t> numbers(40);
  std::vector<std::thread> threads;
  for (size_t thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      for (size_t i = thread; i < numbers.size(); i += 4) {
        numbers[i] = *store->intern(NameKind::kState, std::to_string(i / 2));
      }
    });
  }
  for (auto& thread : threads) {
    thread.join();
  }
  for (size_t i = 0; i < numbers.size(); i += 2) {
    EXPECT_EQ(numbers[i], numbers[i + 1]);
  }
  std::sort(numbers.begin(), numbers.end());
  EXPECT_EQ(std::unique(numbers.begin(), numbers.end()) - numbers.begin(), 20);
}

TEST_F(RocksDbStoreTest, RecordsAndProgressAreReplaced) {
  auto store = open();
  const PartitionRef partition = partition_ref(1, 2);
  EXPECT_EQ(*store->load_record("dynamic_spec"), std::nullopt);
  EXPECT_EQ(*store->load_progress(partition), std::nullopt);
  for (const std::string value : {"first", "", "third"}) {
    ASSERT_TRUE(store->save_record("dynamic_spec", value).ok());
    EpochCommit commit;
    commit.partition = partition;
    commit.progress = value;
    ASSERT_TRUE(commit_one(*store, commit).ok());
    store.reset();
    store = open();
    EXPECT_THAT(*store->load_record("dynamic_spec"), Optional(value));
    EXPECT_THAT(*store->load_progress(partition), Optional(value));
  }
  EXPECT_EQ(*store->load_record("dynamic"), std::nullopt);
  EXPECT_EQ(*store->load_progress(partition_ref(2, 1)), std::nullopt);
}

TEST_F(RocksDbStoreTest, AnInboxIsAQueue) {
  auto store = open();
  const PartitionRef inbox = partition_ref(7, 1);
  EpochCommit append;
  for (const uint64_t sequence : {1, 2, 3, 255, 256, 257}) {
    append.appends.push_back({.inbox = inbox,
                              .sequence = BlockSequence(sequence),
                              .block = "block " + std::to_string(sequence)});
  }
  append.appends.push_back(
      {.inbox = partition_ref(7, 2), .sequence = BlockSequence(1), .block = "other partition"});
  append.appends.push_back(
      {.inbox = partition_ref(6, 1), .sequence = BlockSequence(1), .block = "other owner"});
  ASSERT_TRUE(commit_one(*store, append).ok());
  EXPECT_THAT(inbox_sequences(*store, inbox), ElementsAre(1, 2, 3, 255, 256, 257));

  EpochCommit consume;
  consume.partition = inbox;
  consume.consumed_begin = BlockSequence(1);
  consume.consumed_end = BlockSequence(3);
  ASSERT_TRUE(commit_one(*store, consume).ok());
  for (int round = 0; round < 2; ++round) {
    EXPECT_THAT(inbox_sequences(*store, inbox), ElementsAre(3, 255, 256, 257));
    EXPECT_EQ(store->load_inbox(inbox)->front().block, "block 3");
    EXPECT_THAT(inbox_sequences(*store, partition_ref(7, 2)), ElementsAre(1));
    EXPECT_THAT(inbox_sequences(*store, partition_ref(6, 1)), ElementsAre(1));
    EXPECT_THAT(inbox_sequences(*store, partition_ref(7, 3)), ElementsAre());
    store.reset();
    store = open();
  }
}

// Random commits and reopenings against a map; large values, so that memtables reach files.
TEST_F(RocksDbStoreTest, RandomCommitsMatchAModel) {
  std::mt19937_64 random(11);
  std::map<std::string, std::string> model;
  auto store = open();
  for (int round = 0; round < 150; ++round) {
    EpochCommit commit;
    std::map<std::string, std::optional<std::string>> changes;
    for (int i = 0; i < 50; ++i) {
      const std::string key = row_key(1, random() % 300, "k", random() % 2);
      if (random() % 3 == 0) {
        changes[key] = std::nullopt;
      } else {
        changes[key] = std::string(random() % 5000, static_cast<char>('a' + random() % 26));
      }
    }
    for (const auto& [key, value] : changes) {
      if (value) {
        set_state(commit, key, *value);
        model[key] = *value;
      } else {
        clear_state(commit, key);
        model.erase(key);
      }
    }
    ASSERT_TRUE(commit_one(*store, commit, random() % 10 == 0).ok());
    if (random() % 30 == 0) {
      store.reset();
      store = open();
    }
  }
  std::map<std::string, std::string> stored;
  ASSERT_TRUE(store
                  ->scan_states(OwnerNumber(1), {},
                                [&](const StateRow& row) {
                                  stored[row_key(1, row.hash.value(), row.key, row.state.value())] =
                                      row.value;
                                  return true;
                                })
                  .ok());
  EXPECT_EQ(stored, model);
}

TEST_F(RocksDbStoreTest, SyncSucceeds) {
  auto store = open();
  EXPECT_TRUE(store->sync().ok());
  commit_chain(*store, 1, 3);
  EXPECT_TRUE(store->sync().ok());
}

// --- reading while another process, or nobody, writes

TEST_F(RocksDbStoreTest, AReaderSeesWhatWasCommittedBeforeItOpened) {
  auto writer = open();
  const uint32_t number = *writer->intern(NameKind::kComputation, "count");
  commit_chain(*writer, 1, 100);
  auto reader = open_reader();
  EXPECT_EQ(chain_length(*reader), 100u);
  EXPECT_EQ(*reader->find_name(NameKind::kComputation, "count"), number);
  EXPECT_EQ(*reader->intern(NameKind::kComputation, "count"), number);
  commit_chain(*writer, 101, 120);
  EXPECT_EQ(chain_length(*reader), 100u);
  EXPECT_EQ(chain_length(*open_reader()), 120u);
  writer.reset();
  EXPECT_EQ(chain_length(*open_reader()), 120u);
  EXPECT_EQ(chain_length(*reader), 100u);
}

TEST_F(RocksDbStoreTest, AReaderRefusesToWrite) {
  open();
  auto reader = open_reader();
  EXPECT_EQ(commit_one(*reader, chain_commit(1)).error().code, ErrorCode::kNotSupported);
  EXPECT_EQ(reader->intern(NameKind::kSink, "new").error().code, ErrorCode::kNotSupported);
  EXPECT_EQ(reader->save_record("r", "v").error().code, ErrorCode::kNotSupported);
  EXPECT_EQ(reader->sync().error().code, ErrorCode::kNotSupported);
}

std::map<std::string, std::string> files_below(const std::filesystem::path& path) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) {
    files[entry.path().string()] = entry.is_regular_file() ? testing::read_file(entry.path()) : "";
  }
  return files;
}

TEST_F(RocksDbStoreTest, AReaderLeavesNoTrace) {
  auto writer = open();
  commit_chain(*writer, 1, 10);
  const auto before = files_below(temporary_.path());
  open_reader();
  EXPECT_EQ(files_below(temporary_.path()), before);
  writer.reset();
  const auto closed = files_below(temporary_.path());
  open_reader();
  EXPECT_EQ(files_below(temporary_.path()), closed);
}

TEST_F(RocksDbStoreTest, AReaderOfNothingCreatesNothing) {
  for (const auto& path : {temporary_.path() / "missing", temporary_.path()}) {
    const auto reader = try_open(path, true);
    ASSERT_FALSE(reader.ok());
    EXPECT_EQ(reader.error().code, ErrorCode::kNotFound);
    EXPECT_THAT(reader.error().message, ::testing::HasSubstr(path.string()));
  }
  EXPECT_TRUE(std::filesystem::is_empty(temporary_.path()));
}

// The writer replaces log and table files all the time; the reader must open between, and read on.
TEST_F(RocksDbStoreTest, ReadersOpenWhileTheWriterReplacesFiles) {
  auto writer = open();
  std::vector<std::unique_ptr<RocksDbStore>> readers;
  const std::string value(1 << 20, 'v');
  for (uint64_t epoch = 1; epoch <= 150; ++epoch) {
    EpochCommit commit = chain_commit(epoch);
    set_state(commit, row_key(2, epoch % 50, "large", 1), value);
    ASSERT_TRUE(commit_one(*writer, commit).ok());
    if (epoch % 50 == 0) {
      readers.push_back(open_reader());
    }
  }
  for (size_t i = 0; i < readers.size(); ++i) {
    EXPECT_EQ(chain_length(*readers[i]), (i + 1) * 50);
    EXPECT_EQ(scan(*readers[i], 2).size(), 50u);
  }
}

}  // namespace
}  // namespace retinue::worker
