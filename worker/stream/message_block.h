// MessageBlock: the messages that one epoch sent to one inbox on one stream, as they are stored.
//
// A block is written once, read in place while it is fresh, and dropped once consumed. Its messages
// have the ids (sequence, first_index), (sequence, first_index + 1), … The format is on disk:
// kBlockFormat names it, and a reader refuses what it does not know.
//
//   u32 format · u32 row count · u64 sequence · u32 first index · u32 schema revision ·
//   i64 system timestamp · i64 event timestamp · u32 stream name bytes · u32 column count ·
//   u32 event timestamp bytes · u32 zero ·
//   a column: u32 type · u32 validity bytes · u32 offsets bytes · u32 values bytes ·
//   stream name · event timestamps · a column: validity · offsets · values
//
// Numbers are little-endian; every part after the column table begins at a multiple of 8.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "protocol/base/clock.h"
#include "protocol/base/ids.h"
#include "protocol/base/limits.h"
#include "protocol/base/result.h"
#include "protocol/values/row_batch.h"

namespace retinue::worker {

struct BlockHeader {
  std::string_view stream;
  SchemaRevision revision = SchemaRevision(1);
  MessageId first_id;
  Timestamp system_timestamp;
  // Of every message, unless the block has one a message.
  Timestamp event_timestamp;
};

// `event_timestamps` holds microseconds, one a row, or is empty: all as in the header.
std::string encode_message_block(const BlockHeader& header, const RowBatchView& rows,
                                 std::span<const int64_t> event_timestamps);

// Threads: immutable once opened.
class MessageBlock {
 public:
  // Errors: kDataCorrupted for bytes that are no block, kNewerDataFormat for an unknown format.
  static Result<std::shared_ptr<const MessageBlock>> open(std::string bytes);

  MessageBlock(const MessageBlock&) = delete;
  MessageBlock& operator=(const MessageBlock&) = delete;

  std::string_view stream() const { return header_.stream; }
  const BlockHeader& header() const { return header_; }
  const RowBatchView& rows() const { return rows_; }
  uint32_t row_count() const { return rows_.row_count(); }
  Timestamp event_timestamp(uint32_t row) const;
  bool has_event_timestamps() const { return event_timestamps_ != nullptr; }
  size_t byte_size() const { return bytes_.size(); }

 private:
  MessageBlock() = default;
  Result<void> parse();

  std::string bytes_;
  BlockHeader header_;
  RowBatchView rows_;
  const char* event_timestamps_ = nullptr;
};

}  // namespace retinue::worker
