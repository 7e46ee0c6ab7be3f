// Database: the RocksDB database of a data directory and its column families.
//
// Opening replays the log. A last record that a crash tore is dropped. Damage with whole records
// behind it is an error and changes nothing, unless `unsynced_log` says that a power failure may
// have left it; then the log ends at the damage.
//
// Owns: the database, its caches and background threads.
#pragma once

#include <rocksdb/db.h>

#include <cstddef>
#include <filesystem>
#include <memory>

#include "protocol/base/result.h"
#include "worker/store/rocksdb/log_continuity.h"

namespace retinue::worker {

class Database {
 public:
  struct Options {
    std::filesystem::path path;
    bool read_only = false;
    bool unsynced_log = false;
    size_t block_cache_bytes = 0;
  };

  // Errors: kDataCorrupted, kOutOfSpace, kIoError.
  static Result<std::unique_ptr<Database>> open(const Options& options);
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;
  ~Database();

  rocksdb::DB& db() const { return *db_; }
  rocksdb::ColumnFamilyHandle* records() const { return records_; }
  rocksdb::ColumnFamilyHandle* states() const { return states_; }
  rocksdb::ColumnFamilyHandle* messages() const { return messages_; }
  // nullptr: a reader of a directory whose writer was of a release that had none.
  rocksdb::ColumnFamilyHandle* dead_letters() const { return dead_letters_; }

 private:
  Database() = default;

  rocksdb::Status open_once(const Options& options, rocksdb::WALRecoveryMode mode);

  LogContinuity log_;
  std::unique_ptr<rocksdb::DB> db_;
  rocksdb::ColumnFamilyHandle* records_ = nullptr;
  rocksdb::ColumnFamilyHandle* states_ = nullptr;
  rocksdb::ColumnFamilyHandle* messages_ = nullptr;
  rocksdb::ColumnFamilyHandle* dead_letters_ = nullptr;
};

}  // namespace retinue::worker
