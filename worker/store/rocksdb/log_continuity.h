// LogContinuity: watches the log's records as RocksDB replays them, and sees whether one is
// missing.
//
// Every record says the sequence number of its first change and how many changes it has; so the
// next record's number is known. RocksDB itself skips a hole of zeros in a log without a word.
//
// Threads: the one that opens the database.
#pragma once

#include <rocksdb/wal_filter.h>

#include <cstdint>
#include <optional>
#include <string>

namespace retinue::worker {

class LogContinuity final : public rocksdb::WalFilter {
 public:
  // Records found, and those of them that have all their predecessors.
  uint64_t records() const { return records_; }
  uint64_t records_before_gap() const { return records_before_gap_; }

  const char* Name() const override { return "LogContinuity"; }
  // Reports a record whose predecessor is missing as corrupted.
  WalProcessingOption LogRecordFound(unsigned long long log_number,
                                     const std::string& log_file_name,
                                     const rocksdb::WriteBatch& batch,
                                     rocksdb::WriteBatch* new_batch, bool* batch_changed) override;

 private:
  std::optional<uint64_t> next_sequence_;
  uint64_t records_ = 0;
  uint64_t records_before_gap_ = 0;
};

}  // namespace retinue::worker
