#include "worker/epoch/answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "protocol/frame/guard.h"
#include "protocol/yson/parser.h"
#include "worker/state/state_value.h"

namespace retinue::worker {
namespace {

constexpr ColumnIndex kValue(0);
// How many entries ahead states are brought into the processor's caches.
constexpr uint32_t kLookAhead = 8;

Error violation(std::string message) {
  return Error{ErrorCode::kProtocolViolation, std::move(message)};
}

Result<void> check_addressed(const Batch& batch, uint64_t epoch, uint32_t attempt) {
  if (epoch != batch.epoch.value() || attempt != batch.attempt) {
    return violation(
        fmt::format("the answer is for epoch {}, attempt {}; epoch {}, attempt {} is "
                    "out",
                    epoch, attempt, batch.epoch.value(), batch.attempt));
  }
  return {};
}

// The minimum of the parents' event times, row by row.
class ParentTimes {
 public:
  explicit ParentTimes(const Batch& batch) : batch_(batch) {}

  Result<std::vector<int64_t>> minimum(wire::OutputGroup::Reader group, uint32_t rows,
                                       std::string_view stream) {
    const capnp::Data::Reader parents = group.getParents();
    const auto parent_count = static_cast<uint32_t>(parents.size() / sizeof(uint32_t));
    RETINUE_ASSIGN(const std::span<const uint32_t> positions,
                   read_u32(parents, parent_count, "parents"));
    std::span<const uint32_t> offsets;
    if (group.hasParentOffsets()) {
      RETINUE_ASSIGN(offsets, read_u32(group.getParentOffsets(), rows + 1, "parentOffsets"));
    } else if (parent_count != rows) {
      return violation(fmt::format("outputs of stream \"{}\": {} parents for {} messages", stream,
                                   parent_count, rows));
    }
    if (!offsets.empty() && (offsets.front() != 0 || offsets.back() != parent_count)) {
      return violation(
          fmt::format("outputs of stream \"{}\": parentOffsets do not span parents", stream));
    }
    if (inputs_.empty()) {
      inputs_ = batch_.event_timestamps();
    }
    std::vector<int64_t> times(rows);
    for (uint32_t row = 0; row < rows; ++row) {
      const uint32_t begin = offsets.empty() ? row : offsets[row];
      const uint32_t end = offsets.empty() ? row + 1 : offsets[row + 1];
      if (begin >= end || end > parent_count) {
        return violation(
            fmt::format("outputs of stream \"{}\": message {} has no parent", stream, row));
      }
      int64_t earliest = INT64_MAX;
      for (uint32_t i = begin; i < end; ++i) {
        if (positions[i] >= batch_.row_count) {
          return violation(
              fmt::format("outputs of stream \"{}\": message {} has the parent {}, the "
                          "batch has {} inputs",
                          stream, row, positions[i], batch_.row_count));
        }
        earliest = std::min(earliest, inputs_[positions[i]]);
      }
      times[row] = earliest;
    }
    return times;
  }

 private:
  const Batch& batch_;
  std::vector<int64_t> inputs_;
};

// What a schema does not say of rows, and what would stop the pipeline further down.
Result<void> check_output_values(const OutputPlan& output, const RowBatchView& rows) {
  for (uint32_t i = 0; i < rows.column_count(); ++i) {
    const ColumnView& column = rows.column(ColumnIndex(i));
    if (column.type() != ColumnType::kAny) {
      continue;
    }
    for (uint32_t row = 0; row < rows.row_count(); ++row) {
      if (column.is_null(row)) {
        continue;
      }
      if (auto valid = yson::validate(column.bytes_at(row)); !valid) {
        return std::move(valid).error().with_context(
            fmt::format("message {}, column \"{}\"", row, output.schema[ColumnIndex(i)].name));
      }
    }
  }
  return output.check_keys(rows);
}

Result<AnsweredOutput> read_output(const ComputationPlan& plan, ParentTimes& parent_times,
                                   wire::OutputGroup::Reader group) {
  const std::string_view stream = as_view(group.getStream());
  const auto output = std::ranges::find_if(
      plan.outputs, [&](const OutputPlan& one) { return one.stream.value() == stream; });
  if (output == plan.outputs.end() ||
      plan.dead_letter_output == static_cast<uint32_t>(output - plan.outputs.begin())) {
    return violation(fmt::format(
        "it emits to the stream \"{}\", which is not among the output_stream_ids of computation "
        "\"{}\"",
        stream, plan.id.value()));
  }
  AnsweredOutput answered;
  answered.output = static_cast<uint32_t>(output - plan.outputs.begin());
  const auto context = [&] { return fmt::format("outputs of stream \"{}\"", stream); };
  auto rows = read_rows(group.getRows());
  if (!rows) {
    return std::move(rows).error().with_context(context());
  }
  answered.rows = std::move(rows).value();
  if (auto checked = answered.rows.check_schema(output->schema); !checked) {
    return std::move(checked).error().with_context(context());
  }
  if (answered.rows.column_count() != output->schema.size()) {
    return violation(fmt::format("{}: it has {} columns, the schema {}", context(),
                                 answered.rows.column_count(), output->schema.size()));
  }
  if (auto checked = check_output_values(*output, answered.rows); !checked) {
    return std::move(checked).error().with_context(context());
  }
  const uint32_t row_count = answered.rows.row_count();
  RETINUE_ASSIGN(answered.event_timestamps, parent_times.minimum(group, row_count, stream));
  if (group.hasEventTimestamps()) {
    RETINUE_ASSIGN(const auto times,
                   read_i64(group.getEventTimestamps(), row_count, "eventTimestamps"));
    answered.event_timestamps.assign(times.begin(), times.end());
  }
  return answered;
}

Result<void> check_values(const ComputationPlan& plan, const StatePlan& state,
                          const AnsweredState& answered) {
  const ColumnView& values = answered.values.column(kValue);
  for (uint32_t i = 0; i < answered.key_indexes.size(); ++i) {
    if (values.is_null(i)) {
      continue;
    }
    const std::string_view value = values.bytes_at(i);
    const auto context = [&] {
      return fmt::format("state \"{}\" of computation \"{}\", key {}", state.name.value(),
                         plan.id.value(), answered.key_indexes[i]);
    };
    if (value.size() > limits::kValueBytesLimit) {
      return Error{ErrorCode::kLimitExceeded,
                   fmt::format("{}: {} bytes, the limit is {}", context(), value.size(),
                               limits::kValueBytesLimit)};
    }
    if (state.format == StateFormat::kYson) {
      if (auto valid = yson::validate(value); !valid) {
        return std::move(valid).error().with_context(context());
      }
    }
  }
  return {};
}

Result<AnsweredState> read_state(const ComputationPlan& plan, const Batch& batch,
                                 wire::InternalStateDelta::Reader delta) {
  const std::string_view name = as_view(delta.getName());
  const auto state = std::ranges::find_if(
      plan.states, [&](const StatePlan& one) { return one.name.value() == name; });
  if (state == plan.states.end()) {
    return violation(
        fmt::format("it changes the state \"{}\", which computation \"{}\" does not "
                    "declare in internal_states",
                    name, plan.id.value()));
  }
  AnsweredState answered;
  answered.state = static_cast<uint32_t>(state - plan.states.begin());
  const capnp::Data::Reader indexes = delta.getKeyIndexes();
  const auto count = static_cast<uint32_t>(indexes.size() / sizeof(uint32_t));
  RETINUE_ASSIGN(answered.key_indexes, read_u32(indexes, count, "keyIndexes"));
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t index = answered.key_indexes[i];
    if (index >= batch.keys.size()) {
      return violation(fmt::format("it changes state \"{}\" of key {}, the batch has {} keys", name,
                                   index, batch.keys.size()));
    }
    if (i > 0 && index <= answered.key_indexes[i - 1]) {
      return violation(
          fmt::format("the key indexes of state \"{}\" do not ascend at entry {}", name, i));
    }
  }
  auto values = read_column(delta.getValues(), count);
  if (!values) {
    return std::move(values).error().with_context(fmt::format("state \"{}\"", name));
  }
  answered.values = std::move(values).value();
  if (answered.values.column(kValue).type() != ColumnType::kString) {
    return violation(fmt::format("the values of state \"{}\" are not a string column", name));
  }
  RETINUE_TRY(check_values(plan, *state, answered));
  return answered;
}

}  // namespace

Result<Answer> read_answer(const ComputationPlan& plan, const Batch& batch,
                           wire::BatchDone::Reader done) {
  return decode_guarded([&]() -> Result<Answer> {
    RETINUE_TRY(check_addressed(batch, done.getEpoch(), done.getAttempt()));
    if (done.getTimers().size() > 0 || done.getCancelledTimers().size() > 0) {
      return violation("it sets timers, which the job does not have");
    }
    if (done.getExternalStates().size() > 0) {
      return violation("it changes external states, which the job does not have");
    }
    Answer answer;
    answer.cpu_time_ns = done.getCost().getCpuTimeNs();
    ParentTimes parent_times(batch);
    std::vector<bool> has_state(plan.states.size());
    for (const auto group : done.getOutputs()) {
      RETINUE_ASSIGN(auto output, read_output(plan, parent_times, group));
      answer.outputs.push_back(std::move(output));
    }
    for (const auto delta : done.getInternalStates()) {
      RETINUE_ASSIGN(auto state, read_state(plan, batch, delta));
      if (has_state[state.state]) {
        return violation(fmt::format("it has two deltas of state \"{}\"",
                                     plan.states[state.state].name.value()));
      }
      has_state[state.state] = true;
      answer.states.push_back(std::move(state));
    }
    return answer;
  });
}

void apply_states(const ComputationPlan& plan, const Batch& batch, const Answer& answer,
                  StateCache& cache, StateChanges& changes) {
  for (const AnsweredState& delta : answer.states) {
    const StateNumber number = plan.states[delta.state].number;
    const ColumnView& values = delta.values.column(kValue);
    const auto count = static_cast<uint32_t>(delta.key_indexes.size());
    for (uint32_t i = 0; i < count; ++i) {
      if (i + kLookAhead < count) {
        batch.keys[delta.key_indexes[i + kLookAhead]]->prefetch();
      }
      KeyEntry& entry = *batch.keys[delta.key_indexes[i]];
      const StateSlot& slot = entry.states()[delta.state];
      const bool was_present = slot.presence == StateSlot::Presence::kPresent;
      if (values.is_null(i)) {
        if (!was_present) {
          continue;
        }
        append_state_row_key(changes.begin_key(), plan.owner, entry.key(), number);
        changes.clear_row();
        cache.set_absent(entry, delta.state);
      } else {
        const std::string_view value = values.bytes_at(i);
        if (was_present && slot.value == value) {
          continue;
        }
        append_state_row_key(changes.begin_key(), plan.owner, entry.key(), number);
        changes.set_with_prefix(kStoredPlain, value);
        cache.set(entry, delta.state, value);
      }
    }
  }
  changes.sort();
}

Result<BatchFailure> read_failure(const ComputationPlan& plan, const Batch& batch,
                                  wire::BatchFailed::Reader failed) {
  return decode_guarded([&]() -> Result<BatchFailure> {
    RETINUE_TRY(check_addressed(batch, failed.getEpoch(), failed.getAttempt()));
    BatchFailure failure;
    failure.error = read_error(failed.getError());
    const std::string_view type = as_view(failed.getExceptionType());
    if (!type.empty()) {
      failure.error = std::move(failure.error).with_context(type);
      failure.exception_type = type;
    }
    if (failed.getHasInput()) {
      if (failed.getOrder() >= batch.row_count) {
        return violation(fmt::format("the failed input is {}, the batch has {} inputs",
                                     failed.getOrder(), batch.row_count));
      }
      failure.order = OrderPosition(failed.getOrder());
      failure.input = describe_input(plan, batch, *failure.order);
    }
    failure.trace = as_view(failed.getTrace());
    return failure;
  });
}

}  // namespace retinue::worker
