#include "worker/cli/dead_letter_printer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "worker/stream/message_block.h"

namespace retinue::worker {
namespace {

const TableSchema kWords =
    TableSchema::create(
        {{.name = "word", .type = ColumnType::kString, .required = false, .expression = ""}})
        .value();

DeadLetter letter() {
  RowBatchBuilder rows(kWords);
  rows.set_bytes(ColumnIndex(0), "p\tq");
  rows.finish_row();
  DeadLetter made;
  made.block = encode_message_block({.stream = "words",
                                     .revision = SchemaRevision(1),
                                     .first_id = {0x1a2b, 7},
                                     .system_timestamp = Timestamp(1'000'001),
                                     .event_timestamp = Timestamp(5)},
                                    rows.view(), {});
  made.key = "{word=\"p\"}";
  made.error = {ErrorCode::kUserCodeFailed, "Oops: \x1b[1mno\nsecond line"};
  made.exception_type = "Oops";
  made.trace = "here\nand there";
  made.attempts = 4;
  made.failed_at = Timestamp(1'700'000'000'000'000);
  return made;
}

PipelineRecord record() {
  PipelineRecord made;
  made.streams.emplace(StreamId("words"), kWords);
  return made;
}

const DeadLetterId kId{ComputationId("count"), PartitionIndex(3), DeadLetterNumber(17)};

TEST(DeadLetterPrinter, PrintsALineForPeople) {
  EXPECT_EQ(dead_letter_line(record(), kId, letter(), false).value(),
            "count/3/17\t2023-11-14T22:13:20Z\t4\tuser-code-failed: Oops: \\x1b[1mno\twords\t"
            "{\"word\":\"p\\tq\"}");
}

TEST(DeadLetterPrinter, PrintsJson) {
  EXPECT_EQ(dead_letter_line(record(), kId, letter(), true).value(),
            "{\"id\":\"count/3/17\",\"computation\":\"count\",\"partition\":3,\"kind\":\"message\","
            "\"stream\":\"words\",\"key\":{\"word\":\"p\"},\"message\":{\"word\":\"p\\tq\"},"
            "\"message_id\":\"1a2b:7\",\"system_timestamp\":1000001,\"event_timestamp\":5,"
            "\"error_code\":\"user-code-failed\",\"error\":\"Oops: \\u001b[1mno\\nsecond line\","
            "\"exception_type\":\"Oops\",\"trace\":\"here\\nand there\",\"attempts\":4,"
            "\"failed_at\":1700000000000000}");
}

TEST(DeadLetterPrinter, AMessageOfAStreamThatIsGoneIsNull) {
  EXPECT_THAT(dead_letter_line(PipelineRecord(), kId, letter(), true).value(),
              ::testing::HasSubstr("\"message\":null,"));
}

}  // namespace
}  // namespace retinue::worker
