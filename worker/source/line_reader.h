// LineReader: cuts one file's bytes into lines, in place in a buffer that is reused from file to
// file.
//
// A line ends with '\n'; a '\r' before it is no part of it; the last line needs no end. A line of
// more than limits::kLineBytesLimit bytes is given as too long, with its beginning. A UTF-8 byte
// order mark at the beginning of a file is no part of its first line.
//
// Threads: one at a time. Owns: the buffer and the reader of the open file.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "protocol/base/result.h"
#include "worker/source/byte_reader.h"

namespace retinue::worker {

// A place between two lines of a file: where to go on reading.
struct LinePlace {
  uint64_t offset = 0;  // in the uncompressed bytes
  uint64_t lines = 0;   // before the offset

  friend bool operator==(const LinePlace&, const LinePlace&) = default;
};

struct Line {
  std::string_view text;
  LinePlace end;              // just after it; `end.lines` is the line's own number, from 1
  size_t readable_bytes = 0;  // that may be read from text.data() on
  bool is_too_long = false;   // `text` is only its beginning
};

class LineReader {
 public:
  enum class Outcome : uint8_t { kLine, kEnd, kNothingYet };
  enum class Start : uint8_t {
    kOfFile,
    kOfLine,
    // The byte before is no line end, for the line had none yet when it was read; so what comes is
    // the rest of that line.
    kWithinLine,
  };

  LineReader();

  // Reads on in `reader`, which stands at `place`.
  void open(std::unique_ptr<ByteReader> reader, LinePlace place, Start start);
  void close() { reader_.reset(); }
  bool is_open() const { return reader_ != nullptr; }

  // Sets `line`, whose text lives until the next call. kNothingYet: a pipe has no full line yet,
  // only without `wait`. Precondition: is_open(). Errors: as ByteReader::read.
  Result<Outcome> next(Line& line, bool wait);

  // Just after the last line given.
  const LinePlace& place() const { return place_; }
  const ByteReader& reader() const { return *reader_; }

 private:
  // Reads more into the buffer, making room. kLine: some came.
  Result<Outcome> fill(bool wait);
  // Keeps the beginning of a line that is too long already and forgets the rest.
  void discard();
  // Cuts the line [begin_, begin_ + size), of which `end_bytes` (0 or 1) more are its end.
  void take(Line& line, size_t size, size_t end_bytes);

  std::unique_ptr<ByteReader> reader_;
  std::unique_ptr<char[]> buffer_;
  size_t capacity_ = 0;  // without the padding
  size_t begin_ = 0;     // buffer_[begin_, end_) is not yet given out
  size_t scanned_ = 0;   // no line end in [begin_, scanned_)
  size_t end_ = 0;
  uint64_t discarded_ = 0;  // bytes of the line at begin_ that are not in the buffer
  LinePlace place_;         // of begin_
  Start start_ = Start::kOfFile;
  bool is_at_end_ = false;
};

}  // namespace retinue::worker
