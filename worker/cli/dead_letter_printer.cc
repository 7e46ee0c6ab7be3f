#include "worker/cli/dead_letter_printer.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include "protocol/yson/parser.h"
#include "worker/json/json_row_writer.h"
#include "worker/json/json_writer.h"
#include "worker/log/printable.h"
#include "worker/stream/message_block.h"

namespace retinue::worker {
namespace {

std::string time_text(Timestamp time) {
  const std::time_t seconds = time.microseconds() / 1'000'000;
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(seconds));
}

// null when its stream is gone or has other columns now.
Result<std::string> message_json(const PipelineRecord& record, const MessageBlock& block) {
  const auto stream = record.streams.find(StreamId(std::string(block.stream())));
  if (stream == record.streams.end() || !block.rows().check_schema(stream->second).ok() ||
      block.row_count() == 0) {
    return std::string("null");
  }
  std::string json;
  RETINUE_TRY(JsonRowWriter(stream->second).append(block.rows(), 0, json));
  json.pop_back();  // the line feed
  return json;
}

}  // namespace

Result<std::string> dead_letter_line(const PipelineRecord& record, const DeadLetterId& id,
                                     const DeadLetter& letter, bool json) {
  RETINUE_ASSIGN(const auto block, MessageBlock::open(letter.block));
  RETINUE_ASSIGN(const std::string message, message_json(record, *block));
  if (!json) {
    const std::string error = letter.error.to_string();
    return fmt::format("{}\t{}\t{}\t{}\t{}\t{}", id.to_string(), time_text(letter.failed_at),
                       letter.attempts, printable(error.substr(0, error.find('\n'))),
                       block->stream(), message);
  }
  RETINUE_ASSIGN(const yson::Node key, yson::parse(letter.key));
  std::string line;
  const auto put = [&](std::string_view name) {
    line += line.empty() ? "{" : ",";
    append_json_string(line, name);
    line += ":";
  };
  const auto put_text = [&](std::string_view name, std::string_view value) {
    put(name);
    append_json_string(line, value);
  };
  const auto put_number = [&](std::string_view name, int64_t value) {
    put(name);
    line += fmt::to_string(value);
  };
  put_text("id", id.to_string());
  put_text("computation", id.computation.value());
  put_number("partition", id.partition.value());
  put_text("kind", letter.kind);
  put_text("stream", block->stream());
  put("key");
  append_json(line, key);
  put("message");
  line += message;
  put_text("message_id", message_id_text(block->header().first_id));
  put_number("system_timestamp", block->header().system_timestamp.microseconds());
  put_number("event_timestamp", block->event_timestamp(0).microseconds());
  put_text("error_code", error_code_name(letter.error.code));
  put_text("error", letter.error.message);
  put_text("exception_type", letter.exception_type);
  put_text("trace", letter.trace);
  put_number("attempts", static_cast<int64_t>(letter.attempts));
  put_number("failed_at", letter.failed_at.microseconds());
  return line + "}";
}

}  // namespace retinue::worker
