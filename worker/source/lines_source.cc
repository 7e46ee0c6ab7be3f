#include "worker/source/lines_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "protocol/base/limits.h"
#include "protocol/values/farm_hash.h"
#include "worker/json/json_writer.h"
#include "worker/source/byte_reader.h"
#include "worker/source/input_file.h"

namespace retinue::worker {
namespace {

void append_dead_letter(std::string& out, std::string_view path, const Line& line,
                        const BadLine& bad) {
  out += "{\"file\":";
  append_json_string(out, path);
  fmt::format_to(std::back_inserter(out), ",\"line\":{},\"column\":{},\"error\":", line.end.lines,
                 bad.column);
  append_json_string(out, bad.error);
  out += ",\"text\":";
  append_json_string(out, line.text);
  out += "}\n";
}

void clear_chunk(SourceChunk& chunk, const TableSchema& schema) {
  if (chunk.rows.view().column_count() == schema.size()) {
    chunk.rows.clear();
  } else {
    chunk.rows = RowBatchBuilder(schema);
  }
  chunk.partition.clear();
  chunk.position.clear();
  chunk.bytes_read = 0;
  chunk.bytes_done = 0;
  chunk.lines_skipped = 0;
  chunk.dead_letters.clear();
  chunk.is_last = false;
}

}  // namespace

LinesSource::LinesSource(std::vector<InputPath> inputs, TableSchema schema,
                         std::unique_ptr<RecordParser> parser, std::unique_ptr<Interrupt> interrupt,
                         Options options)
    : schema_(std::move(schema)),
      options_(options),
      parser_(std::move(parser)),
      interrupt_(std::move(interrupt)) {
  for (InputPath& input : inputs) {
    File& file = files_.emplace_back();
    file.fingerprint = fingerprint(input.path);
    file.input = std::move(input);
  }
}

std::vector<std::string> LinesSource::paths() const {
  std::vector<std::string> paths;
  paths.reserve(files_.size());
  for (const File& file : files_) {
    paths.push_back(file.input.path);
  }
  return paths;
}

std::optional<uint64_t> LinesSource::total_bytes() const {
  uint64_t total = 0;
  for (const File& file : files_) {
    if (!file.input.size_bytes) {
      return std::nullopt;
    }
    total += *file.input.size_bytes;
  }
  return total;
}

Result<void> LinesSource::seek(std::string_view position) {
  RETINUE_ASSIGN(position_, decode_position(position));
  for (File& file : files_) {
    const auto found = position_.finished.find(file.fingerprint);
    if (found == position_.finished.end()) {
      continue;
    }
    file.place = found->second.place;
    file.stored_bytes_read = found->second.stored_bytes;
    const uint64_t size = file.input.size_bytes.value_or(file.stored_bytes_read);
    if (size < file.stored_bytes_read) {
      return ends_early(file.input.path, size, file.stored_bytes_read);
    }
    // A pipe is never finished for good: another run may bring more.
    file.is_finished = file.input.size_bytes && size == file.stored_bytes_read;
  }
  if (position_.path.empty()) {
    return {};
  }
  const auto file = std::find_if(files_.begin(), files_.end(), [&](const File& candidate) {
    return candidate.input.path == position_.path;
  });
  if (file == files_.end() || file->input.is_gone) {
    return Error{ErrorCode::kIoError,
                 fmt::format("{}: was read up to byte {}, but is gone, or the source's paths name "
                             "it no longer; put it back, or start the pipeline from the beginning "
                             "with a new data directory",
                             position_.path, position_.place.offset)};
  }
  file->place = position_.place;
  // Opening a pipe may wait for its first bytes, and tells nothing about the position.
  return file->input.size_bytes ? open(*file) : Result<void>();
}

Result<void> LinesSource::open(File& file) {
  const std::string& path = file.input.path;
  position_.finished.erase(file.fingerprint);
  position_.path = path;
  position_.place = file.place;
  RETINUE_ASSIGN(auto input, InputFile::open(path, *interrupt_, options_.stdin_fd));
  // A pipe cannot go back: it goes on with what it gives now.
  const bool must_skip = input->is_regular() && file.place.offset > 0;
  auto start = LineReader::Start::kOfFile;
  RETINUE_ASSIGN(auto reader, open_byte_reader(std::move(input), options_.compression));
  if (must_skip) {
    char byte_before = '\n';
    RETINUE_TRY(reader->skip_to(file.place.offset - 1));
    RETINUE_ASSIGN(const auto count, reader->read(&byte_before, 1, true));
    if (*count == 0) {
      return ends_early(path, file.place.offset - 1, file.place.offset);
    }
    start = byte_before == '\n' ? LineReader::Start::kOfLine : LineReader::Start::kWithinLine;
  }
  lines_.open(std::move(reader), file.place, start);
  current_ = &file;
  return {};
}

void LinesSource::finish() {
  position_.place = lines_.place();
  current_->stored_bytes_read = lines_.reader().stored_bytes_read();
  current_->is_finished = true;
  position_.finished[current_->fingerprint] = {position_.place, current_->stored_bytes_read};
  position_.path.clear();
  lines_.close();
  current_ = nullptr;
}

LinesSource::File* LinesSource::next_file() {
  File* next = nullptr;
  for (File& file : files_) {
    if (!file.is_finished && (next == nullptr || file.input.path == position_.path)) {
      next = &file;
    }
  }
  return next;
}

uint64_t LinesSource::stored_bytes_done() const {
  uint64_t done = 0;
  for (const File& file : files_) {
    if (&file != current_) {
      done += file.stored_bytes_read;
    } else if (lines_.reader().is_compressed()) {
      done += lines_.reader().stored_bytes_read();
    } else {
      done += position_.place.offset;
    }
  }
  return done;
}

Result<void> LinesSource::read(SourceChunk& chunk, uint32_t rows_limit, size_t bytes_limit) {
  clear_chunk(chunk, schema_);
  if (!failure_) {
    Result<void> filled = fill(chunk, {rows_limit, bytes_limit});
    if (!filled) {
      failure_ = std::move(filled).error();
    }
  }
  if (failure_ && chunk.rows.empty()) {
    return *failure_;
  }
  chunk.position = encode_position(position_);
  chunk.bytes_done = stored_bytes_done();
  return {};
}

Result<void> LinesSource::fill(SourceChunk& chunk, Limits limits) {
  for (;;) {
    if (current_ == nullptr) {
      File* const next = next_file();
      if (next == nullptr) {
        chunk.partition = files_.back().input.path;
        chunk.is_last = true;
        return {};
      }
      RETINUE_TRY(open(*next));
    }
    chunk.partition = current_->input.path;
    RETINUE_ASSIGN(const auto outcome, read_lines(chunk, limits));
    if (outcome != LineReader::Outcome::kEnd) {
      return {};
    }
    finish();
    if (!chunk.rows.empty()) {
      chunk.is_last = next_file() == nullptr;
      return {};
    }
  }
}

Result<LineReader::Outcome> LinesSource::read_lines(SourceChunk& chunk, Limits limits) {
  Line line;
  while (chunk.rows.row_count() < limits.rows && chunk.bytes_read < limits.bytes) {
    const bool wait = chunk.rows.empty() && chunk.lines_skipped == 0;
    RETINUE_ASSIGN(const auto outcome, lines_.next(line, wait));
    if (outcome != LineReader::Outcome::kLine) {
      return outcome;
    }
    RETINUE_TRY(take_line(chunk, line));
    chunk.bytes_read += line.end.offset - position_.place.offset;
    position_.place = line.end;
  }
  return LineReader::Outcome::kLine;
}

Result<void> LinesSource::take_line(SourceChunk& chunk, const Line& line) {
  const std::string& path = current_->input.path;
  std::optional<BadLine> bad;
  if (line.is_too_long) {
    bad = BadLine{limits::kLineBytesLimit + 1,
                  fmt::format("the line is longer than {} bytes", limits::kLineBytesLimit)};
  } else {
    bad = parser_->parse(path, line, chunk.rows);
  }
  if (!bad) {
    return {};
  }
  if (options_.on_bad_line == BadLinePolicy::kFail) {
    return Error{ErrorCode::kInvalidRecord,
                 fmt::format("{}:{}:{}: {}", path, line.end.lines, bad->column, bad->error)};
  }
  if (options_.on_bad_line == BadLinePolicy::kDeadLetter) {
    append_dead_letter(chunk.dead_letters, path, line, *bad);
  }
  ++chunk.lines_skipped;
  return {};
}

}  // namespace retinue::worker
