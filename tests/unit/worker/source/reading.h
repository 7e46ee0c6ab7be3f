// What the tests of sources share: specs, and reading a source to its end.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "protocol/values/value.h"
#include "worker/source/make_source.h"

namespace retinue::worker {

inline const TableSchema& text_schema() {
  static const TableSchema schema =
      TableSchema::create({{"line", ColumnType::kString, true, ""},
                           {"file", ColumnType::kString, false, ""},
                           {"number", ColumnType::kUint64, false, ""}})
          .value();
  return schema;
}

inline const TableSchema& json_schema() {
  static const TableSchema schema = TableSchema::create({{"word", ColumnType::kString, true, ""},
                                                         {"count", ColumnType::kInt64, false, ""}})
                                        .value();
  return schema;
}

inline SourceSpec text_spec(std::vector<std::string> paths) {
  SourceSpec spec;
  spec.paths = std::move(paths);
  spec.file_column = "file";
  spec.line_number_column = "number";
  return spec;
}

inline SourceSpec json_spec(std::vector<std::string> paths,
                            BadLinePolicy on_bad_line = BadLinePolicy::kFail) {
  SourceSpec spec;
  spec.type = SourceType::kJsonLines;
  spec.paths = std::move(paths);
  spec.on_bad_line = on_bad_line;
  return spec;
}

inline std::unique_ptr<Source> text_source(std::vector<std::string> paths) {
  return make_source(text_spec(std::move(paths)), text_schema()).value();
}

// What a stretch of reading gave.
struct Reading {
  std::vector<Row> rows;
  std::vector<std::string> partitions;  // of the chunks with rows
  std::string dead_letters;
  std::string position;
  uint64_t bytes_read = 0;
  uint64_t bytes_done = 0;
  uint64_t lines_skipped = 0;
  bool is_last = false;
  std::optional<Error> error;

  // The first column, which must be a string.
  std::vector<std::string> texts() const {
    std::vector<std::string> texts;
    for (const Row& row : rows) {
      texts.push_back(std::get<std::string>(row[0]));
    }
    return texts;
  }
};

// Reads one chunk into `reading`; false at the end or an error.
inline bool read_chunk(Source& source, Reading& reading, uint32_t rows_limit = 1000,
                       size_t bytes_limit = 1 << 20) {
  static thread_local SourceChunk chunk;
  const Result<void> result = source.read(chunk, rows_limit, bytes_limit);
  if (!result) {
    reading.error = result.error();
    return false;
  }
  EXPECT_LE(chunk.rows.row_count(), rows_limit);
  const RowBatchView view = chunk.rows.view();
  for (uint32_t row = 0; row < view.row_count(); ++row) {
    reading.rows.push_back(row_at(view, row));
  }
  if (view.row_count() > 0) {
    reading.partitions.push_back(chunk.partition);
  }
  EXPECT_FALSE(chunk.partition.empty());
  reading.dead_letters += chunk.dead_letters;
  reading.position = chunk.position;
  reading.bytes_read += chunk.bytes_read;
  reading.bytes_done = chunk.bytes_done;
  reading.lines_skipped += chunk.lines_skipped;
  reading.is_last = chunk.is_last;
  return !chunk.is_last;
}

inline Reading read_all(Source& source, uint32_t rows_limit = 1000, size_t bytes_limit = 1 << 20) {
  Reading reading;
  while (read_chunk(source, reading, rows_limit, bytes_limit)) {
  }
  return reading;
}

}  // namespace retinue::worker
