// FrameReader cuts a byte stream into frames: the standard Cap'n Proto stream framing, bounded.
//
// The bytes are untrusted. A frame is read into one aligned buffer, where its columns stay until the
// Frame is dropped. No I/O: the owner copies or reads bytes into prepare().
#pragma once

#include <capnp/common.h>
#include <capnp/serialize.h>
#include <kj/array.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>

#include "protocol/base/limits.h"
#include "protocol/base/result.h"
#include "protocol/schema/companion.capnp.h"

namespace retinue {

// One received message. Movable; the readers it gives borrow from it.
class Frame {
 public:
  // Takes the words of exactly one message, segment table included.
  // Errors: kMalformedFrame.
  static Result<Frame> open(kj::Array<capnp::word> words);

  Frame(Frame&&) noexcept;
  Frame& operator=(Frame&&) noexcept;
  ~Frame();

  wire::Envelope::Reader envelope() const { return envelope_; }
  size_t byte_size() const { return words_.size() * sizeof(capnp::word); }

 private:
  Frame();

  kj::Array<capnp::word> words_;
  std::unique_ptr<capnp::FlatArrayMessageReader> message_;
  wire::Envelope::Reader envelope_;
};

class FrameReader {
 public:
  explicit FrameReader(size_t frame_bytes_limit = limits::kFrameBytesLimit)
      : frame_bytes_limit_(frame_bytes_limit) {}

  // Where to put the next bytes of the stream; never empty.
  std::span<std::byte> prepare();
  // Says that the first `bytes` of prepare() were filled.
  // Errors: kMalformedFrame, kLimitExceeded. After one the stream cannot be resynchronised.
  Result<void> commit(size_t bytes);
  // The next complete frame, in the order of arrival.
  std::optional<Frame> next();
  // True when the stream may end here: no frame is half read.
  bool at_boundary() const;

  void set_frame_bytes_limit(size_t bytes) { frame_bytes_limit_ = bytes; }

 private:
  Result<void> begin_body();

  size_t frame_bytes_limit_;
  // The segment table: first word, then the rest, then the body, all in `words_` once known.
  alignas(8) std::byte head_[8] = {};
  size_t head_filled_ = 0;
  kj::Array<capnp::word> words_;
  size_t table_words_ = 0;
  bool body_known_ = false;
  size_t filled_ = 0;  // bytes of words_
  std::deque<Frame> ready_;
};

}  // namespace retinue
