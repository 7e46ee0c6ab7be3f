#include "worker/engine/progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace retinue::worker {
namespace {

Progress sample() {
  return {.epoch = Epoch(1ull << 39),
          .inbox = {.block = BlockSequence(UINT64_MAX), .row = UINT32_MAX},
          .source_position = std::string("a\0\xff", 3),
          .dead_letters = FilePosition{.path = "/bad", .length = 0},
          .source_rows_done = {{"/in/a", 7}, {"-", 1}},
          .sink_position = "sink",
          .dead_letters_kept = 8,
          .dead_letter_bytes_kept = 9,
          .messages_in = 3,
          .messages_out = 4,
          .lines_skipped = 5};
}

TEST(Progress, ComesBackAsItWas) {
  const auto read = decode_progress(encode_progress(sample()));
  ASSERT_TRUE(read.ok()) << read.error().to_string();
  EXPECT_EQ(read->epoch, sample().epoch);
  EXPECT_EQ(read->inbox, sample().inbox);
  EXPECT_EQ(read->source_position, sample().source_position);
  EXPECT_EQ(read->dead_letters, sample().dead_letters) << "a length of 0 and none are two things";
  EXPECT_EQ(read->source_rows_done, sample().source_rows_done);
  EXPECT_EQ(read->sink_position, "sink");
  EXPECT_EQ(read->dead_letters_kept, 8u);
  EXPECT_EQ(read->dead_letter_bytes_kept, 9u);
  EXPECT_EQ(read->messages_in, 3u);
  EXPECT_EQ(read->messages_out, 4u);
  EXPECT_EQ(read->lines_skipped, 5u);
  Progress bare;
  bare.epoch = Epoch(1);
  EXPECT_EQ(decode_progress(encode_progress(bare))->dead_letters, std::nullopt);
  bare.dead_letters.emplace();
  EXPECT_EQ(decode_progress(encode_progress(bare))->dead_letters, bare.dead_letters);
}

TEST(Progress, FieldsOfANewerReleaseAreIgnored) {
  const auto read = decode_progress("{epoch=3u; inbox_block=2u; from_the_future=[1]}");
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->epoch, Epoch(3));
  EXPECT_EQ(read->inbox, (InboxPosition{BlockSequence(2), 0}));
}

TEST(Progress, GarbageIsRefused) {
  for (const char* record :
       {"", "{", "[]", "17", "{}", "{epoch=1u}", "{epoch=0u;inbox_block=1u}",
        "{epoch=1u;inbox_block=0u}", "{epoch=-1;inbox_block=1u}", "{epoch=x;inbox_block=1u}",
        "{epoch=1u;inbox_block=1u;inbox_row=4294967296u}",
        "{epoch=1u;inbox_block=1u;source_position=5}", "{epoch=1u;inbox_block=1u;sink_position=#}",
        "{epoch=1u;inbox_block=1u;dead_letter_bytes=#}",
        "{epoch=1u;inbox_block=1u;dead_letter_bytes=1u;dead_letter_path=#}",
        "{epoch=1u;inbox_block=1u;messages_in=[]}"}) {
    const auto read = decode_progress(record);
    ASSERT_FALSE(read.ok()) << record;
    EXPECT_EQ(read.error().code, ErrorCode::kDataCorrupted);
    EXPECT_THAT(read.error().message, ::testing::StartsWith("a progress record cannot be read: "));
  }
}

TEST(Progress, RandomDamageDoesNotCrash) {
  const std::string record = encode_progress(sample());
  std::mt19937 random(3);
  for (int i = 0; i < 5000; ++i) {
    std::string damaged = record.substr(0, random() % 4 ? record.size() : random() % record.size());
    for (int changes = 2; changes > 0 && !damaged.empty(); --changes) {
      damaged[random() % damaged.size()] = static_cast<char>(random());
    }
    const auto read = decode_progress(damaged);
    EXPECT_TRUE(read.ok() || read.error().code == ErrorCode::kDataCorrupted);
  }
}

}  // namespace
}  // namespace retinue::worker
