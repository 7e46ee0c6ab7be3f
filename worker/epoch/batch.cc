#include "worker/epoch/batch.h"

#include <fmt/format.h>

#include "protocol/frame/wire_values.h"
#include "protocol/values/value.h"
#include "worker/json/json_row_writer.h"

namespace retinue::worker {
namespace {

constexpr size_t kShownBytesMax = 64;
constexpr size_t kShownPayloadBytesMax = 200;

struct ValuePrinter {
  std::string operator()(Null) const { return "null"; }
  std::string operator()(int64_t value) const { return fmt::to_string(value); }
  std::string operator()(uint64_t value) const { return fmt::format("{}u", value); }
  std::string operator()(double value) const { return fmt::to_string(value); }
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(const std::string& value) const {
    return fmt::format("\"{}\"{}", std::string_view(value).substr(0, kShownBytesMax),
                       value.size() > kShownBytesMax ? "…" : "");
  }
  std::string operator()(const AnyValue&) const { return "any"; }
};

// The message as JSON, so that it can be found in the input.
std::string shown_payload(const TableSchema& schema, const RowBatchView& rows, uint32_t row) {
  std::string json;
  if (const auto written = JsonRowWriter(schema).append(rows, row, json); !written) {
    return written.error().message;
  }
  json.pop_back();  // the line feed
  const std::string_view shown = clip_text(json, kShownPayloadBytesMax);
  return shown.size() == json.size() ? json : std::string(shown) + "…";
}

}  // namespace

std::pair<const MessageRun*, uint32_t> Batch::find(OrderPosition position) const {
  uint32_t left = position.value();
  for (const MessageRun& run : runs) {
    if (left < run.size()) {
      return {&run, run.begin + left};
    }
    left -= run.size();
  }
  RETINUE_CHECK(false, "the position is outside the batch");
}

std::vector<int64_t> Batch::event_timestamps() const {
  std::vector<int64_t> timestamps;
  timestamps.reserve(row_count);
  for (const MessageRun& run : runs) {
    for (uint32_t row = run.begin; row < run.end; ++row) {
      timestamps.push_back(run.event_timestamp(row).microseconds());
    }
  }
  return timestamps;
}

size_t Batch::byte_size() const {
  size_t bytes = key_rows.byte_size();
  for (const MessageRun& run : runs) {
    bytes += run.rows().byte_size(run.begin, run.end);
  }
  for (const KeyEntry* entry : keys) {
    for (const StateSlot& slot : entry->states()) {
      bytes += slot.value.size();
    }
  }
  return bytes;
}

std::string describe_input(const ComputationPlan& plan, const Batch& batch,
                           OrderPosition position) {
  const auto [run, row] = batch.find(position);
  std::string key;
  for (const Value& value : row_at(batch.key_rows.view(), batch.key_indexes[position.value()])) {
    key += key.empty() ? "" : ", ";
    key += std::visit(ValuePrinter{}, value);
  }
  const InputPlan& input = plan.inputs[run->input];
  return fmt::format("message {:x}:{} of stream \"{}\" with key ({}): {}", run->first_id.sequence,
                     run->first_id.index + (row - run->begin), input.stream.value(), key,
                     shown_payload(input.schema, run->rows(), row));
}

}  // namespace retinue::worker
