#include "worker/stream/message_block.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "protocol/values/value.h"

namespace retinue::worker {
namespace {

TableSchema every_type() {
  std::vector<Column> columns;
  for (uint8_t type = 1; type <= 6; ++type) {
    columns.push_back({.name = std::string(1, static_cast<char>('a' + type)),
                       .type = static_cast<ColumnType>(type),
                       .required = false,
                       .expression = ""});
  }
  return TableSchema::create(std::move(columns)).value();
}

const std::vector<Row> kRows = {
    {int64_t{-1}, uint64_t{2}, 0.5, true, std::string("words"), AnyValue{"{a=1}"}},
    {Null(), Null(), Null(), Null(), Null(), Null()},
    {INT64_MIN, UINT64_MAX, -0.0, false, std::string(), AnyValue{"#"}},
};

std::string encode(const std::vector<Row>& rows, const std::vector<int64_t>& times = {}) {
  RowBatchBuilder builder(every_type());
  for (const Row& row : rows) {
    EXPECT_TRUE(append_row(builder, every_type(), row).ok());
  }
  return encode_message_block({.stream = "words",
                               .revision = SchemaRevision(3),
                               .first_id = {.sequence = 1ull << 60, .index = 17},
                               .system_timestamp = Timestamp(-4),
                               .event_timestamp = Timestamp(44)},
                              builder.view(), times);
}

TEST(MessageBlock, HoldsWhatWasEncoded) {
  const std::string bytes = encode(kRows);
  const auto block = MessageBlock::open(bytes);
  ASSERT_TRUE(block.ok()) << block.error().to_string();
  const MessageBlock& read = **block;
  EXPECT_EQ(read.stream(), "words");
  EXPECT_EQ(read.header().revision, SchemaRevision(3));
  EXPECT_EQ(read.header().first_id, (MessageId{1ull << 60, 17}));
  EXPECT_EQ(read.header().system_timestamp, Timestamp(-4));
  EXPECT_EQ(read.byte_size(), bytes.size());
  EXPECT_EQ(bytes.size() % 8, 0u);
  ASSERT_EQ(read.row_count(), kRows.size());
  for (uint32_t i = 0; i < kRows.size(); ++i) {
    EXPECT_EQ(row_at(read.rows(), i), kRows[i]);
    EXPECT_EQ(read.event_timestamp(i), Timestamp(44));
  }
  EXPECT_FALSE(read.has_event_timestamps());
}

TEST(MessageBlock, HoldsEventTimestampsOfEachMessage) {
  const auto block = MessageBlock::open(encode(kRows, {5, -6, INT64_MAX}));
  ASSERT_TRUE(block.ok());
  EXPECT_TRUE((*block)->has_event_timestamps());
  EXPECT_EQ((*block)->event_timestamp(0), Timestamp(5));
  EXPECT_EQ((*block)->event_timestamp(1), Timestamp(-6));
  EXPECT_EQ((*block)->event_timestamp(2), Timestamp(INT64_MAX));
}

TEST(MessageBlock, NoRowsAndNoColumns) {
  EXPECT_EQ((*MessageBlock::open(encode({})))->row_count(), 0u);
  RowBatchBuilder no_columns{TableSchema()};
  no_columns.finish_row();
  no_columns.finish_row();
  const auto block = MessageBlock::open(encode_message_block(BlockHeader(), no_columns.view(), {}));
  ASSERT_TRUE(block.ok()) << block.error().to_string();
  EXPECT_EQ((*block)->row_count(), 2u);
  EXPECT_EQ((*block)->rows().column_count(), 0u);
  EXPECT_EQ((*block)->stream(), "");
}

TEST(MessageBlock, RefusesEveryTruncation) {
  const std::string bytes = encode(kRows, {1, 2, 3});
  for (size_t size = 0; size < bytes.size(); ++size) {
    const auto block = MessageBlock::open(bytes.substr(0, size));
    ASSERT_FALSE(block.ok()) << size;
    EXPECT_EQ(block.error().code, ErrorCode::kDataCorrupted) << size;
  }
  EXPECT_EQ(MessageBlock::open(bytes + std::string(8, '\0')).error().code,
            ErrorCode::kDataCorrupted);
}

TEST(MessageBlock, RefusesAnotherFormat) {
  std::string bytes = encode(kRows);
  bytes[0] = '2';
  EXPECT_EQ(MessageBlock::open(bytes).error().code, ErrorCode::kNewerDataFormat);
}

// Reads all that a block has, for a sanitizer to see.
size_t touch(const MessageBlock& block) {
  size_t sum = block.stream().size();
  for (uint32_t row = 0; row < std::min(block.row_count(), 1000u); ++row) {
    sum += row_at(block.rows(), row).size();
    sum += static_cast<size_t>(block.event_timestamp(row).microseconds() & 1);
  }
  return sum;
}

TEST(MessageBlock, RandomDamageIsRefusedOrHarmless) {
  const std::string bytes = encode(kRows, {1, 2, 3});
  std::mt19937 random(7);
  size_t refused = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string damaged = bytes;
    for (uint32_t changes = 1 + random() % 3; changes > 0; --changes) {
      const size_t at = 4 + random() % (damaged.size() - 4);
      if (random() % 4 == 0 && at + 4 <= damaged.size()) {
        const uint32_t number = random() % 3 == 0 ? UINT32_MAX - random() % 9 : random() % 300;
        std::memcpy(damaged.data() + at / 4 * 4, &number, sizeof number);
      } else {
        damaged[at] = static_cast<char>(random());
      }
    }
    const auto block = MessageBlock::open(std::move(damaged));
    if (block.ok()) {
      touch(**block);
    } else {
      ++refused;
      ASSERT_EQ(block.error().code, ErrorCode::kDataCorrupted);
    }
  }
  EXPECT_GT(refused, 1000u);
}

}  // namespace
}  // namespace retinue::worker
