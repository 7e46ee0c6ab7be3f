#include "worker/source/line_reader.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "protocol/base/check.h"
#include "protocol/base/limits.h"
#include "worker/json/byte_order_mark.h"
#include "worker/json/json_row_parser.h"

namespace retinue::worker {
namespace {

constexpr size_t kBufferBytes = size_t{256} << 10;
// What is shown of a line that is too long.
constexpr size_t kShownBytes = limits::kErrorTextBytesLimit;
// One more tells whether the last character shown is whole.
constexpr size_t kKeptBytes = kShownBytes + 1;

std::unique_ptr<char[]> make_buffer(size_t capacity) {
  return std::make_unique_for_overwrite<char[]>(capacity + JsonRowParser::kPadding);
}

// At most `size`, and less if a UTF-8 character would be cut.
size_t whole_characters(std::string_view text, size_t size) {
  size = std::min(size, text.size());
  for (int i = 0; i < 3 && size > 0 && size < text.size() && (text[size] & 0xc0) == 0x80; ++i) {
    --size;
  }
  return size;
}

}  // namespace

LineReader::LineReader() : buffer_(make_buffer(kBufferBytes)), capacity_(kBufferBytes) {}

void LineReader::open(std::unique_ptr<ByteReader> reader, LinePlace place, Start start) {
  reader_ = std::move(reader);
  begin_ = scanned_ = end_ = 0;
  discarded_ = 0;
  place_ = place;
  start_ = start;
  is_at_end_ = false;
}

Result<LineReader::Outcome> LineReader::next(Line& line, bool wait) {
  RETINUE_CHECK(is_open(), "no file is open");
  for (;;) {
    const void* found = std::memchr(&buffer_[scanned_], '\n', end_ - scanned_);
    if (found != nullptr) {
      take(line, static_cast<const char*>(found) - &buffer_[begin_], 1);
    } else if (is_at_end_) {
      if (begin_ == end_) {
        return Outcome::kEnd;
      }
      take(line, end_ - begin_, 0);
    } else {
      scanned_ = end_;
      discard();
      RETINUE_ASSIGN(const Outcome outcome, fill(wait));
      if (outcome == Outcome::kNothingYet) {
        return outcome;
      }
      continue;
    }
    // The end of a line that was given without it.
    if (std::exchange(start_, Start::kOfLine) == Start::kWithinLine && line.text.empty()) {
      continue;
    }
    return Outcome::kLine;
  }
}

void LineReader::discard() {
  // One byte more may be a '\r'.
  if (end_ - begin_ > limits::kLineBytesLimit + 1 ||
      (discarded_ > 0 && end_ - begin_ > kKeptBytes)) {
    discarded_ += end_ - begin_ - kKeptBytes;
    scanned_ = end_ = begin_ + kKeptBytes;
  }
}

Result<LineReader::Outcome> LineReader::fill(bool wait) {
  if (begin_ > 0) {
    std::memmove(buffer_.get(), &buffer_[begin_], end_ - begin_);
    scanned_ -= begin_;
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ > capacity_ / 2) {
    auto larger = make_buffer(capacity_ * 2);
    std::memcpy(larger.get(), buffer_.get(), end_);
    buffer_ = std::move(larger);
    capacity_ *= 2;
  }
  RETINUE_ASSIGN(const auto count, reader_->read(&buffer_[end_], capacity_ - end_, wait));
  if (!count) {
    return Outcome::kNothingYet;
  }
  is_at_end_ = *count == 0;
  end_ += *count;
  return Outcome::kLine;
}

void LineReader::take(Line& line, size_t size, size_t end_bytes) {
  line.text = {&buffer_[begin_], size};
  if (start_ == Start::kOfFile && line.text.starts_with(kByteOrderMark)) {
    line.text.remove_prefix(kByteOrderMark.size());
  }
  if (line.text.ends_with('\r')) {
    line.text.remove_suffix(1);
  }
  line.is_too_long = line.text.size() + discarded_ > limits::kLineBytesLimit;
  if (line.is_too_long) {
    line.text = line.text.substr(0, whole_characters(line.text, kShownBytes));
  }
  const auto text_begin = static_cast<size_t>(line.text.data() - buffer_.get());
  line.readable_bytes = capacity_ + JsonRowParser::kPadding - text_begin;
  place_.offset += discarded_ + size + end_bytes;
  place_.lines += start_ == Start::kWithinLine ? 0 : 1;
  line.end = place_;
  discarded_ = 0;
  begin_ += size + end_bytes;
  scanned_ = begin_;
}

}  // namespace retinue::worker
