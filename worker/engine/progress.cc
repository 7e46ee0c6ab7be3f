#include "worker/engine/progress.h"

#include <fmt/format.h>

#include "protocol/yson/parser.h"
#include "protocol/yson/writer.h"

namespace retinue::worker {
namespace {

Error corrupted(std::string_view what) {
  return Error{ErrorCode::kDataCorrupted,
               fmt::format("a progress record cannot be read: {}", what)};
}

// A field that is not there is 0, as an older release left it.
Result<uint64_t> number(const yson::Node& map, std::string_view key, uint64_t highest) {
  const yson::Node* node = map.find(key);
  if (node == nullptr) {
    return uint64_t{0};
  }
  if (!node->is_uint64() || node->as_uint64() > highest) {
    return corrupted(fmt::format("\"{}\" is no number up to {}", key, highest));
  }
  return node->as_uint64();
}

Result<std::string> text(const yson::Node& map, std::string_view key) {
  const yson::Node* node = map.find(key);
  if (node == nullptr) {
    return std::string();
  }
  if (!node->is_string()) {
    return corrupted(fmt::format("\"{}\" is no string", key));
  }
  return node->as_string();
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
  if (progress.dead_letters) {
    put("dead_letter_bytes", progress.dead_letters->length);
    put_text("dead_letter_path", progress.dead_letters->path);
  }
  if (!progress.source_rows_done.empty()) {
    writer.key("source_rows_done");
    writer.begin_map();
    for (const auto& [partition, rows] : progress.source_rows_done) {
      put(partition, rows);
    }
    writer.end_map();
  }
  put_text("sink_position", progress.sink_position);
  if (progress.dead_letters_kept > 0) {
    put("dead_letters_kept", progress.dead_letters_kept);
    put("dead_letter_bytes_kept", progress.dead_letter_bytes_kept);
  }
  put("messages_in", progress.messages_in);
  put("messages_out", progress.messages_out);
  put("lines_skipped", progress.lines_skipped);
  writer.end_map();
  return record;
}

Result<Progress> decode_progress(std::string_view record) {
  auto parsed = yson::parse(record);
  if (!parsed || !parsed->is_map()) {
    return corrupted(parsed ? "it is no map" : parsed.error().message);
  }
  const yson::Node& map = *parsed;
  Progress progress;
  RETINUE_ASSIGN(const uint64_t epoch, number(map, "epoch", UINT64_MAX));
  RETINUE_ASSIGN(const uint64_t block, number(map, "inbox_block", UINT64_MAX));
  RETINUE_ASSIGN(const uint64_t row, number(map, "inbox_row", UINT32_MAX));
  if (epoch == 0 || block == 0) {
    return corrupted("it has no epoch or no place in the inbox");
  }
  progress.epoch = Epoch(epoch);
  progress.inbox = {.block = BlockSequence(block), .row = static_cast<uint32_t>(row)};
  RETINUE_ASSIGN(progress.source_position, text(map, "source_position"));
  if (map.find("dead_letter_bytes") != nullptr) {
    FilePosition& dead_letters = progress.dead_letters.emplace();
    RETINUE_ASSIGN(dead_letters.length, number(map, "dead_letter_bytes", UINT64_MAX));
    RETINUE_ASSIGN(dead_letters.path, text(map, "dead_letter_path"));
  }
  if (const yson::Node* const rows_done = map.find("source_rows_done")) {
    if (!rows_done->is_map()) {
      return corrupted("\"source_rows_done\" is no map");
    }
    for (const yson::MapEntry& entry : rows_done->as_map()) {
      RETINUE_ASSIGN(progress.source_rows_done[entry.key],
                     number(*rows_done, entry.key, UINT64_MAX));
    }
  }
  RETINUE_ASSIGN(progress.sink_position, text(map, "sink_position"));
  RETINUE_ASSIGN(progress.dead_letters_kept, number(map, "dead_letters_kept", UINT64_MAX));
  RETINUE_ASSIGN(progress.dead_letter_bytes_kept,
                 number(map, "dead_letter_bytes_kept", UINT64_MAX));
  RETINUE_ASSIGN(progress.messages_in, number(map, "messages_in", UINT64_MAX));
  RETINUE_ASSIGN(progress.messages_out, number(map, "messages_out", UINT64_MAX));
  RETINUE_ASSIGN(progress.lines_skipped, number(map, "lines_skipped", UINT64_MAX));
  return progress;
}

Result<Progress> load_progress(const Store& store, PartitionRef partition) {
  RETINUE_ASSIGN(const std::optional<std::string> record, store.load_progress(partition));
  return record ? decode_progress(*record) : Progress();
}

}  // namespace retinue::worker
