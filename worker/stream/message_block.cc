#include "worker/stream/message_block.h"

#include <fmt/format.h>

#include <cstring>
#include <vector>

namespace retinue::worker {
namespace {

constexpr uint32_t kBlockFormat = 0x314b4c42;  // "BLK1"

struct StoredHeader {
  uint32_t format;
  uint32_t row_count;
  uint64_t sequence;
  uint32_t first_index;
  uint32_t revision;
  int64_t system_timestamp;
  int64_t event_timestamp;
  uint32_t stream_bytes;
  uint32_t column_count;
  uint32_t event_timestamp_bytes;
  uint32_t zero;
};
static_assert(sizeof(StoredHeader) == 56);

struct StoredColumn {
  uint32_t type;
  uint32_t validity_bytes;
  uint32_t offsets_bytes;
  uint32_t values_bytes;
};
static_assert(sizeof(StoredColumn) == 16);

constexpr size_t padded(size_t bytes) {
  return (bytes + 7) / 8 * 8;
}

void append_padded(std::string& out, const void* bytes, size_t size) {
  out.append(static_cast<const char*>(bytes), size);
  out.append(padded(size) - size, '\0');
}

Error corrupted(std::string_view what) {
  return Error{ErrorCode::kDataCorrupted, fmt::format("stored message block: {}", what)};
}

// Hands out the padded parts of a block, front to back.
class PartReader {
 public:
  PartReader(std::string_view bytes, size_t begin) : bytes_(bytes), at_(begin) {}

  Result<std::span<const uint8_t>> take(size_t size) {
    if (size > bytes_.size() - at_ || padded(size) > bytes_.size() - at_) {
      return corrupted("it ends before its parts do");
    }
    const auto* begin = reinterpret_cast<const uint8_t*>(bytes_.data()) + at_;
    at_ += padded(size);
    return std::span<const uint8_t>(begin, size);
  }
  bool at_end() const { return at_ == bytes_.size(); }

 private:
  std::string_view bytes_;
  size_t at_;
};

}  // namespace

std::string encode_message_block(const BlockHeader& header, const RowBatchView& rows,
                                 std::span<const int64_t> event_timestamps) {
  RETINUE_CHECK(event_timestamps.empty() || event_timestamps.size() == rows.row_count());
  const StoredHeader stored{
      .format = kBlockFormat,
      .row_count = rows.row_count(),
      .sequence = header.first_id.sequence,
      .first_index = header.first_id.index,
      .revision = header.revision.value(),
      .system_timestamp = header.system_timestamp.microseconds(),
      .event_timestamp = header.event_timestamp.microseconds(),
      .stream_bytes = static_cast<uint32_t>(header.stream.size()),
      .column_count = rows.column_count(),
      .event_timestamp_bytes = static_cast<uint32_t>(event_timestamps.size_bytes()),
      .zero = 0,
  };
  size_t size = sizeof stored + rows.column_count() * sizeof(StoredColumn) +
                padded(header.stream.size()) + event_timestamps.size_bytes();
  for (const ColumnView& column : rows.columns()) {
    const ColumnBytes& raw = column.raw();
    size += padded(raw.validity.size()) + padded(raw.offsets.size()) + padded(raw.values.size());
  }
  std::string out;
  out.reserve(size);
  out.append(reinterpret_cast<const char*>(&stored), sizeof stored);
  for (const ColumnView& column : rows.columns()) {
    const ColumnBytes& raw = column.raw();
    const StoredColumn entry{.type = static_cast<uint32_t>(raw.type),
                             .validity_bytes = static_cast<uint32_t>(raw.validity.size()),
                             .offsets_bytes = static_cast<uint32_t>(raw.offsets.size()),
                             .values_bytes = static_cast<uint32_t>(raw.values.size())};
    out.append(reinterpret_cast<const char*>(&entry), sizeof entry);
  }
  append_padded(out, header.stream.data(), header.stream.size());
  append_padded(out, event_timestamps.data(), event_timestamps.size_bytes());
  for (const ColumnView& column : rows.columns()) {
    const ColumnBytes& raw = column.raw();
    append_padded(out, raw.validity.data(), raw.validity.size());
    append_padded(out, raw.offsets.data(), raw.offsets.size());
    append_padded(out, raw.values.data(), raw.values.size());
  }
  return out;
}

Result<std::shared_ptr<const MessageBlock>> MessageBlock::open(std::string bytes) {
  std::shared_ptr<MessageBlock> block(new MessageBlock);
  block->bytes_ = std::move(bytes);
  RETINUE_TRY(block->parse());
  return std::shared_ptr<const MessageBlock>(std::move(block));
}

Result<void> MessageBlock::parse() {
  StoredHeader stored;
  if (bytes_.size() < sizeof stored) {
    return corrupted("it is shorter than its header");
  }
  std::memcpy(&stored, bytes_.data(), sizeof stored);
  if (stored.format != kBlockFormat) {
    return Error{ErrorCode::kNewerDataFormat,
                 fmt::format("stored message block has the unknown format {:#x}; read the data "
                             "directory with the release that wrote it",
                             stored.format)};
  }
  const size_t table_bytes = size_t{stored.column_count} * sizeof(StoredColumn);
  if (stored.column_count > limits::kColumnsLimit || table_bytes > bytes_.size() - sizeof stored) {
    return corrupted("its column table is cut off");
  }
  std::vector<StoredColumn> table(stored.column_count);
  if (!table.empty()) {
    std::memcpy(table.data(), bytes_.data() + sizeof stored, table_bytes);
  }

  PartReader parts(bytes_, sizeof stored + table_bytes);
  RETINUE_ASSIGN(const auto stream, parts.take(stored.stream_bytes));
  RETINUE_ASSIGN(const auto event_timestamps, parts.take(stored.event_timestamp_bytes));
  std::vector<ColumnBytes> columns;
  columns.reserve(table.size());
  for (const StoredColumn& entry : table) {
    if (entry.type < static_cast<uint32_t>(ColumnType::kInt64) ||
        entry.type > static_cast<uint32_t>(ColumnType::kAny)) {
      return corrupted("a column has an unknown type");
    }
    ColumnBytes column{
        .type = static_cast<ColumnType>(entry.type), .validity = {}, .values = {}, .offsets = {}};
    RETINUE_ASSIGN(column.validity, parts.take(entry.validity_bytes));
    RETINUE_ASSIGN(column.offsets, parts.take(entry.offsets_bytes));
    RETINUE_ASSIGN(column.values, parts.take(entry.values_bytes));
    columns.push_back(column);
  }
  if (!parts.at_end()) {
    return corrupted("bytes follow its last column");
  }
  auto rows = RowBatchView::open(stored.row_count, columns);
  if (!rows) {
    return corrupted(rows.error().message);
  }
  if (!event_timestamps.empty()) {
    if (event_timestamps.size() != size_t{stored.row_count} * sizeof(int64_t)) {
      return corrupted("its event timestamps do not match its rows");
    }
    event_timestamps_ = reinterpret_cast<const char*>(event_timestamps.data());
  }
  rows_ = std::move(rows).value();
  header_ = BlockHeader{
      .stream = {reinterpret_cast<const char*>(stream.data()), stream.size()},
      .revision = SchemaRevision(stored.revision),
      .first_id = {.sequence = stored.sequence, .index = stored.first_index},
      .system_timestamp = Timestamp(stored.system_timestamp),
      .event_timestamp = Timestamp(stored.event_timestamp),
  };
  return {};
}

Timestamp MessageBlock::event_timestamp(uint32_t row) const {
  if (event_timestamps_ == nullptr) {
    return header_.event_timestamp;
  }
  int64_t microseconds;
  std::memcpy(&microseconds, event_timestamps_ + size_t{row} * sizeof microseconds,
              sizeof microseconds);
  return Timestamp(microseconds);
}

}  // namespace retinue::worker
