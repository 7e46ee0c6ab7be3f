#include "companion_sdk/core/batch_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "protocol/base/limits.h"
#include "protocol/frame/wire_values.h"

namespace retinue::companion {
namespace {

Error violation(std::string message) {
  return Error{ErrorCode::kProtocolViolation, std::move(message)};
}

// A bitmap of `count` bits; empty for one that is left out.
Result<std::span<const uint8_t>> read_bitmap(capnp::Data::Reader in, uint32_t count,
                                             std::string_view field) {
  if (in.size() != 0 && in.size() != bitmap_bytes(count)) {
    return violation(fmt::format("{}: {} bytes where {} bits need {}", field, in.size(), count,
                                 bitmap_bytes(count)));
  }
  return std::span<const uint8_t>(in.begin(), in.size());
}

template <typename List, typename Read>
Result<void> read_each(const List& list, std::string_view field, Read read) {
  uint32_t place = 0;
  for (auto each : list) {
    if (Result<void> done = read(each); !done) {
      return std::move(done).error().with_context(fmt::format("Batch.{}[{}]", field, place));
    }
    ++place;
  }
  return {};
}

Result<std::vector<MessageRun>> read_runs(wire::MessageGroup::Reader in, uint32_t rows) {
  std::vector<MessageRun> runs;
  runs.reserve(in.getRuns().size());
  uint64_t end_row = 0;
  for (auto each : in.getRuns()) {
    end_row += each.getCount();
    if (end_row > rows) {
      break;
    }
    runs.push_back({.end_row = static_cast<uint32_t>(end_row),
                    .count = each.getCount(),
                    .sequence = each.getSequence(),
                    .first_index = each.getFirstIndex(),
                    .system_timestamp = Timestamp(each.getSystemTimestampUs())});
  }
  if (end_row != rows) {
    return violation(fmt::format("runs: their counts do not add up to the {} rows", rows));
  }
  return runs;
}

// How many inputs a batch claims to have; 64 bits cannot overflow here.
uint64_t count_inputs(wire::Batch::Reader in) {
  uint64_t count = 0;
  for (auto group : in.getMessages()) {
    count += group.getRows().getRowCount();
  }
  for (auto group : in.getTimers()) {
    count += group.getCount();
  }
  for (auto group : in.getVisits()) {
    count += group.getCount();
  }
  return count;
}

}  // namespace

const MessageRun& MessageGroupView::run(uint32_t row) const {
  if (row < runs.front().end_row) {
    return runs.front();
  }
  return *std::upper_bound(runs.begin(), runs.end(), row,
                           [](uint32_t value, const MessageRun& r) { return value < r.end_row; });
}

MessageId MessageGroupView::id(uint32_t row) const {
  const MessageRun& r = run(row);
  return {.sequence = r.sequence, .index = r.first_index + (row - (r.end_row - r.count))};
}

Result<void> BatchView::open(const JobSpec& job, wire::Batch::Reader in) {
  job_ = &job;
  epoch_ = Epoch(in.getEpoch());
  attempt_ = in.getAttempt();
  deadline_ = Timestamp(in.getDeadlineUs());
  now_ = Timestamp(in.getNowUs());
  messages_.clear();
  timers_.clear();
  visits_.clear();
  states_.assign(job.internal_states.size(), StateColumn{});

  RETINUE_TRY(read_watermarks(in));
  auto keys = read_rows(in.getKeys());
  if (!keys) {
    return std::move(keys).error().with_context("Batch.keys");
  }
  keys_ = std::move(keys).value();
  if (auto fits = keys_.check_schema(job.key_schema); !fits) {
    return std::move(fits).error().with_context("Batch.keys");
  }
  if (keys_.column_count() != job.key_schema.size()) {
    return violation(fmt::format("Batch.keys: {} columns where the key has {}",
                                 keys_.column_count(), job.key_schema.size()));
  }

  const uint64_t input_count = count_inputs(in);
  if (input_count > limits::kRowBatchRowsLimit) {
    return Error{ErrorCode::kLimitExceeded, fmt::format("Batch: {} inputs where {} are allowed",
                                                        input_count, limits::kRowBatchRowsLimit)};
  }
  inputs_.resize(input_count);
  is_placed_.assign(input_count, 0);
  RETINUE_TRY(read_each(in.getMessages(), "messages", [&](auto g) { return read_messages(g); }));
  RETINUE_TRY(read_each(in.getTimers(), "timers", [&](auto g) { return read_timers(g); }));
  RETINUE_TRY(read_each(in.getVisits(), "visits", [&](auto g) { return read_visits(g); }));
  return read_each(in.getInternalStates(), "internalStates",
                   [&](auto state) { return read_state(state); });
}

Result<StreamIndex> BatchView::find_stream(capnp::Text::Reader name, StreamRole role) const {
  const auto index = job_->find_stream(as_view(name));
  if (!index || job_->stream(*index).role != role) {
    return violation(fmt::format("stream: this job has no {} stream \"{}\"", stream_role_name(role),
                                 as_view(name)));
  }
  return *index;
}

Result<std::span<const uint32_t>> BatchView::read_key_indexes(capnp::Data::Reader in,
                                                              uint32_t count) const {
  RETINUE_ASSIGN(auto indexes, read_u32(in, count, "keyIndexes"));
  for (size_t i = 0; i < indexes.size(); ++i) {
    if (indexes[i] >= keys_.row_count()) {
      return violation(fmt::format("keyIndexes[{}]: {} where the batch has {} keys", i, indexes[i],
                                   keys_.row_count()));
    }
  }
  return indexes;
}

Result<void> BatchView::read_watermarks(wire::Batch::Reader in) {
  watermarks_.assign(job_->streams.size(), std::nullopt);
  return read_each(in.getWatermarks(), "watermarks", [&](auto each) -> Result<void> {
    const auto index = job_->find_stream(as_view(each.getStream()));
    if (!index) {
      return violation(
          fmt::format("stream: this job has no stream \"{}\"", as_view(each.getStream())));
    }
    watermarks_[index->value()] = Timestamp(each.getTimestampUs());
    return {};
  });
}

Result<void> BatchView::read_messages(wire::MessageGroup::Reader in) {
  MessageGroupView group;
  RETINUE_ASSIGN(group.stream, find_stream(in.getStream(), StreamRole::kInput));
  const StreamSpec& stream = job_->stream(group.stream);
  if (in.getRevision() > stream.revision.value()) {
    return violation(fmt::format("revision: {} of \"{}\" was never announced, the latest is {}",
                                 in.getRevision(), stream.name, stream.revision.value()));
  }
  auto rows = read_rows(in.getRows());
  if (!rows) {
    return std::move(rows).error().with_context("rows");
  }
  group.rows = std::move(rows).value();
  if (auto fits = group.rows.check_schema(stream.schema); !fits) {
    return std::move(fits).error().with_context("rows");
  }
  const uint32_t count = group.rows.row_count();
  RETINUE_ASSIGN(group.key_indexes, read_key_indexes(in.getKeyIndexes(), count));
  RETINUE_ASSIGN(group.runs, read_runs(in, count));
  if (in.hasEventTimestamps()) {
    RETINUE_ASSIGN(group.event_timestamps,
                   read_i64(in.getEventTimestamps(), count, "eventTimestamps"));
  }
  RETINUE_ASSIGN(group.late_bitmap, read_bitmap(in.getLate(), count, "late"));
  std::span<const uint32_t> orders;
  if (in.hasOrders()) {
    RETINUE_ASSIGN(orders, read_u32(in.getOrders(), count, "orders"));
  }
  RETINUE_TRY(place(InputKind::kMessage, static_cast<uint32_t>(messages_.size()), count, orders));
  messages_.push_back(std::move(group));
  return {};
}

Result<void> BatchView::read_timers(wire::TimerGroup::Reader in) {
  TimerGroupView group;
  const uint32_t count = in.getCount();
  RETINUE_ASSIGN(group.stream, find_stream(in.getStream(), StreamRole::kTimer));
  RETINUE_ASSIGN(group.key_indexes, read_key_indexes(in.getKeyIndexes(), count));
  RETINUE_ASSIGN(group.triggers, read_i64(in.getTriggers(), count, "triggers"));
  group.event_timestamps = group.triggers;
  if (in.hasEventTimestamps()) {
    RETINUE_ASSIGN(group.event_timestamps,
                   read_i64(in.getEventTimestamps(), count, "eventTimestamps"));
  }
  RETINUE_ASSIGN(auto orders, read_u32(in.getOrders(), count, "orders"));
  RETINUE_TRY(place(InputKind::kTimer, static_cast<uint32_t>(timers_.size()), count, orders));
  timers_.push_back(group);
  return {};
}

Result<void> BatchView::read_visits(wire::VisitGroup::Reader in) {
  VisitGroupView group;
  const uint32_t count = in.getCount();
  RETINUE_ASSIGN(group.stream, find_stream(in.getStream(), StreamRole::kVisit));
  RETINUE_ASSIGN(group.key_indexes, read_key_indexes(in.getKeyIndexes(), count));
  if (in.hasEventTimestamps()) {
    RETINUE_ASSIGN(group.event_timestamps,
                   read_i64(in.getEventTimestamps(), count, "eventTimestamps"));
  }
  group.pass = in.getPass();
  RETINUE_ASSIGN(auto orders, read_u32(in.getOrders(), count, "orders"));
  RETINUE_TRY(place(InputKind::kVisit, static_cast<uint32_t>(visits_.size()), count, orders));
  visits_.push_back(group);
  return {};
}

Result<void> BatchView::read_state(wire::InternalStates::Reader in) {
  const auto index = job_->find_state(as_view(in.getName()));
  if (!index) {
    return violation(fmt::format("name: this job has no state \"{}\"", as_view(in.getName())));
  }
  const InternalStateSpec& spec = job_->state(*index);
  StateColumn& column = states_[index->value()];
  if (column.is_shipped) {
    return violation(fmt::format("name: \"{}\" is there twice", spec.name));
  }
  if (static_cast<uint16_t>(in.getFormat()) != static_cast<uint16_t>(spec.format)) {
    return violation(fmt::format("format: {} where \"{}\" was declared {}",
                                 static_cast<uint16_t>(in.getFormat()), spec.name,
                                 state_format_name(spec.format)));
  }
  RETINUE_ASSIGN(column.loaded, read_bitmap(in.getLoaded(), keys_.row_count(), "loaded"));
  auto values = read_column(in.getValues(), keys_.row_count());
  if (!values) {
    return std::move(values).error().with_context("values");
  }
  column.values = std::move(values).value();
  const ColumnType type = column.values.column(ColumnIndex(0)).type();
  if (type != ColumnType::kString) {
    return violation(
        fmt::format("values: a column of {} where string is due", column_type_name(type)));
  }
  column.is_shipped = true;
  return {};
}

Result<void> BatchView::place(InputKind kind, uint32_t group, uint32_t count,
                              std::span<const uint32_t> orders) {
  for (uint32_t row = 0; row < count; ++row) {
    const uint32_t order = orders.empty() ? row : orders[row];
    if (order >= inputs_.size()) {
      return violation(
          fmt::format("orders[{}]: {} where the batch has {} inputs", row, order, inputs_.size()));
    }
    if (is_placed_[order] != 0) {
      return violation(fmt::format("orders[{}]: position {} is taken twice", row, order));
    }
    is_placed_[order] = 1;
    inputs_[order] = {.kind = kind, .group = group, .row = row};
  }
  return {};
}

StreamIndex BatchView::stream(OrderPosition order) const {
  const InputRef& input = inputs_[order.value()];
  switch (input.kind) {
    case InputKind::kMessage: return messages_[input.group].stream;
    case InputKind::kTimer: return timers_[input.group].stream;
    default: return visits_[input.group].stream;
  }
}

KeyIndex BatchView::key_index(OrderPosition order) const {
  const InputRef& input = inputs_[order.value()];
  switch (input.kind) {
    case InputKind::kMessage: return KeyIndex(messages_[input.group].key_indexes[input.row]);
    case InputKind::kTimer: return KeyIndex(timers_[input.group].key_indexes[input.row]);
    default: return KeyIndex(visits_[input.group].key_indexes[input.row]);
  }
}

Timestamp BatchView::event_timestamp(OrderPosition order) const {
  const InputRef& input = inputs_[order.value()];
  switch (input.kind) {
    case InputKind::kMessage: return messages_[input.group].event_timestamp(input.row);
    case InputKind::kTimer: return Timestamp(timers_[input.group].event_timestamps[input.row]);
    default: {
      const auto& times = visits_[input.group].event_timestamps;
      return times.empty() ? now_ : Timestamp(times[input.row]);
    }
  }
}

StateValue BatchView::state(StateIndex state, KeyIndex key) const {
  const StateColumn& column = states_[state.value()];
  const uint32_t row = key.value();
  if (!column.is_shipped || (!column.loaded.empty() && !bitmap_get(column.loaded.data(), row))) {
    return {};
  }
  const ColumnView& values = column.values.column(ColumnIndex(0));
  if (values.is_null(row)) {
    return {.presence = StatePresence::kAbsent, .bytes = {}};
  }
  return {.presence = StatePresence::kPresent, .bytes = values.bytes_at(row)};
}

}  // namespace retinue::companion
