#include "worker/engine/dead_letter.h"

#include <fmt/format.h>

#include <map>
#include <utility>
#include <variant>

#include "protocol/base/limits.h"
#include "protocol/frame/wire_values.h"
#include "protocol/values/value.h"
#include "protocol/yson/parser.h"
#include "protocol/yson/writer.h"
#include "worker/stream/message_block.h"

namespace retinue::worker {
namespace {

struct ValueWriter {
  yson::Writer& writer;

  void operator()(Null) const { writer.entity(); }
  void operator()(int64_t value) const { writer.int64(value); }
  void operator()(uint64_t value) const { writer.uint64(value); }
  void operator()(double value) const { writer.real(value); }
  void operator()(bool value) const { writer.boolean(value); }
  void operator()(const std::string& value) const { writer.string(value); }
  void operator()(const AnyValue& value) const { writer.raw(value.yson); }
};

// A map of the columns that are no key's hash.
std::string row_as_yson(const TableSchema& schema, const RowBatchView& rows, uint32_t row) {
  std::string out;
  yson::Writer writer(out);
  const Row values = row_at(rows, row);
  writer.begin_map();
  for (uint32_t i = 0; i < values.size(); ++i) {
    const Column& column = schema[ColumnIndex(i)];
    if (column.expression.empty()) {
      writer.key(column.name);
      std::visit(ValueWriter{writer}, values[i]);
    }
  }
  writer.end_map();
  return out;
}

std::string key_as_yson(const FailedInput& input) {
  return row_as_yson(input.plan.key_schema, input.batch.key_rows.view(),
                     input.batch.key_indexes[input.order.value()]);
}

MessageId id_of(const MessageRun& run, uint32_t row) {
  return {.sequence = run.first_id.sequence, .index = run.first_id.index + (row - run.begin)};
}

Error corrupted(std::string_view what) {
  return Error{ErrorCode::kDataCorrupted, fmt::format("a dead letter cannot be read: {}", what)};
}

}  // namespace

std::string message_id_text(MessageId id) {
  return fmt::format("{:x}:{}", id.sequence, id.index);
}

DeadLetter make_dead_letter(const FailedInput& input) {
  const auto [run, row] = input.batch.find(input.order);
  const InputPlan& stream = input.plan.inputs[run->input];
  RowBatchBuilder message(stream.schema);
  message.append_row(run->rows(), row);
  DeadLetter letter;
  letter.block = encode_message_block({.stream = stream.stream.value(),
                                       .revision = SchemaRevision(1),
                                       .first_id = id_of(*run, row),
                                       .system_timestamp = run->system_timestamp,
                                       .event_timestamp = run->event_timestamp(row)},
                                      message.view(), {});
  letter.key = key_as_yson(input);
  letter.error = {input.failure.error.code, std::string(clip_text(input.failure.error.message))};
  letter.exception_type = clip_text(input.failure.exception_type);
  letter.trace = clip_text(input.failure.trace);
  letter.attempts = input.attempts;
  letter.failed_at = input.failed_at;
  return letter;
}

std::string encode_dead_letter(const DeadLetter& letter) {
  std::string record;
  yson::Writer writer(record);
  const auto put = [&](std::string_view key, std::string_view value) {
    writer.key(key);
    writer.string(value);
  };
  writer.begin_map();
  put("kind", letter.kind);
  put("block", letter.block);
  writer.key("key");
  writer.raw(letter.key);
  writer.key("error_code");
  writer.uint64(static_cast<uint64_t>(letter.error.code));
  put("error", letter.error.message);
  put("exception_type", letter.exception_type);
  put("trace", letter.trace);
  writer.key("attempts");
  writer.uint64(letter.attempts);
  writer.key("failed_at");
  writer.int64(letter.failed_at.microseconds());
  writer.end_map();
  return record;
}

Result<DeadLetter> decode_dead_letter(std::string_view record) {
  auto parsed = yson::parse(record, {.bytes_limit = 2 * limits::kFrameBytesLimit});
  if (!parsed || !parsed->is_map()) {
    return corrupted(parsed ? "it is no map" : parsed.error().message);
  }
  DeadLetter letter;
  for (const auto& [name, text] :
       {std::pair("kind", &letter.kind), std::pair("block", &letter.block),
        std::pair("error", &letter.error.message),
        std::pair("exception_type", &letter.exception_type), std::pair("trace", &letter.trace)}) {
    const yson::Node* const node = parsed->find(name);
    if (node == nullptr || !node->is_string()) {
      return corrupted(fmt::format("\"{}\" is no string", name));
    }
    *text = node->as_string();
  }
  const yson::Node* const key = parsed->find("key");
  const yson::Node* const code = parsed->find("error_code");
  const yson::Node* const attempts = parsed->find("attempts");
  const yson::Node* const failed_at = parsed->find("failed_at");
  if (key == nullptr || !key->is_map() || code == nullptr || !code->is_uint64() ||
      code->as_uint64() > UINT16_MAX || attempts == nullptr || !attempts->is_uint64() ||
      failed_at == nullptr || !failed_at->is_int64()) {
    return corrupted("a field is missing, or of another type");
  }
  letter.key = yson::to_string(*key);
  letter.error.code = error_code_from_number(static_cast<uint16_t>(code->as_uint64()))
                          .value_or(ErrorCode::kInternal);
  letter.attempts = attempts->as_uint64();
  letter.failed_at = Timestamp(failed_at->as_int64());
  return letter;
}

Result<RowBatchBuilder> dead_letter_row(const FailedInput& input, PartitionIndex partition,
                                        const TableSchema& stream_schema) {
  const auto [run, row] = input.batch.find(input.order);
  const InputPlan& stream = input.plan.inputs[run->input];
  const BatchFailure& failure = input.failure;
  std::map<std::string_view, Value> values;
  values["computation"] = input.plan.id.value();
  values["partition"] = uint64_t{partition.value()};
  values["kind"] = std::string(kDeadMessage);
  values["stream"] = stream.stream.value();
  values["key"] = AnyValue{key_as_yson(input)};
  values["message"] = AnyValue{row_as_yson(stream.schema, run->rows(), row)};
  values["message_id"] = message_id_text(id_of(*run, row));
  values["system_timestamp"] = run->system_timestamp.microseconds();
  values["event_timestamp"] = run->event_timestamp(row).microseconds();
  values["error_code"] = std::string(error_code_name(failure.error.code));
  values["error"] = std::string(clip_text(failure.error.message));
  values["exception_type"] = std::string(clip_text(failure.exception_type));
  values["trace"] = std::string(clip_text(failure.trace));
  values["attempts"] = input.attempts;
  values["failed_at"] = input.failed_at.microseconds();
  Row out;
  for (const Column& column : stream_schema.columns()) {
    out.push_back(values.at(column.name));
    const auto* const any = std::get_if<AnyValue>(&out.back());
    if (any != nullptr && any->yson.size() > limits::kValueBytesLimit) {
      return Error{ErrorCode::kLimitExceeded,
                   fmt::format("column \"{}\" of the dead-letter stream needs {} bytes, the limit "
                               "of a value is {}; leave the column out",
                               column.name, any->yson.size(), limits::kValueBytesLimit)};
    }
  }
  RowBatchBuilder builder(stream_schema);
  RETINUE_TRY(append_row(builder, stream_schema, out));
  return builder;
}

}  // namespace retinue::worker
