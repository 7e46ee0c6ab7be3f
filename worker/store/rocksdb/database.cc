#include "worker/store/rocksdb/database.h"

#include <rocksdb/cache.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "worker/store/rocksdb/key_layout.h"
#include "worker/store/rocksdb/rocksdb_options.h"
#include "worker/store/rocksdb/rocksdb_status.h"

namespace retinue::worker {
namespace {

using rocksdb::WALRecoveryMode;

// A reader's opening fails when the writer replaces a file meanwhile; it is tried so often.
constexpr int kReaderAttemptsLimit = 10;

// True also when that cannot be known; opening then tells why.
bool has_family(const rocksdb::DBOptions& options, const std::string& path,
                const std::string& name) {
  std::vector<std::string> names;
  return !rocksdb::DB::ListColumnFamilies(options, path, &names).ok() ||
         std::ranges::find(names, name) != names.end();
}

}  // namespace

Database::~Database() {
  if (db_) {
    for (rocksdb::ColumnFamilyHandle* family : {records_, states_, messages_, dead_letters_}) {
      if (family != nullptr) {
        db_->DestroyColumnFamilyHandle(family).PermitUncheckedError();
      }
    }
    // Everything that counts is in the log already.
    db_->Close().PermitUncheckedError();
  }
}

Result<std::unique_ptr<Database>> Database::open(const Options& options) {
  std::unique_ptr<Database> database;
  rocksdb::Status status;
  const auto try_open = [&](const Options& with, WALRecoveryMode mode) {
    database.reset(new Database());
    status = database->open_once(with, mode);
    return status.ok();
  };
  for (int attempt = options.read_only ? kReaderAttemptsLimit : 1; attempt > 0; --attempt) {
    if (try_open(options, WALRecoveryMode::kTolerateCorruptedTailRecords)) {
      return database;
    }
  }
  const rocksdb::Status first_status = status;
  if (status.IsCorruption() && !options.unsynced_log) {
    // Is it only the log's end? Reading past the damage shows whether commits lie behind it.
    const uint64_t whole_records = database->log_.records_before_gap();
    Options probe = options;
    probe.read_only = true;
    if (!try_open(probe, WALRecoveryMode::kSkipAnyCorruptedRecords) ||
        database->log_.records() > whole_records) {
      return rocksdb_error(first_status, "open", options.path);
    }
  }
  if (first_status.IsCorruption() && try_open(options, WALRecoveryMode::kPointInTimeRecovery)) {
    return database;
  }
  return rocksdb_error(status, "open", options.path);
}

rocksdb::Status Database::open_once(const Options& options, WALRecoveryMode mode) {
  rocksdb::DBOptions db_options = database_options(options.read_only);
  db_options.wal_recovery_mode = mode;
  db_options.wal_filter = &log_;
  const auto cache = rocksdb::NewLRUCache(options.block_cache_bytes);
  std::vector<rocksdb::ColumnFamilyDescriptor> families = {
      {rocksdb::kDefaultColumnFamilyName, records_family_options()},
      {key_layout::kStatesFamily, states_family_options(cache)},
      {key_layout::kMessagesFamily, messages_family_options()}};
  const std::string path = options.path.string();
  if (!options.read_only || has_family(db_options, path, key_layout::kDeadLettersFamily)) {
    families.emplace_back(key_layout::kDeadLettersFamily, dead_letters_family_options());
  }
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  rocksdb::DB* db = nullptr;
  rocksdb::Status status =
      options.read_only ? rocksdb::DB::OpenForReadOnly(db_options, path, families, &handles, &db)
                        : rocksdb::DB::Open(db_options, path, families, &handles, &db);
  if (status.ok()) {
    db_.reset(db);
    records_ = handles[0];
    states_ = handles[1];
    messages_ = handles[2];
    dead_letters_ = handles.size() > 3 ? handles[3] : nullptr;
  }
  return status;
}

}  // namespace retinue::worker
