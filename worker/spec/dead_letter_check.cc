#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "worker/json/error_text.h"
#include "worker/spec/dead_letter_schema.h"
#include "worker/spec/part_check.h"

namespace retinue::worker {
namespace {

std::vector<std::string_view> known_names() {
  std::vector<std::string_view> names;
  for (const Column& column : dead_letter_columns()) {
    names.push_back(column.name);
  }
  return names;
}

void check_columns(const StreamId& stream, const TableSchema& schema, Problems& problems) {
  const std::string path =
      child_path(child_path("/streams", stream.value()), std::string_view("schema"));
  for (uint32_t i = 0; i < schema.size(); ++i) {
    const Column& column = schema[ColumnIndex(i)];
    const auto known = std::ranges::find(dead_letter_columns(), column.name, &Column::name);
    if (known == dead_letter_columns().end()) {
      problems.add(child_path(child_path(path, i), std::string_view("name")),
                   fmt::format("expected a column of a dead-letter stream, found {}{}",
                               quote_text(column.name), did_you_mean(column.name, known_names())));
    } else if (known->type != column.type) {
      problems.add(child_path(child_path(path, i), std::string_view("type")),
                   fmt::format("expected {}, the type of {} in a dead-letter stream, found {}",
                               quote_text(column_type_name(known->type)), quote_text(column.name),
                               quote_text(column_type_name(column.type))));
    }
  }
}

}  // namespace

std::span<const Column> dead_letter_columns() {
  static const std::vector<Column> kColumns = [] {
    std::vector<Column> made;
    const auto add = [&](std::string_view name, ColumnType type) {
      made.push_back(
          {.name = std::string(name), .type = type, .required = false, .expression = ""});
    };
    add("computation", ColumnType::kString);
    add("partition", ColumnType::kUint64);
    add("kind", ColumnType::kString);
    add("stream", ColumnType::kString);
    add("key", ColumnType::kAny);
    add("message", ColumnType::kAny);
    add("message_id", ColumnType::kString);
    add("system_timestamp", ColumnType::kInt64);
    add("event_timestamp", ColumnType::kInt64);
    add("error_code", ColumnType::kString);
    add("error", ColumnType::kString);
    add("exception_type", ColumnType::kString);
    add("trace", ColumnType::kString);
    add("attempts", ColumnType::kUint64);
    add("failed_at", ColumnType::kInt64);
    return made;
  }();
  return kColumns;
}

void check_dead_letters(const PipelineSpec& spec, Problems& problems) {
  for (const auto& [id, computation] : spec.computations) {
    if (!computation.dead_letter_stream_id) {
      continue;
    }
    const StreamId& stream = *computation.dead_letter_stream_id;
    if (std::ranges::count(computation.output_stream_ids, stream) > 0 ||
        computation.source_stream_id == stream) {
      problems.add(part_path("computations", id.value(), "dead_letter_stream_id"),
                   "expected a stream of its own, which the computation has no other use for");
    }
    if (const auto found = spec.streams.find(stream); found != spec.streams.end()) {
      check_columns(stream, found->second.schema, problems);
    }
  }
}

}  // namespace retinue::worker
