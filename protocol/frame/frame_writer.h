// FrameWriter builds one outgoing message in a reused first segment and gives its bytes for writev.
#pragma once

#include <capnp/message.h>
#include <kj/array.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "protocol/schema/companion.capnp.h"

namespace retinue {

// Owns: the message under construction; one at a time.
class FrameWriter {
 public:
  // The first segment holds this much before another is allocated; grown to what messages need.
  explicit FrameWriter(size_t first_segment_bytes = 64 << 10);
  ~FrameWriter();
  FrameWriter(const FrameWriter&) = delete;
  FrameWriter& operator=(const FrameWriter&) = delete;

  // Forgets the last message and begins a new one.
  wire::Envelope::Builder begin();
  // The message's bytes, segment table first. Borrowed: valid until begin() or destruction.
  std::span<const std::span<const std::byte>> pieces();
  size_t byte_size();
  // The same as one string, for tests, vectors and queues.
  std::string to_bytes();

 private:
  std::vector<uint64_t> scratch_;
  std::unique_ptr<capnp::MallocMessageBuilder> message_;
  std::vector<uint32_t> table_;
  std::vector<std::span<const std::byte>> pieces_;
};

}  // namespace retinue
