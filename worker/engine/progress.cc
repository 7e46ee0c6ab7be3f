#include "worker/engine/progress.h"

#include <fmt/format.h>

#include "protocol/yson/parser.h"
#include "protocol/yson/writer.h"

namespace retinue::worker {
namespace {

uint64_t number(const yson::Node& map, std::string_view key) {
  const yson::Node* node = map.find(key);
  return node != nullptr && node->is_uint64() ? node->as_uint64() : 0;
}

std::string text(const yson::Node& map, std::string_view key) {
  const yson::Node* node = map.find(key);
  return node != nullptr && node->is_string() ? node->as_string() : std::string();
}

}  // namespace

std::string encode_progress(const Progress& progress) {
  std::string record;
  yson::Writer writer(record);
  const auto put = [&](std::string_view key, uint64_t value) {
    writer.key(key);
    writer.uint64(value);
  };
  const auto put_text = [&](std::string_view key, std::string_view value) {
    if (!value.empty()) {
      writer.key(key);
      writer.string(value);
    }
  };
  writer.begin_map();
  put("epoch", progress.epoch.value());
  put("inbox_block", progress.inbox.block.value());
  put("inbox_row", progress.inbox.row);
  put_text("source_position", progress.source_position);
  if (progress.dead_letter_bytes) {
    put("dead_letter_bytes", *progress.dead_letter_bytes);
  }
  put_text("sink_position", progress.sink_position);
  put("messages_in", progress.messages_in);
  put("messages_out", progress.messages_out);
  put("lines_skipped", progress.lines_skipped);
  writer.end_map();
  return record;
}

Result<Progress> decode_progress(std::string_view record) {
  auto parsed = yson::parse(record);
  if (!parsed || !parsed->is_map()) {
    return Error{ErrorCode::kDataCorrupted,
                 fmt::format("a progress record cannot be read{}",
                             parsed ? "" : ": " + parsed.error().message)};
  }
  const yson::Node& map = *parsed;
  Progress progress;
  progress.epoch = Epoch(number(map, "epoch"));
  progress.inbox = {.block = BlockSequence(number(map, "inbox_block")),
                    .row = static_cast<uint32_t>(number(map, "inbox_row"))};
  progress.source_position = text(map, "source_position");
  if (map.find("dead_letter_bytes") != nullptr) {
    progress.dead_letter_bytes = number(map, "dead_letter_bytes");
  }
  progress.sink_position = text(map, "sink_position");
  progress.messages_in = number(map, "messages_in");
  progress.messages_out = number(map, "messages_out");
  progress.lines_skipped = number(map, "lines_skipped");
  return progress;
}

}  // namespace retinue::worker
