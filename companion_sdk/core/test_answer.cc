#include "companion_sdk/core/test_answer.h"

#include <fmt/format.h>

#include <cstring>
#include <span>
#include <string_view>
#include <utility>

#include "protocol/frame/guard.h"
#include "protocol/frame/wire_values.h"

namespace retinue::companion {
namespace {

Error violation(std::string message) {
  return Error{ErrorCode::kProtocolViolation, std::move(message)};
}

class AnswerReader {
 public:
  AnswerReader(const JobSpec& job, const std::vector<Row>& keys) : job_(job), keys_(keys) {}

  Result<TestAnswer> read(wire::Envelope::Reader envelope) {
    if (envelope.isBatchFailed()) {
      return read_failed(envelope.getBatchFailed());
    }
    if (!envelope.isBatchDone()) {
      return violation(
          fmt::format("message {} answers no batch", static_cast<int>(envelope.which())));
    }
    auto done = envelope.getBatchDone();
    TestAnswer answer;
    answer.epoch = done.getEpoch();
    answer.attempt = done.getAttempt();
    if (done.getJob() != job_.id.value()) {
      return violation(fmt::format("BatchDone.job: {}", done.getJob()));
    }
    for (auto group : done.getOutputs()) {
      RETINUE_TRY(read_outputs(group, answer));
    }
    for (auto group : done.getTimers()) {
      RETINUE_TRY(read_new_timers(group, answer));
    }
    for (auto group : done.getCancelledTimers()) {
      RETINUE_TRY(read_cancelled_timers(group, answer));
    }
    for (auto delta : done.getInternalStates()) {
      RETINUE_TRY(read_delta(delta, answer));
    }
    return answer;
  }

 private:
  static Result<TestAnswer> read_failed(wire::BatchFailed::Reader in) {
    TestAnswer answer;
    answer.epoch = in.getEpoch();
    answer.attempt = in.getAttempt();
    answer.failure.emplace();
    answer.failure->error = read_error(in.getError());
    if (in.getHasInput()) {
      answer.failure->input = OrderPosition(in.getOrder());
    }
    answer.failure->exception_type = as_view(in.getExceptionType());
    answer.failure->trace = as_view(in.getTrace());
    return answer;
  }

  Result<const StreamSpec*> stream(capnp::Text::Reader name, StreamRole role) const {
    const auto index = job_.find_stream(as_view(name));
    if (!index || job_.stream(*index).role != role) {
      return violation(fmt::format("no {} stream \"{}\"", stream_role_name(role), as_view(name)));
    }
    return &job_.stream(*index);
  }

  Result<Row> key(uint32_t index) const {
    if (index >= keys_.size()) {
      return violation(fmt::format("key index {} where there are {} keys", index, keys_.size()));
    }
    return keys_[index];
  }

  Result<void> read_outputs(wire::OutputGroup::Reader in, TestAnswer& answer) const {
    RETINUE_ASSIGN(const StreamSpec* spec, stream(in.getStream(), StreamRole::kOutput));
    RETINUE_ASSIGN(const RowBatchView rows, read_rows(in.getRows()));
    RETINUE_TRY(rows.check_schema(spec->schema));
    const uint32_t count = rows.row_count();
    const auto parent_count = static_cast<uint32_t>(in.getParents().size() / sizeof(uint32_t));
    RETINUE_ASSIGN(const auto parents, read_u32(in.getParents(), parent_count, "parents"));
    std::span<const uint32_t> offsets;
    if (in.hasParentOffsets()) {
      RETINUE_ASSIGN(offsets, read_u32(in.getParentOffsets(), count + 1, "parentOffsets"));
    } else if (parent_count != count) {
      return violation("parents: not one a row");
    }
    std::span<const int64_t> times;
    if (in.hasEventTimestamps()) {
      RETINUE_ASSIGN(times, read_i64(in.getEventTimestamps(), count, "eventTimestamps"));
    }
    for (uint32_t row = 0; row < count; ++row) {
      TestOutput output;
      output.stream = spec->name;
      output.row = row_at(rows, row);
      const uint32_t begin = offsets.empty() ? row : offsets[row];
      const uint32_t end = offsets.empty() ? row + 1 : offsets[row + 1];
      if (begin >= end || end > parent_count) {
        return violation("parentOffsets: outside parents, or no parent");
      }
      output.parents.assign(parents.begin() + begin, parents.begin() + end);
      if (!times.empty()) {
        output.event_timestamp = Timestamp(times[row]);
      }
      answer.outputs.push_back(std::move(output));
    }
    return {};
  }

  Result<void> read_new_timers(wire::NewTimers::Reader in, TestAnswer& answer) const {
    RETINUE_ASSIGN(const StreamSpec* spec, stream(in.getStream(), StreamRole::kTimer));
    const auto count = static_cast<uint32_t>(in.getKeyIndexes().size() / sizeof(uint32_t));
    RETINUE_ASSIGN(const auto keys, read_u32(in.getKeyIndexes(), count, "keyIndexes"));
    RETINUE_ASSIGN(const auto triggers, read_i64(in.getTriggers(), count, "triggers"));
    RETINUE_ASSIGN(const auto parents, read_u32(in.getParents(), count, "parents"));
    std::span<const int64_t> times;
    if (in.hasEventTimestamps()) {
      RETINUE_ASSIGN(times, read_i64(in.getEventTimestamps(), count, "eventTimestamps"));
    }
    for (uint32_t i = 0; i < count; ++i) {
      TestTimer timer;
      timer.stream = spec->name;
      timer.trigger = Timestamp(triggers[i]);
      RETINUE_ASSIGN(timer.key, key(keys[i]));
      timer.parent = parents[i];
      if (!times.empty()) {
        timer.event_timestamp = Timestamp(times[i]);
      }
      answer.new_timers.push_back(std::move(timer));
    }
    return {};
  }

  Result<void> read_cancelled_timers(wire::CancelledTimers::Reader in, TestAnswer& answer) const {
    RETINUE_ASSIGN(const StreamSpec* spec, stream(in.getStream(), StreamRole::kTimer));
    const auto count = static_cast<uint32_t>(in.getKeyIndexes().size() / sizeof(uint32_t));
    RETINUE_ASSIGN(const auto keys, read_u32(in.getKeyIndexes(), count, "keyIndexes"));
    RETINUE_ASSIGN(const auto triggers, read_i64(in.getTriggers(), count, "triggers"));
    for (uint32_t i = 0; i < count; ++i) {
      TestTimer timer;
      timer.stream = spec->name;
      timer.trigger = Timestamp(triggers[i]);
      RETINUE_ASSIGN(timer.key, key(keys[i]));
      answer.cancelled_timers.push_back(std::move(timer));
    }
    return {};
  }

  Result<void> read_delta(wire::InternalStateDelta::Reader in, TestAnswer& answer) const {
    const std::string name(as_view(in.getName()));
    if (!job_.find_state(name)) {
      return violation(fmt::format("no state \"{}\"", name));
    }
    const auto count = static_cast<uint32_t>(in.getKeyIndexes().size() / sizeof(uint32_t));
    RETINUE_ASSIGN(const auto keys, read_u32(in.getKeyIndexes(), count, "keyIndexes"));
    RETINUE_ASSIGN(const RowBatchView rows, read_column(in.getValues(), count));
    const ColumnView& values = rows.column(ColumnIndex(0));
    if (values.type() != ColumnType::kString) {
      return violation("values: not a column of strings");
    }
    for (uint32_t i = 0; i < count; ++i) {
      if (i > 0 && keys[i] <= keys[i - 1]) {
        return violation("keyIndexes: not ascending");
      }
      TestStateChange change;
      change.state = name;
      RETINUE_ASSIGN(change.key, key(keys[i]));
      if (!values.is_null(i)) {
        change.bytes = std::string(values.bytes_at(i));
      }
      answer.state_changes.push_back(std::move(change));
    }
    return {};
  }

  const JobSpec& job_;
  const std::vector<Row>& keys_;
};

}  // namespace

std::vector<Row> TestAnswer::rows(const std::string& stream) const {
  std::vector<Row> rows;
  for (const TestOutput& output : outputs) {
    if (output.stream == stream) {
      rows.push_back(output.row);
    }
  }
  return rows;
}

Result<Frame> frame_of(FrameWriter& message) {
  const std::string bytes = message.to_bytes();
  auto words = kj::heapArray<capnp::word>(bytes.size() / sizeof(capnp::word));
  std::memcpy(words.begin(), bytes.data(), bytes.size());
  return Frame::open(std::move(words));
}

std::optional<TestLog> read_log(const Frame& frame) {
  auto log = decode_guarded([&]() -> Result<std::optional<TestLog>> {
    if (!frame.envelope().isLog()) {
      return std::optional<TestLog>();
    }
    auto in = frame.envelope().getLog();
    TestLog read;
    read.level = static_cast<LogLevel>(in.getLevel());
    read.message = as_view(in.getMessage());
    for (auto field : in.getFields()) {
      read.fields.emplace_back(as_view(field.getName()), as_view(field.getValue()));
    }
    return std::optional(std::move(read));
  });
  return log ? std::move(log).value() : std::nullopt;
}

Result<void> read_job_ready(const Frame* frame) {
  return decode_guarded([&]() -> Result<void> {
    if (frame != nullptr && frame->envelope().isJobFailed()) {
      return read_error(frame->envelope().getJobFailed().getError());
    }
    if (frame == nullptr || !frame->envelope().isJobReady()) {
      return violation("no JobReady came");
    }
    return {};
  });
}

Result<TestAnswer> read_test_answer(const JobSpec& job, const std::vector<Row>& keys,
                                    const Frame& frame) {
  return decode_guarded([&] { return AnswerReader(job, keys).read(frame.envelope()); });
}

}  // namespace retinue::companion
