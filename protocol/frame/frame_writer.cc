#include "protocol/frame/frame_writer.h"

#include <algorithm>
#include <bit>

#include "protocol/base/check.h"

namespace retinue {

namespace {

constexpr size_t kWordBytes = sizeof(capnp::word);
// A rare large message does not pin its size for ever; what is over goes into further segments.
constexpr size_t kFirstSegmentBytesMax = size_t{16} << 20;

}  // namespace

FrameWriter::FrameWriter(size_t first_segment_bytes)
    : scratch_(std::max<size_t>(first_segment_bytes / kWordBytes, 1)) {}

FrameWriter::~FrameWriter() = default;

wire::Envelope::Builder FrameWriter::begin() {
  size_t used = message_ == nullptr ? 0 : message_->sizeInWords();
  message_.reset();  // zeroes what it used of scratch_
  if (used > scratch_.size()) {
    size_t wanted = std::min(std::bit_ceil(used), kFirstSegmentBytesMax / kWordBytes);
    if (wanted > scratch_.size()) {
      scratch_ = std::vector<uint64_t>(wanted);
    }
  }
  message_ = std::make_unique<capnp::MallocMessageBuilder>(
      kj::arrayPtr(reinterpret_cast<capnp::word*>(scratch_.data()), scratch_.size()));
  return message_->initRoot<wire::Envelope>();
}

std::span<const std::span<const std::byte>> FrameWriter::pieces() {
  RETINUE_CHECK(message_ != nullptr, "pieces() before begin()");
  auto segments = message_->getSegmentsForOutput();
  table_.assign({static_cast<uint32_t>(segments.size() - 1)});
  pieces_.resize(1);
  for (kj::ArrayPtr<const capnp::word> segment : segments) {
    table_.push_back(static_cast<uint32_t>(segment.size()));
    pieces_.push_back(
        {reinterpret_cast<const std::byte*>(segment.begin()), segment.size() * kWordBytes});
  }
  if (table_.size() % 2 != 0) {
    table_.push_back(0);
  }
  pieces_[0] = std::as_bytes(std::span(table_));
  return pieces_;
}

size_t FrameWriter::byte_size() {
  size_t bytes = 0;
  for (std::span<const std::byte> piece : pieces()) {
    bytes += piece.size();
  }
  return bytes;
}

std::string FrameWriter::to_bytes() {
  std::string bytes;
  for (std::span<const std::byte> piece : pieces()) {
    bytes.append(reinterpret_cast<const char*>(piece.data()), piece.size());
  }
  return bytes;
}

}  // namespace retinue
