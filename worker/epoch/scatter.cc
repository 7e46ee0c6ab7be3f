#include "worker/epoch/scatter.h"

#include <algorithm>

#include "worker/spec/key_ranges.h"
#include "worker/stream/message_block.h"

namespace retinue::worker {

void OutputScatter::begin(const EmittingEpoch& epoch) {
  epoch_ = epoch;
  next_index_ = epoch.first_index;
}

void OutputScatter::scatter(const OutputPlan& output, const RowBatchView& rows,
                            std::span<const int64_t> event_timestamps,
                            std::vector<InboxAppend>& appends) {
  if (rows.row_count() == 0) {
    return;
  }
  for (const ConsumerPlan& consumer : output.consumers) {
    if (consumer.partition_count > 1 && consumer.key) {
      scatter_by_key(output, consumer, rows, event_timestamps, appends);
    } else {
      const PartitionIndex partition =
          consumer.partition_count > 1 ? epoch_.partition : PartitionIndex(0);
      append_block(output, {consumer.owner, partition}, rows, event_timestamps, appends);
    }
  }
}

void OutputScatter::append_block(const OutputPlan& output, PartitionRef inbox,
                                 const RowBatchView& rows,
                                 std::span<const int64_t> event_timestamps,
                                 std::vector<InboxAppend>& appends) {
  BlockHeader header{
      .stream = output.stream.value(),
      .revision = SchemaRevision(1),
      .first_id = {.sequence = message_sequence(epoch_.owner, epoch_.partition, epoch_.epoch),
                   .index = next_index_},
      .system_timestamp = epoch_.now,
      .event_timestamp = epoch_.now,
  };
  if (!event_timestamps.empty() && std::ranges::all_of(event_timestamps, [&](int64_t time) {
        return time == event_timestamps[0];
      })) {
    header.event_timestamp = Timestamp(event_timestamps[0]);
    event_timestamps = {};
  }
  appends.push_back({.inbox = inbox,
                     .sequence = {},
                     .block = encode_message_block(header, rows, event_timestamps)});
  next_index_ += rows.row_count();
}

void OutputScatter::scatter_by_key(const OutputPlan& output, const ConsumerPlan& consumer,
                                   const RowBatchView& rows,
                                   std::span<const int64_t> event_timestamps,
                                   std::vector<InboxAppend>& appends) {
  const uint32_t row_count = rows.row_count();
  destinations_.resize(row_count);
  for (uint32_t row = 0; row < row_count; ++row) {
    destinations_[row] =
        partition_of(consumer.key->hash(rows, row), consumer.partition_count).value();
  }
  std::vector<Part>& parts = parts_[&output];
  while (parts.size() < consumer.partition_count) {
    parts.push_back({.rows = RowBatchBuilder(output.schema), .event_timestamps = {}});
  }
  for (uint32_t begin = 0; begin < row_count;) {
    uint32_t end = begin + 1;
    while (end < row_count && destinations_[end] == destinations_[begin]) {
      ++end;
    }
    Part& part = parts[destinations_[begin]];
    part.rows.append_rows(rows, begin, end);
    if (!event_timestamps.empty()) {
      part.event_timestamps.insert(part.event_timestamps.end(), event_timestamps.begin() + begin,
                                   event_timestamps.begin() + end);
    }
    begin = end;
  }
  for (uint32_t i = 0; i < consumer.partition_count; ++i) {
    if (!parts[i].rows.empty()) {
      append_block(output, {consumer.owner, PartitionIndex(i)}, parts[i].rows.view(),
                   parts[i].event_timestamps, appends);
      parts[i].rows.clear();
      parts[i].event_timestamps.clear();
    }
  }
}

}  // namespace retinue::worker
