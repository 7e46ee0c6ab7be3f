#include "worker/store/rocksdb/log_continuity.h"

#include <rocksdb/write_batch.h>

#include <cstring>

#include "protocol/base/check.h"

namespace retinue::worker {

rocksdb::WalFilter::WalProcessingOption LogContinuity::LogRecordFound(
    unsigned long long /*log_number*/, const std::string& /*log_file_name*/,
    const rocksdb::WriteBatch& batch, rocksdb::WriteBatch* /*new_batch*/, bool* /*batch_changed*/) {
  // A batch begins with its sequence number, 8 bytes little-endian; RocksDB checked its size.
  uint64_t sequence = 0;
  RETINUE_CHECK(batch.Data().size() >= sizeof sequence);
  std::memcpy(&sequence, batch.Data().data(), sizeof sequence);
  ++records_;
  if (next_sequence_ && sequence != *next_sequence_) {
    return WalProcessingOption::kCorruptedRecord;
  }
  next_sequence_ = sequence + batch.Count();
  ++records_before_gap_;
  return WalProcessingOption::kContinueProcessing;
}

}  // namespace retinue::worker
