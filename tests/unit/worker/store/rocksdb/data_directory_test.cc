#include "worker/store/rocksdb/data_directory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/worker/store/rocksdb/fixture.h"

namespace retinue::worker {
namespace {

using ::testing::HasSubstr;

TEST_F(RocksDbStoreTest, CreatesTheDirectoryWithItsParents) {
  const auto path = temporary_.path() / "a" / "b" / "c";
  open(path);
  EXPECT_EQ(testing::read_file(path / "FORMAT"), "retinue-data 1\n");
  EXPECT_TRUE(std::filesystem::exists(path / "db" / "CURRENT"));
  EXPECT_FALSE(std::filesystem::exists(path / "FORMAT.new"));
}

TEST_F(RocksDbStoreTest, RefusesANewerFormatNamingBothVersions) {
  open();
  testing::write_file(directory() / "FORMAT", "retinue-data 2\n");
  for (const bool read_only : {false, true}) {
    const auto store = try_open(directory(), read_only);
    ASSERT_FALSE(store.ok());
    EXPECT_EQ(store.error().code, ErrorCode::kNewerDataFormat);
    EXPECT_THAT(store.error().message, HasSubstr(directory().string()));
    EXPECT_THAT(store.error().message, HasSubstr("format 2"));
    EXPECT_THAT(store.error().message, HasSubstr("format 1"));
  }
}

TEST_F(RocksDbStoreTest, RefusesAnUnreadableFormat) {
  open();
  for (const std::string_view text :
       {"", "\n", "retinue-data 1", "retinue-data \n", "retinue-data 0\n", "retinue-data -1\n",
        "retinue-data 1 \n", "retinue-data 1x\n", "retinue-data 99999999999999999999\n",
        "something else 1\n", "retinue-data 1\n\n"}) {
    testing::write_file(directory() / "FORMAT", text);
    for (const bool read_only : {false, true}) {
      const auto store = try_open(directory(), read_only);
      ASSERT_FALSE(store.ok()) << text;
      EXPECT_EQ(store.error().code, ErrorCode::kDataCorrupted) << text;
    }
  }
}

TEST_F(RocksDbStoreTest, RefusesADatabaseWithoutFormat) {
  open();
  std::filesystem::remove(directory() / "FORMAT");
  EXPECT_EQ(try_open(directory()).error().code, ErrorCode::kDataCorrupted);
  EXPECT_EQ(try_open(directory(), true).error().code, ErrorCode::kNotFound);
  EXPECT_FALSE(std::filesystem::exists(directory() / "FORMAT"));
}

TEST_F(RocksDbStoreTest, OpensWhatACrashLeftBeforeTheFormatWasWhole) {
  std::filesystem::create_directories(directory());
  testing::write_file(directory() / "FORMAT.new", "retin");
  testing::write_file(directory() / "LOCK", "123456789\n");
  open();
  EXPECT_EQ(testing::read_file(directory() / "FORMAT"), "retinue-data 1\n");
}

TEST_F(RocksDbStoreTest, OpensWhatACrashLeftBeforeTheDatabase) {
  std::filesystem::create_directories(directory());
  testing::write_file(directory() / "FORMAT", "retinue-data 1\n");
  EXPECT_EQ(try_open(directory(), true).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(chain_length(*open()), 0u);
}

TEST_F(RocksDbStoreTest, RefusesASecondWriterNamingTheFirst) {
  auto first = open();
  const auto second = try_open(directory());
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().code, ErrorCode::kDirectoryInUse);
  EXPECT_THAT(second.error().message, HasSubstr(directory().string()));
  EXPECT_THAT(second.error().message, HasSubstr("process " + std::to_string(::getpid()) + ";"));
  commit_chain(*first, 1, 3);
  first.reset();
  EXPECT_EQ(chain_length(*open()), 3u);
}

TEST_F(RocksDbStoreTest, RefusesAFileInPlaceOfTheDirectory) {
  testing::write_file(directory(), "");
  for (const bool read_only : {false, true}) {
    const auto store = try_open(directory(), read_only);
    ASSERT_FALSE(store.ok());
    EXPECT_EQ(store.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(store.error().message, HasSubstr(directory().string() + " is not a directory"));
  }
}

TEST_F(RocksDbStoreTest, RefusesAnEmptyName) {
  for (const bool read_only : {false, true}) {
    EXPECT_EQ(try_open("", read_only).error().code, ErrorCode::kInvalidArgument);
  }
}

TEST_F(RocksDbStoreTest, RefusesADirectoryOfSomebodyElseAndLeavesItAlone) {
  std::filesystem::create_directories(directory());
  testing::write_file(directory() / "notes", "mine");
  const auto store = try_open(directory());
  ASSERT_FALSE(store.ok());
  EXPECT_EQ(store.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(store.error().message, HasSubstr("it has \"notes\""));
  EXPECT_FALSE(std::filesystem::exists(directory() / "LOCK"));
}

TEST_F(RocksDbStoreTest, TakesAnEmptyDirectoryAndTheRootOfAFileSystem) {
  std::filesystem::create_directories(directory() / "lost+found");
  open();
  EXPECT_EQ(testing::read_file(directory() / "FORMAT"), "retinue-data 1\n");
}

TEST_F(RocksDbStoreTest, KeepsWhatItCreatesToItsUser) {
  open(directory() / "");
  const auto others = std::filesystem::perms::group_all | std::filesystem::perms::others_all;
  for (const auto& path : {directory(), directory() / "db", directory() / "FORMAT"}) {
    EXPECT_EQ(std::filesystem::status(path).permissions() & others, std::filesystem::perms::none)
        << path;
  }
}

}  // namespace
}  // namespace retinue::worker
