#include "worker/epoch/ship.h"

#include <algorithm>

namespace retinue::worker {
namespace {

constexpr ColumnIndex kValue(0);
// How many keys ahead states are brought into the processor's caches.
constexpr size_t kLookAhead = 8;
constexpr ColumnType kStateValueColumn[] = {ColumnType::kString};

wire::StateFormat wire_format(StateFormat format) {
  switch (format) {
    case StateFormat::kRaw: return wire::StateFormat::RAW;
    case StateFormat::kYson: return wire::StateFormat::YSON;
    case StateFormat::kProto: return wire::StateFormat::PROTO;
  }
  RETINUE_CHECK(false, "unknown state format");
}

// True when every message's event time is its system time, which the wire leaves out.
bool event_is_system_time(const MessageRun& run) {
  return run.block == nullptr || (!run.block->has_event_timestamps() &&
                                  run.block->header().event_timestamp == run.system_timestamp);
}

std::vector<int64_t> event_timestamps(std::span<const MessageRun* const> runs) {
  std::vector<int64_t> timestamps;
  for (const MessageRun* run : runs) {
    for (uint32_t row = run->begin; row < run->end; ++row) {
      timestamps.push_back(run->event_timestamp(row).microseconds());
    }
  }
  return timestamps;
}

bool is_whole(const MessageRun& run) {
  return run.begin == 0 && run.end == run.rows().row_count();
}

}  // namespace

BatchWriter::BatchWriter(const ComputationPlan& plan)
    : plan_(plan), state_values_(std::span<const ColumnType>(kStateValueColumn)) {
  groups_.resize(plan.inputs.size());
  for (size_t i = 0; i < plan.inputs.size(); ++i) {
    groups_[i].rows = RowBatchBuilder(plan.inputs[i].schema);
  }
}

void BatchWriter::write(const Batch& batch, JobId job, Timestamp deadline,
                        wire::Batch::Builder out) {
  out.setJob(job.value());
  out.setEpoch(batch.epoch.value());
  out.setAttempt(batch.attempt);
  out.setDeadlineUs(deadline.microseconds());
  out.setNowUs(batch.now.microseconds());
  write_rows(out.initKeys(), batch.key_rows);

  collect_groups(batch);
  const auto used = static_cast<uint32_t>(
      std::ranges::count_if(groups_, [](const Group& group) { return group.row_count > 0; }));
  auto messages = out.initMessages(used);
  uint32_t next = 0;
  for (size_t i = 0; i < groups_.size(); ++i) {
    if (groups_[i].row_count > 0) {
      write_group(batch, groups_[i], plan_.inputs[i], used == 1, messages[next++]);
    }
  }
  write_states(batch, out);
}

void BatchWriter::collect_groups(const Batch& batch) {
  for (Group& group : groups_) {
    group.runs.clear();
    group.row_count = 0;
    group.key_indexes.clear();
    group.orders.clear();
  }
  // The rows of a single stream stand in the batch's own order.
  const bool is_mixed = std::ranges::any_of(
      batch.runs, [&](const MessageRun& run) { return run.input != batch.runs[0].input; });
  uint32_t order = 0;
  for (const MessageRun& run : batch.runs) {
    Group& group = groups_[run.input];
    group.runs.push_back(&run);
    group.row_count += run.size();
    if (!is_mixed) {
      continue;
    }
    for (uint32_t i = 0; i < run.size(); ++i, ++order) {
      group.orders.push_back(order);
      group.key_indexes.push_back(batch.key_indexes[order]);
    }
  }
}

void BatchWriter::write_group(const Batch& batch, Group& group, const InputPlan& input,
                              bool is_only, wire::MessageGroup::Builder out) {
  out.setStream(input.stream.value());
  out.setRevision(1);
  if (group.runs.size() == 1 && is_whole(*group.runs[0]) &&
      group.runs[0]->rows().column_count() == input.schema.size()) {
    write_rows(out.initRows(), group.runs[0]->rows());
  } else {
    group.rows.clear();
    for (const MessageRun* run : group.runs) {
      group.rows.append_rows(run->rows(), run->begin, run->end);
    }
    write_rows(out.initRows(), group.rows);
  }
  out.setKeyIndexes(as_data(is_only ? batch.key_indexes : group.key_indexes));
  if (!is_only) {
    out.setOrders(as_data(group.orders));
  }
  auto runs = out.initRuns(static_cast<uint32_t>(group.runs.size()));
  for (uint32_t i = 0; i < runs.size(); ++i) {
    const MessageRun& run = *group.runs[i];
    runs[i].setCount(run.size());
    runs[i].setSequence(run.first_id.sequence);
    runs[i].setFirstIndex(run.first_id.index);
    runs[i].setSystemTimestampUs(run.system_timestamp.microseconds());
  }
  if (!std::ranges::all_of(group.runs,
                           [](const MessageRun* run) { return event_is_system_time(*run); })) {
    out.setEventTimestamps(as_data(std::span<const int64_t>(event_timestamps(group.runs))));
  }
}

void BatchWriter::write_states(const Batch& batch, wire::Batch::Builder out) {
  auto states = out.initInternalStates(static_cast<uint32_t>(plan_.states.size()));
  for (uint32_t i = 0; i < states.size(); ++i) {
    states[i].setName(plan_.states[i].name.value());
    states[i].setFormat(wire_format(plan_.states[i].format));
    state_values_.clear();
    for (size_t key = 0; key < batch.keys.size(); ++key) {
      if (key + kLookAhead < batch.keys.size()) {
        batch.keys[key + kLookAhead]->prefetch();
      }
      const StateSlot& slot = batch.keys[key]->states()[i];
      RETINUE_CHECK(slot.presence != StateSlot::Presence::kNotLoaded, "the batch is preloaded");
      if (slot.presence == StateSlot::Presence::kPresent) {
        state_values_.set_bytes(kValue, slot.value);
      }
      state_values_.finish_row();
    }
    write_column(states[i].initValues(), state_values_.column_bytes()[0]);
  }
}

}  // namespace retinue::worker
