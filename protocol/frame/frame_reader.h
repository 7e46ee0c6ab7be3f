// FrameReader cuts a byte stream into frames: the standard Cap'n Proto stream framing, bounded.
//
// The bytes are untrusted. A frame ends up in one buffer of its own, aligned to words, where its
// columns stay until the Frame is dropped. No I/O: the owner copies or reads bytes into prepare().
//
// Threads: one at a time; a Frame may move to another thread.
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

// A frame of up to kChunkBytes is cut from a chunk that holds whatever one read brought; a longer
// one is read straight into its own buffer, which is never over four times what has arrived of it
// (or of a chunk), whatever its segment table announces.
class FrameReader {
 public:
  static constexpr size_t kChunkBytes = size_t{64} << 10;

  explicit FrameReader(size_t frame_bytes_limit = limits::kFrameBytesLimit)
      : frame_bytes_limit_(frame_bytes_limit) {}

  // Where to put the next bytes of the stream; never empty.
  std::span<std::byte> prepare();
  // Says that the first `bytes` of prepare() were filled. May complete many frames: take them all
  // before the next prepare(), else they pile up.
  // Errors: kMalformedFrame, kLimitExceeded. After one the stream cannot be resynchronised.
  Result<void> commit(size_t bytes);
  // The next complete frame, in the order of arrival.
  std::optional<Frame> next();
  // True when the stream may end here: no frame is half read.
  bool at_boundary() const { return long_bytes_ == 0 && chunk_begin_ == chunk_end_; }

  // Holds from the next frame whose segment table completes.
  void set_frame_bytes_limit(size_t bytes) { frame_bytes_limit_ = bytes; }

 private:
  std::span<const std::byte> pending() const;
  // Bytes of the frame that pending() begins with; 0 while its segment table is incomplete.
  Result<size_t> announced_bytes() const;
  Result<void> cut_chunk();
  Result<void> accept(kj::Array<capnp::word> words);

  size_t frame_bytes_limit_;
  // What arrived and is not cut yet is [chunk_begin_, chunk_end_), in bytes.
  kj::Array<capnp::word> chunk_;
  size_t chunk_begin_ = 0;
  size_t chunk_end_ = 0;
  // The long frame under way: its whole size (0: none), and how much of it is in long_words_.
  size_t long_bytes_ = 0;
  size_t long_filled_ = 0;
  kj::Array<capnp::word> long_words_;
  std::deque<Frame> ready_;
};

}  // namespace retinue
