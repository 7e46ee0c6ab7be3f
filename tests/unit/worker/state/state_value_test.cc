#include "worker/state/state_value.h"

#include <gtest/gtest.h>
#include <zstd.h>

#include "protocol/base/limits.h"

namespace retinue::worker {
namespace {

std::string zstd_value(std::string_view value) {
  std::string frame(1 + ZSTD_compressBound(value.size()), '\2');
  const size_t size =
      ZSTD_compress(frame.data() + 1, frame.size() - 1, value.data(), value.size(), 1);
  frame.resize(1 + size);
  return frame;
}

void expect_corrupted(std::string_view stored) {
  std::string value;
  const auto decoded = decode_state_value(stored, value);
  ASSERT_FALSE(decoded.ok());
  EXPECT_EQ(decoded.error().code, ErrorCode::kDataCorrupted);
}

TEST(StateValueTest, PlainReadsBack) {
  std::string buffer = "old";
  for (const std::string_view plain : {std::string_view(), std::string_view("\0\1\2", 3)}) {
    const std::string stored = std::string(1, kStoredPlain).append(plain);
    const auto decoded = decode_state_value(stored, buffer);
    ASSERT_TRUE(decoded.ok());
    EXPECT_EQ(*decoded, plain);
  }
}

TEST(StateValueTest, ZstdReadsBack) {
  std::string buffer;
  for (const std::string& plain : {std::string(), std::string(100'000, 'a')}) {
    const std::string stored = zstd_value(plain);
    const auto decoded = decode_state_value(stored, buffer);
    ASSERT_TRUE(decoded.ok());
    EXPECT_EQ(*decoded, plain);
  }
}

TEST(StateValueTest, RefusesUnknownCodecs) {
  expect_corrupted("");
  expect_corrupted(std::string_view("\0x", 2));
  expect_corrupted("\3x");
  expect_corrupted("\xffx");
}

TEST(StateValueTest, RefusesEveryTruncatedFrame) {
  const std::string stored = zstd_value("a state that is worth compressing, a state");
  for (size_t size = 0; size < stored.size(); ++size) {
    expect_corrupted(std::string_view(stored).substr(0, size));
  }
}

TEST(StateValueTest, RefusesTrailingAndRepeatedFrames) {
  const std::string stored = zstd_value("value");
  expect_corrupted(stored + "x");
  expect_corrupted(stored + stored.substr(1));
}

TEST(StateValueTest, RefusesValuesOverTheLimit) {
  const std::string at_limit(limits::kValueBytesLimit, 'a');
  std::string value;
  EXPECT_TRUE(decode_state_value("\1" + at_limit, value).ok());
  EXPECT_TRUE(decode_state_value(zstd_value(at_limit), value).ok());
  expect_corrupted("\1" + at_limit + "a");
  expect_corrupted(zstd_value(at_limit + "a"));
}

TEST(StateValueTest, RefusesAFrameThatDeclaresNoSize) {
  std::string frame(100, '\2');
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 0);
  frame.resize(1 + ZSTD_compress2(context, frame.data() + 1, frame.size() - 1, "value", 5));
  ZSTD_freeCCtx(context);
  expect_corrupted(frame);
}

}  // namespace
}  // namespace retinue::worker
