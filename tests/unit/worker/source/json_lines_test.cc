#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/folder/folder.h"
#include "tests/unit/worker/source/reading.h"
#include "worker/json/json_parser.h"

namespace retinue::worker {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

TEST(JsonLinesTest, ReadsRowsAndSkipsBlankLines) {
  const testing::Folder folder;
  auto source = make_source(json_spec({folder.write("in",
                                                    "\n{\"word\":\"a\",\"count\":1}\r\n"
                                                    " \t\r\n\r\n{\"word\":\"b\"}")}),
                            json_schema())
                    .value();
  const Reading reading = read_all(*source);
  EXPECT_EQ(reading.rows, (std::vector<Row>{{"a", int64_t{1}}, {"b", Null{}}}));
  EXPECT_EQ(reading.lines_skipped, 0u);
  EXPECT_TRUE(reading.is_last);
}

TEST(JsonLinesTest, ABadLineFailsAfterTheRowsBeforeIt) {
  const testing::Folder folder;
  auto source = make_source(json_spec({folder.write("in",
                                                    "{\"word\":\"a\"}\n"
                                                    "{\"word\":\"b\",\"count\":\"x\"}\n"
                                                    "{\"word\":\"c\"}\n")}),
                            json_schema())
                    .value();
  SourceChunk chunk;
  ASSERT_TRUE(source->read(chunk, 100, 1 << 20).ok());
  EXPECT_EQ(chunk.rows.row_count(), 1u);
  EXPECT_FALSE(chunk.is_last);
  const std::string position = chunk.position;
  for (int i = 0; i < 2; ++i) {  // the error stays
    const Result<void> result = source->read(chunk, 100, 1 << 20);
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().code, ErrorCode::kInvalidRecord);
    EXPECT_THAT(result.error().message, StartsWith(folder.path("in") + ":2:"));
    EXPECT_THAT(result.error().message, HasSubstr("count"));
    EXPECT_THAT(result.error().message, ::testing::Not(HasSubstr("column 1")));
  }
  // The position is before the bad line, so a corrected file goes on there.
  folder.write("in", "{\"word\":\"a\"}\n{\"word\":\"b\",\"count\":2}\n{\"word\":\"c\"}\n");
  auto again = make_source(json_spec({folder.path("in")}), json_schema()).value();
  ASSERT_TRUE(again->seek(position).ok());
  EXPECT_THAT(read_all(*again).texts(), ElementsAre("b", "c"));
}

TEST(JsonLinesTest, ABadFirstLineFailsAtOnce) {
  const testing::Folder folder;
  auto source = make_source(json_spec({folder.write("in", "nonsense\n")}), json_schema()).value();
  const Reading reading = read_all(*source);
  ASSERT_TRUE(reading.error.has_value());
  EXPECT_THAT(reading.error->message, StartsWith(folder.path("in") + ":1:1: "));
}

TEST(JsonLinesTest, SkipCountsBadLines) {
  const testing::Folder folder;
  const std::string in =
      folder.write("in", "{\"word\":\"a\"}\n{\"word\":1}\n[]\n{\"word\":\"b\"}\n{");
  auto source = make_source(json_spec({in}, BadLinePolicy::kSkip), json_schema()).value();
  const Reading reading = read_all(*source);
  EXPECT_THAT(reading.texts(), ElementsAre("a", "b"));
  EXPECT_EQ(reading.lines_skipped, 3u);
  EXPECT_THAT(reading.dead_letters, IsEmpty());
}

TEST(JsonLinesTest, DeadLettersTellWhereAndWhy) {
  const testing::Folder folder;
  const std::string in = folder.write("in", "{\"word\":\"a\"}\n{\"word\":\"b\",\"count\":1.5}\n");
  auto source = make_source(json_spec({in}, BadLinePolicy::kDeadLetter), json_schema()).value();
  const Reading reading = read_all(*source);
  EXPECT_THAT(reading.texts(), ElementsAre("a"));
  EXPECT_EQ(reading.lines_skipped, 1u);
  ASSERT_TRUE(reading.dead_letters.ends_with("}\n"));
  const yson::Node letter = parse_json(reading.dead_letters).value();
  ASSERT_EQ(letter.as_map().size(), 5u);
  EXPECT_EQ(*letter.find("file"), yson::Node(in));
  EXPECT_EQ(*letter.find("line"), yson::Node(2));
  EXPECT_GE(letter.find("column")->as_int64(), 1);
  EXPECT_THAT(letter.find("error")->as_string(), HasSubstr("count"));
  EXPECT_EQ(*letter.find("text"), yson::Node("{\"word\":\"b\",\"count\":1.5}"));
}

TEST(JsonLinesTest, BinaryGarbageIsBadLinesAndNothingElse) {
  const testing::Folder folder;
  std::string garbage;
  uint32_t state = 1;
  for (int i = 0; i < 300'000; ++i) {
    state = state * 1664525 + 1013904223;
    garbage += static_cast<char>(state >> 24);
  }
  const std::string in = folder.write("in", garbage + "\n{\"word\":\"ok\"}\n" + garbage);
  SourceSpec spec = json_spec({in}, BadLinePolicy::kDeadLetter);
  spec.compression = Compression::kNone;
  auto source = make_source(spec, json_schema()).value();
  const Reading reading = read_all(*source, 1000, 10'000);
  EXPECT_FALSE(reading.error.has_value());
  EXPECT_THAT(reading.texts(), ElementsAre("ok"));
  EXPECT_EQ(std::count(reading.dead_letters.begin(), reading.dead_letters.end(), '\n'),
            static_cast<int64_t>(reading.lines_skipped));
  EXPECT_GT(reading.lines_skipped, 100u);
}

TEST(JsonLinesTest, BadLinesAloneFillAChunk) {
  const testing::Folder folder;
  std::string bytes;
  for (int i = 0; i < 1000; ++i) {
    bytes += "bad\n";
  }
  auto source =
      make_source(json_spec({folder.write("in", bytes)}, BadLinePolicy::kSkip), json_schema())
          .value();
  SourceChunk chunk;
  ASSERT_TRUE(source->read(chunk, 10, 400).ok());
  EXPECT_TRUE(chunk.rows.empty());
  EXPECT_FALSE(chunk.is_last);
  EXPECT_EQ(chunk.lines_skipped, 100u);
  EXPECT_EQ(read_all(*source).lines_skipped, 900u);
}

TEST(JsonLinesTest, EveryLineLengthAtEveryPlaceOfTheBufferIsReadAlike) {
  const testing::Folder folder;
  std::string bytes;
  std::vector<std::string> expected;
  for (size_t i = 0; i < 3000; ++i) {
    expected.emplace_back(i % 701, static_cast<char>('a' + i % 26));
    bytes += "{\"word\":\"" + expected.back() + "\"}\n";
  }
  auto source = make_source(json_spec({folder.write("in", bytes)}), json_schema()).value();
  EXPECT_EQ(read_all(*source).texts(), expected);
}

TEST(JsonLinesTest, AByteOrderMarkIsNoPartOfTheFirstLine) {
  const testing::Folder folder;
  const std::string in = folder.write("in", "\xef\xbb\xbf{\"word\":\"a\"}\n{\"word\":\"b\"}");
  auto source = make_source(json_spec({in}), json_schema()).value();
  EXPECT_THAT(read_all(*source).texts(), ElementsAre("a", "b"));
}

}  // namespace
}  // namespace retinue::worker
