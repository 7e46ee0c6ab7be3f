// RocksDbStore: the embedded store, one RocksDB database in a data directory.
//
//   DIR/FORMAT  "retinue-data 1\n"; written before anything else
//   DIR/LOCK    locked (flock) by the writer; holds its pid
//   DIR/db      column families: default (names, records, progress), states, messages,
//               dead_letters
//
// A commit is one WriteBatch, so its log record is whole or absent after a crash; a torn last
// record is dropped. After a write has failed the store refuses every later one with the same
// error; reopening it finds the committed prefix.
//
// Opened for reading it may be another process's: it needs no lock, writes nothing anywhere, and
// shows what was committed before the moment of opening, synced or not. To see more, open it again.
//
// Threads: reads and the calls for names and records from any thread; commit and sync from one at
// a time.
// Owns: the directory's lock, the database, its caches and background threads.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "worker/store/store.h"

namespace retinue::worker {

class RocksDbStore final : public Store {
 public:
  struct OpenOptions {
    std::string directory;
    bool read_only = false;
    // The last writer let the operating system sync when it liked (Durability::kOs). A power
    // failure may then leave holes in the log; the commits before the first one are kept. Otherwise
    // such a hole is kDataCorrupted, for commits that were promised are gone.
    bool unsynced_log = false;
    size_t block_cache_bytes = size_t{256} << 20;
  };

  // Creates the directory, and its parents, unless read_only. Errors: kNotFound (read_only and no
  // data there), kDirectoryInUse, kNewerDataFormat, kDataCorrupted, kOutOfSpace, kIoError.
  static Result<std::unique_ptr<RocksDbStore>> open(const OpenOptions& options);
  ~RocksDbStore() override;

  Result<uint32_t> intern(NameKind kind, std::string_view name) override;
  Result<std::optional<uint32_t>> find_name(NameKind kind, std::string_view name) const override;
  Result<std::optional<std::string>> load_record(std::string_view name) const override;
  Result<void> save_record(std::string_view name, std::string_view value) override;
  Result<void> load_states(std::span<const std::string_view> keys,
                           std::vector<std::optional<std::string>>& values) const override;
  Result<void> scan_states(OwnerNumber owner, std::string_view from,
                           const std::function<bool(const StateRow&)>& visit) const override;
  Result<std::optional<std::string>> load_progress(PartitionRef partition) const override;
  Result<std::vector<StoredBlock>> load_inbox(PartitionRef inbox) const override;
  Result<std::vector<StoredBlock>> load_blocks(PartitionRef inbox, BlockSequence begin,
                                               BlockSequence end,
                                               size_t bytes_limit) const override;
  Result<std::optional<BlockSequence>> last_block(PartitionRef inbox) const override;
  Result<void> scan_dead_letters(
      OwnerNumber owner,
      const std::function<bool(PartitionIndex, DeadLetterNumber, std::string_view record)>& visit)
      const override;
  Result<void> commit(std::span<const EpochCommit* const> commits, bool sync) override;
  Result<void> sync() override;

 private:
  struct Impl;

  explicit RocksDbStore(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace retinue::worker
