#include "protocol/frame/frame_writer.h"

#include <capnp/serialize.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "protocol/frame/frame_reader.h"

namespace retinue {
namespace {

Result<Frame> open(const std::string& bytes) {
  auto words = kj::heapArray<capnp::word>(bytes.size() / sizeof(capnp::word));
  std::memcpy(words.begin(), bytes.data(), bytes.size());
  return Frame::open(std::move(words));
}

void build_log(FrameWriter& writer, unsigned fields, size_t value_bytes) {
  wire::Log::Builder log = writer.begin().initLog();
  log.setMessage("a line");
  auto list = log.initFields(fields);
  for (wire::LogField::Builder field : list) {
    field.setName("name");
    field.setValue(std::string(value_bytes, 'v'));
  }
}

void expect_log(const std::string& bytes, unsigned fields, size_t value_bytes) {
  Result<Frame> frame = open(bytes);
  ASSERT_TRUE(frame.ok()) << frame.error().to_string();
  wire::Log::Reader log = frame->envelope().getLog();
  EXPECT_EQ(log.getMessage(), "a line");
  ASSERT_EQ(log.getFields().size(), fields);
  for (wire::LogField::Reader field : log.getFields()) {
    EXPECT_EQ(field.getValue().size(), value_bytes);
  }
}

TEST(FrameWriter, GivesTheStandardFraming) {
  for (size_t first_segment : {size_t{64} << 10, size_t{256}, size_t{64}, size_t{8}, size_t{0}}) {
    FrameWriter writer(first_segment);
    build_log(writer, 5, 100);
    std::string bytes = writer.to_bytes();
    EXPECT_EQ(bytes.size() % 8, 0u);
    EXPECT_EQ(writer.byte_size(), bytes.size());
    auto words = kj::arrayPtr(reinterpret_cast<const capnp::word*>(bytes.data()), bytes.size() / 8);
    EXPECT_EQ(capnp::expectedSizeInWordsFromPrefix(words), words.size());
    expect_log(bytes, 5, 100);
  }
}

TEST(FrameWriter, PiecesAreTheBytes) {
  FrameWriter writer(64);
  build_log(writer, 3, 1000);
  std::string joined;
  auto pieces = writer.pieces();
  EXPECT_GT(pieces.size(), 2u);
  for (std::span<const std::byte> piece : pieces) {
    joined.append(reinterpret_cast<const char*>(piece.data()), piece.size());
  }
  EXPECT_EQ(joined, writer.to_bytes());
}

TEST(FrameWriter, ForgetsTheMessageBefore) {
  FrameWriter fresh;
  build_log(fresh, 1, 3);
  FrameWriter reused;
  build_log(reused, 400, 100);
  reused.to_bytes();
  reused.begin().initUpdateJob().initDynamicParameters(1000);
  build_log(reused, 1, 3);
  EXPECT_EQ(reused.to_bytes(), fresh.to_bytes());
}

TEST(FrameWriter, GrowsItsFirstSegmentToWhatMessagesNeed) {
  FrameWriter writer(1024);
  build_log(writer, 10, 10'000);
  EXPECT_GT(writer.pieces().size(), 2u);
  std::string first = writer.to_bytes();
  build_log(writer, 10, 10'000);
  EXPECT_EQ(writer.pieces().size(), 2u);
  expect_log(writer.to_bytes(), 10, 10'000);
  expect_log(first, 10, 10'000);
}

TEST(FrameWriter, WritesMessagesLargerThanAnySegmentItKeeps) {
  FrameWriter writer;
  for (int time = 0; time < 2; ++time) {
    build_log(writer, 3, size_t{8} << 20);
    expect_log(writer.to_bytes(), 3, size_t{8} << 20);
  }
}

TEST(FrameWriter, AnEnvelopeOfNothingIsAFrame) {
  FrameWriter writer;
  writer.begin();
  Result<Frame> frame = open(writer.to_bytes());
  ASSERT_TRUE(frame.ok());
  EXPECT_TRUE(frame->envelope().isUnknown());
}

}  // namespace
}  // namespace retinue
