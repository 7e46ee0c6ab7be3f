#include "protocol/frame/frame_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "protocol/base/check.h"
#include "protocol/frame/guard.h"

namespace retinue {

namespace {

constexpr size_t kWordBytes = sizeof(capnp::word);
constexpr size_t kLongGrowth = 4;
// A frame may be walked a few times over, a small one many times, as accessors are called again and
// again. Not more: a frame of a few bytes can announce lists of any length of empty structs.
constexpr uint64_t kTraversalWordsMin = uint64_t{64} << 10;
constexpr uint64_t kTraversalsOfFrame = 4;

std::byte* bytes_of(kj::Array<capnp::word>& words) {
  return reinterpret_cast<std::byte*>(words.begin());
}

kj::Array<capnp::word> allocate(size_t bytes) {
  return kj::heapArray<capnp::word>(bytes / kWordBytes);
}

uint32_t read_u32_at(const std::byte* bytes) {
  uint32_t number;
  std::memcpy(&number, bytes, sizeof number);
  return number;
}

// Segments of the frame that begins with these 4 bytes. Errors: kLimitExceeded.
Result<size_t> segment_count(const std::byte* head) {
  uint64_t count = uint64_t{read_u32_at(head)} + 1;
  if (count > limits::kFrameSegmentsLimit) {
    return Error{ErrorCode::kLimitExceeded, fmt::format("a frame of {} segments; the limit is {}",
                                                        count, limits::kFrameSegmentsLimit)};
  }
  return static_cast<size_t>(count);
}

capnp::ReaderOptions reader_options(size_t frame_words) {
  capnp::ReaderOptions options;
  options.traversalLimitInWords = std::max(kTraversalWordsMin, kTraversalsOfFrame * frame_words);
  options.nestingLimit = limits::kFrameNestingLimit;
  return options;
}

}  // namespace

Frame::Frame() = default;
Frame::Frame(Frame&&) noexcept = default;
Frame::~Frame() = default;

// The reader goes before the words that it reads.
Frame& Frame::operator=(Frame&& other) noexcept {
  message_ = std::move(other.message_);
  words_ = std::move(other.words_);
  envelope_ = other.envelope_;
  return *this;
}

Result<Frame> Frame::open(kj::Array<capnp::word> words) {
  if (words.size() == 0) {
    return Error{ErrorCode::kMalformedFrame, "a frame of no bytes"};
  }
  RETINUE_TRY(segment_count(bytes_of(words)));
  return decode_guarded([&]() -> Result<Frame> {
    Frame frame;
    frame.words_ = std::move(words);
    frame.message_ = std::make_unique<capnp::FlatArrayMessageReader>(
        frame.words_.asPtr(), reader_options(frame.words_.size()));
    if (frame.message_->getEnd() != frame.words_.end()) {
      return Error{ErrorCode::kMalformedFrame, "bytes are left over after the frame's segments"};
    }
    frame.envelope_ = frame.message_->getRoot<wire::Envelope>();
    return frame;
  });
}

std::span<std::byte> FrameReader::prepare() {
  if (long_bytes_ != 0) {
    size_t capacity = long_words_.size() * kWordBytes;
    if (long_filled_ == capacity) {
      kj::Array<capnp::word> grown = allocate(std::min(long_bytes_, kLongGrowth * capacity));
      std::memcpy(grown.begin(), long_words_.begin(), long_filled_);
      long_words_ = std::move(grown);
      capacity = long_words_.size() * kWordBytes;
    }
    return {bytes_of(long_words_) + long_filled_, capacity - long_filled_};
  }
  if (chunk_ == nullptr) {
    chunk_ = allocate(kChunkBytes);
  }
  if (chunk_begin_ != 0) {
    std::memmove(bytes_of(chunk_), bytes_of(chunk_) + chunk_begin_, chunk_end_ - chunk_begin_);
    chunk_end_ -= chunk_begin_;
    chunk_begin_ = 0;
  }
  return {bytes_of(chunk_) + chunk_end_, kChunkBytes - chunk_end_};
}

Result<void> FrameReader::commit(size_t bytes) {
  if (long_bytes_ == 0) {
    RETINUE_CHECK(chunk_end_ + bytes <= chunk_.size() * kWordBytes, "more bytes than prepared");
    chunk_end_ += bytes;
    return cut_chunk();
  }
  RETINUE_CHECK(long_filled_ + bytes <= long_words_.size() * kWordBytes,
                "more bytes than prepared");
  long_filled_ += bytes;
  if (long_filled_ < long_bytes_) {
    return {};
  }
  long_bytes_ = 0;
  return accept(std::move(long_words_));
}

std::optional<Frame> FrameReader::next() {
  if (ready_.empty()) {
    return std::nullopt;
  }
  Frame frame = std::move(ready_.front());
  ready_.pop_front();
  return frame;
}

std::span<const std::byte> FrameReader::pending() const {
  return {reinterpret_cast<const std::byte*>(chunk_.begin()) + chunk_begin_,
          chunk_end_ - chunk_begin_};
}

Result<size_t> FrameReader::announced_bytes() const {
  std::span<const std::byte> bytes = pending();
  if (bytes.size() < sizeof(uint32_t)) {
    return size_t{0};
  }
  RETINUE_ASSIGN(size_t segments, segment_count(bytes.data()));
  // The table is the count and one size a segment, padded to whole words.
  size_t table_bytes = (segments / 2 + 1) * kWordBytes;
  if (bytes.size() < table_bytes) {
    return size_t{0};
  }
  uint64_t total = table_bytes;
  for (size_t i = 1; i <= segments; ++i) {
    total += uint64_t{read_u32_at(bytes.data() + i * sizeof(uint32_t))} * kWordBytes;
  }
  if (total > frame_bytes_limit_) {
    return Error{ErrorCode::kLimitExceeded,
                 fmt::format("a frame of {} bytes; the limit is {}", total, frame_bytes_limit_)};
  }
  return static_cast<size_t>(total);
}

Result<void> FrameReader::cut_chunk() {
  while (true) {
    RETINUE_ASSIGN(size_t frame_bytes, announced_bytes());
    std::span<const std::byte> bytes = pending();
    if (frame_bytes == 0) {
      return {};
    }
    if (frame_bytes > kChunkBytes) {
      long_bytes_ = frame_bytes;
      long_filled_ = bytes.size();
      long_words_ = allocate(std::min(long_bytes_, kLongGrowth * kChunkBytes));
      std::memcpy(long_words_.begin(), bytes.data(), bytes.size());
      chunk_begin_ = chunk_end_ = 0;
      return {};
    }
    if (frame_bytes > bytes.size()) {
      return {};
    }
    kj::Array<capnp::word> words = allocate(frame_bytes);
    std::memcpy(words.begin(), bytes.data(), frame_bytes);
    chunk_begin_ += frame_bytes;
    RETINUE_TRY(accept(std::move(words)));
  }
}

Result<void> FrameReader::accept(kj::Array<capnp::word> words) {
  RETINUE_ASSIGN(Frame frame, Frame::open(std::move(words)));
  ready_.push_back(std::move(frame));
  return {};
}

}  // namespace retinue
