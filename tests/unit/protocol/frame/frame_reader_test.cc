#include "protocol/frame/frame_reader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/frame/frame_writer.h"
#include "protocol/frame/guard.h"
#include "protocol/frame/wire_values.h"

namespace retinue {
namespace {

std::string ping(uint64_t nonce) {
  FrameWriter writer;
  writer.begin().initPing().setNonce(nonce);
  return writer.to_bytes();
}

// A frame of exactly `bytes` bytes with its payload in UpdateJob.dynamicParameters.
std::string frame_of_size(size_t bytes) {
  auto build = [](size_t payload) {
    FrameWriter writer(payload + 1024);  // one segment
    writer.begin().initUpdateJob().initDynamicParameters(static_cast<unsigned>(payload));
    return writer.to_bytes();
  };
  size_t overhead = build(8).size() - 8;
  return build(bytes - overhead);
}

std::string words_of(std::initializer_list<uint32_t> halves) {
  return {reinterpret_cast<const char*>(halves.begin()), halves.size() * sizeof(uint32_t)};
}

kj::Array<capnp::word> as_words(std::string_view bytes) {
  auto words = kj::heapArray<capnp::word>(bytes.size() / sizeof(capnp::word));
  std::memcpy(words.begin(), bytes.data(), bytes.size());
  return words;
}

// Feeds `bytes`, at most `step` a commit; stops at the first error.
Result<void> feed(FrameReader& reader, std::string_view bytes, size_t step = SIZE_MAX) {
  while (!bytes.empty()) {
    std::span<std::byte> space = reader.prepare();
    EXPECT_FALSE(space.empty());
    size_t count = std::min({step, space.size(), bytes.size()});
    std::memcpy(space.data(), bytes.data(), count);
    bytes.remove_prefix(count);
    RETINUE_TRY(reader.commit(count));
  }
  return {};
}

std::vector<uint64_t> take_pings(FrameReader& reader) {
  std::vector<uint64_t> nonces;
  while (std::optional<Frame> frame = reader.next()) {
    nonces.push_back(frame->envelope().getPing().getNonce());
  }
  return nonces;
}

TEST(FrameReader, CutsManyFramesOfOneRead) {
  FrameReader reader;
  EXPECT_TRUE(reader.at_boundary());
  ASSERT_TRUE(feed(reader, ping(1) + ping(2) + ping(3)).ok());
  EXPECT_TRUE(reader.at_boundary());
  EXPECT_EQ(take_pings(reader), (std::vector<uint64_t>{1, 2, 3}));
  EXPECT_FALSE(reader.next().has_value());
}

TEST(FrameReader, CutsTheSameFramesWhateverTheReadsBring) {
  std::string stream;
  std::vector<size_t> sizes;
  for (size_t size :
       {size_t{64}, size_t{4096}, FrameReader::kChunkBytes - 8, FrameReader::kChunkBytes,
        FrameReader::kChunkBytes + 8, size_t{72}, size_t{1} << 20, size_t{80}}) {
    stream += frame_of_size(size);
    sizes.push_back(size);
  }
  for (size_t step : {size_t{1}, size_t{3}, size_t{8}, size_t{4095}, size_t{65536}, SIZE_MAX}) {
    FrameReader reader;
    ASSERT_TRUE(feed(reader, stream, step).ok()) << step;
    std::vector<size_t> seen;
    while (std::optional<Frame> frame = reader.next()) {
      EXPECT_TRUE(frame->envelope().isUpdateJob());
      seen.push_back(frame->byte_size());
    }
    EXPECT_EQ(seen, sizes) << step;
    EXPECT_TRUE(reader.at_boundary()) << step;
  }
}

TEST(FrameReader, IsAtABoundaryOnlyBetweenFrames) {
  for (const std::string& bytes : {ping(7), frame_of_size(FrameReader::kChunkBytes * 2)}) {
    FrameReader reader;
    std::string_view rest = bytes;
    for (size_t step : {size_t{1}, size_t{8}, bytes.size() - 10}) {
      ASSERT_TRUE(feed(reader, rest.substr(0, step)).ok());
      rest.remove_prefix(step);
      EXPECT_FALSE(reader.at_boundary());
      EXPECT_FALSE(reader.next().has_value());
    }
    ASSERT_TRUE(feed(reader, rest).ok());
    EXPECT_TRUE(reader.at_boundary());
    EXPECT_TRUE(reader.next().has_value());
  }
}

TEST(FrameReader, AnAnnouncementAloneCostsLittle) {
  FrameReader reader;
  ASSERT_TRUE(feed(reader, words_of({0, (60 << 20) / 8})).ok());
  EXPECT_LE(reader.prepare().size(), 4 * FrameReader::kChunkBytes);
  // What is prepared follows what has arrived.
  size_t arrived = 8;
  for (int read = 0; read < 4; ++read) {
    size_t count = reader.prepare().size();
    ASSERT_TRUE(reader.commit(count).ok());
    arrived += count;
    EXPECT_LE(reader.prepare().size(), 4 * arrived);
  }
}

TEST(FrameReader, RefusesTooManySegmentsAtTheirFirstBytes) {
  for (uint32_t count_field : {limits::kFrameSegmentsLimit, uint32_t{0xffffffff}}) {
    FrameReader reader;
    Result<void> result = feed(reader, words_of({count_field}), 1);
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().code, ErrorCode::kLimitExceeded);
  }
}

TEST(FrameReader, TakesTheMostSegmentsThereMayBe) {
  std::string body = ping(5).substr(8);
  for (uint32_t segments : {limits::kFrameSegmentsLimit, limits::kFrameSegmentsLimit - 1}) {
    std::string frame = words_of({segments - 1, static_cast<uint32_t>(body.size() / 8)});
    frame.append((segments - 1 + (segments % 2 == 0 ? 1 : 0)) * 4, '\0');
    FrameReader reader;
    ASSERT_TRUE(feed(reader, frame + body, 5).ok());
    EXPECT_EQ(take_pings(reader), std::vector<uint64_t>{5});
  }
}

TEST(FrameReader, HoldsTheLimitOfBytes) {
  std::string frame = frame_of_size(4096);
  FrameReader exact(4096);
  EXPECT_TRUE(feed(exact, frame).ok());
  FrameReader reader(4088);
  Result<void> result = feed(reader, frame);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::kLimitExceeded);
}

TEST(FrameReader, RaisesTheLimitBetweenFrames) {
  FrameReader reader(64);
  ASSERT_TRUE(feed(reader, ping(1)).ok());
  reader.set_frame_bytes_limit(limits::kFrameBytesLimit);
  ASSERT_TRUE(feed(reader, frame_of_size(1 << 20)).ok());
  reader.set_frame_bytes_limit(64);
  EXPECT_FALSE(feed(reader, frame_of_size(72)).ok());
}

TEST(FrameReader, RefusesSizesThatOverflow) {
  std::string table = words_of({limits::kFrameSegmentsLimit - 1});
  table.append((limits::kFrameSegmentsLimit + 1) * 4, '\xff');
  FrameReader reader(SIZE_MAX);
  reader.set_frame_bytes_limit(limits::kFrameBytesLimit);
  Result<void> result = feed(reader, table);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::kLimitExceeded);
}

TEST(FrameReader, GivesTheFramesBeforeAMalformedOne) {
  FrameReader reader;
  // A root pointer to a struct that lies outside its segment.
  std::string bad = words_of({0, 1, 0x00000400, 0x00010001});
  Result<void> result = feed(reader, ping(1) + ping(2) + bad);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::kMalformedFrame);
  EXPECT_EQ(take_pings(reader), (std::vector<uint64_t>{1, 2}));
}

TEST(FrameReader, RefusesAFrameWithoutARoot) {
  FrameReader reader;
  Result<void> result = feed(reader, words_of({0, 0}));
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::kMalformedFrame);
}

TEST(FrameReader, ReadsANullRootAsUnknown) {
  FrameReader reader;
  ASSERT_TRUE(feed(reader, words_of({0, 1, 0, 0})).ok());
  std::optional<Frame> frame = reader.next();
  ASSERT_TRUE(frame.has_value());
  EXPECT_TRUE(frame->envelope().isUnknown());
}

TEST(FrameReader, KeepsVectorsAlignedUnderEveryTable) {
  for (size_t first_segment : {size_t{64 << 10}, size_t{64}, size_t{16}, size_t{8}}) {
    FrameWriter writer(first_segment);
    wire::LoadStates::Builder load = writer.begin().initLoadStates();
    load.initStates(1).set(0, "counter");
    std::vector<uint32_t> keys = {1, 2, 3};
    load.setKeyIndexes(as_data(keys));
    FrameReader reader;
    // Two frames, so that the second begins wherever the first ended.
    ASSERT_TRUE(feed(reader, writer.to_bytes() + writer.to_bytes()).ok());
    while (std::optional<Frame> frame = reader.next()) {
      capnp::Data::Reader data = frame->envelope().getLoadStates().getKeyIndexes();
      EXPECT_EQ(reinterpret_cast<uintptr_t>(data.begin()) % 8, 0u);
      Result<std::span<const uint32_t>> read = read_u32(data, 3, "keyIndexes");
      ASSERT_TRUE(read.ok());
      EXPECT_TRUE(std::ranges::equal(*read, keys));
    }
  }
}

TEST(FrameReader, AWholeFrameCanBeReadTwice) {
  FrameReader reader;
  ASSERT_TRUE(feed(reader, frame_of_size(limits::kFrameBytesLimit)).ok());
  std::optional<Frame> frame = reader.next();
  ASSERT_TRUE(frame.has_value());
  EXPECT_EQ(frame->byte_size(), limits::kFrameBytesLimit);
  for (int time = 0; time < 2; ++time) {
    Result<size_t> size = decode_guarded([&]() -> Result<size_t> {
      return frame->envelope().getUpdateJob().getDynamicParameters().size();
    });
    ASSERT_TRUE(size.ok()) << size.error().to_string();
    EXPECT_GT(*size, limits::kFrameBytesLimit - 256);
  }
}

TEST(Frame, BoundsHowOftenItIsWalked) {
  Result<Frame> frame = Frame::open(as_words(frame_of_size(1 << 20)));
  ASSERT_TRUE(frame.ok());
  Result<int> walks = decode_guarded([&]() -> Result<int> {
    for (int time = 0; time < 1000; ++time) {
      if (frame->envelope().getUpdateJob().getDynamicParameters().size() == 0) {
        return time;
      }
    }
    return 1000;
  });
  ASSERT_FALSE(walks.ok());
  EXPECT_EQ(walks.error().code, ErrorCode::kMalformedFrame);
}

TEST(Frame, ALongListOfEmptyStructsIsRefused) {
  // A Hello of one word and eight pointers, the seventh to a list of Functions that take no words.
  constexpr uint32_t kFunctions = 1'000'000;
  std::string bytes = words_of({0, 13, 0, 0x00010001, 1, 0, 0, 0x00080001});
  bytes += std::string(7 * sizeof(capnp::word), '\0');
  bytes += words_of({1 | 1 << 2, 7, 0, 0, kFunctions << 2, 0});
  Result<Frame> frame = Frame::open(as_words(bytes));
  ASSERT_TRUE(frame.ok()) << frame.error().to_string();
  Result<uint32_t> count = decode_guarded([&]() -> Result<uint32_t> {
    return uint32_t{frame->envelope().getHello().getFunctions().size()};
  });
  ASSERT_FALSE(count.ok());
  EXPECT_EQ(count.error().code, ErrorCode::kMalformedFrame);
}

TEST(Frame, SurvivesMoves) {
  Result<Frame> opened = Frame::open(as_words(ping(9)));
  ASSERT_TRUE(opened.ok());
  Frame frame = std::move(*opened);
  Result<Frame> other = Frame::open(as_words(ping(10)));
  ASSERT_TRUE(other.ok());
  frame = std::move(*other);
  EXPECT_EQ(frame.envelope().getPing().getNonce(), 10u);
}

TEST(Frame, RefusesNoBytesAndBytesLeftOver) {
  EXPECT_EQ(Frame::open(nullptr).error().code, ErrorCode::kMalformedFrame);
  EXPECT_EQ(Frame::open(as_words(ping(1) + std::string(8, '\0'))).error().code,
            ErrorCode::kMalformedFrame);
  std::string cut = ping(1);
  cut.resize(cut.size() - 8);
  EXPECT_EQ(Frame::open(as_words(cut)).error().code, ErrorCode::kMalformedFrame);
}

TEST(DecodeGuarded, TurnsExceptionsIntoMalformedFrame) {
  // A Ping whose union says Welcome: its pointers lead to what is not a Welcome's list.
  std::string bytes = ping(1);
  uint16_t welcome = static_cast<uint16_t>(wire::Envelope::WELCOME);
  std::memcpy(bytes.data() + 16, &welcome, sizeof welcome);
  // The member's pointer now leads outside the segment.
  bytes[24] = '\x7c';
  Result<Frame> frame = Frame::open(as_words(bytes));
  ASSERT_TRUE(frame.ok());
  Result<uint64_t> id = decode_guarded(
      [&]() -> Result<uint64_t> { return frame->envelope().getWelcome().getSessionId(); });
  ASSERT_FALSE(id.ok());
  EXPECT_EQ(id.error().code, ErrorCode::kMalformedFrame);
  EXPECT_FALSE(id.error().message.empty());
}

}  // namespace
}  // namespace retinue
