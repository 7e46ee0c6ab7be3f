#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "protocol/base/limits.h"
#include "tests/folder/folder.h"
#include "tests/unit/worker/source/compress.h"
#include "tests/unit/worker/source/reading.h"

namespace retinue::worker {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> lines_of(std::string_view bytes) {
  const testing::Folder folder;
  auto source = text_source({folder.write("in", bytes)});
  const Reading reading = read_all(*source);
  EXPECT_FALSE(reading.error.has_value());
  EXPECT_EQ(reading.bytes_read, bytes.size());
  EXPECT_EQ(reading.bytes_done, bytes.size());
  return reading.texts();
}

TEST(TextLinesTest, CutsLines) {
  EXPECT_THAT(lines_of(""), IsEmpty());
  EXPECT_THAT(lines_of("\n"), ElementsAre(""));
  EXPECT_THAT(lines_of("a"), ElementsAre("a"));
  EXPECT_THAT(lines_of("a\nb\n"), ElementsAre("a", "b"));
  EXPECT_THAT(lines_of("a\n\nb"), ElementsAre("a", "", "b"));
  EXPECT_THAT(lines_of("a\r\n\r\nb\r\r\nc\rd\r"), ElementsAre("a", "", "b\r", "c\rd"));
  EXPECT_THAT(lines_of("\r\n"), ElementsAre(""));
}

TEST(TextLinesTest, BytesAreLeftAsTheyAre) {
  const std::string garbage("\x00\xff\xfe\x80 \x01", 6);
  EXPECT_THAT(lines_of(garbage + "\n" + garbage), ElementsAre(garbage, garbage));
}

TEST(TextLinesTest, FillsTheFileAndLineNumberColumns) {
  const testing::Folder folder;
  const std::string a = folder.write("a", "one\ntwo\n");
  const std::string b = folder.write("b", "three");
  auto source = text_source({b, a});
  const Reading reading = read_all(*source);
  const std::vector<Row> expected = {
      {"three", b, uint64_t{1}}, {"one", a, uint64_t{1}}, {"two", a, uint64_t{2}}};
  EXPECT_EQ(reading.rows, expected);
  EXPECT_THAT(reading.partitions, ElementsAre(b, a));
  EXPECT_TRUE(reading.is_last);
}

TEST(TextLinesTest, ColumnsAreResolvedAgainstTheSchema) {
  const testing::Folder folder;
  SourceSpec spec = text_spec({folder.write("in", "a\n")});
  const auto code = [&] {
    auto source = make_source(spec, text_schema());
    return source ? std::optional<ErrorCode>() : source.error().code;
  };
  EXPECT_EQ(code(), std::nullopt);
  spec.line_column = "text";
  EXPECT_EQ(code(), ErrorCode::kSchemaMismatch);
  spec.line_column = "number";  // no string
  EXPECT_EQ(code(), ErrorCode::kSchemaMismatch);
  spec.line_column = "file";  // leaves the required "line" empty, and "file" is taken
  EXPECT_EQ(code(), ErrorCode::kSchemaMismatch);
  spec.line_column = "line";
  spec.file_column = "line";
  EXPECT_EQ(code(), ErrorCode::kSchemaMismatch);
  spec.file_column.reset();
  spec.line_number_column = "file";
  EXPECT_EQ(code(), ErrorCode::kSchemaMismatch);
}

TEST(TextLinesTest, LineNumbersMayBeSigned) {
  const testing::Folder folder;
  const TableSchema schema = TableSchema::create({{"line", ColumnType::kString, true, ""},
                                                  {"number", ColumnType::kInt64, true, ""}})
                                 .value();
  SourceSpec spec = text_spec({folder.write("in", "a\nb\n")});
  spec.file_column.reset();
  auto source = make_source(spec, schema).value();
  EXPECT_EQ(read_all(*source).rows[1], (Row{"b", int64_t{2}}));
}

TEST(TextLinesTest, ChunksKeepTheirLimits) {
  const testing::Folder folder;
  std::string bytes;
  for (int i = 0; i < 1000; ++i) {
    bytes += "line " + std::to_string(i) + "\n";
  }
  auto source = text_source({folder.write("in", bytes)});
  SourceChunk chunk;
  ASSERT_TRUE(source->read(chunk, 10, 1 << 20).ok());
  EXPECT_EQ(chunk.rows.row_count(), 10u);
  EXPECT_EQ(chunk.bytes_read, 70u);
  EXPECT_EQ(chunk.bytes_done, 70u);
  ASSERT_TRUE(source->read(chunk, 1000, 20).ok());  // the line that reaches the limit is in
  EXPECT_EQ(chunk.rows.row_count(), 3u);
  ASSERT_TRUE(source->read(chunk, 1000, 1).ok());
  EXPECT_EQ(chunk.rows.row_count(), 1u);
  EXPECT_FALSE(chunk.is_last);
  EXPECT_EQ(source->total_bytes(), bytes.size());
}

TEST(TextLinesTest, TheEndComesAgain) {
  const testing::Folder folder;
  auto source = text_source({folder.write("in", "a\nb\n")});
  SourceChunk chunk;
  ASSERT_TRUE(source->read(chunk, 2, 1 << 20).ok());
  EXPECT_FALSE(chunk.is_last);  // more could follow
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(source->read(chunk, 2, 1 << 20).ok());
    EXPECT_TRUE(chunk.is_last);
    EXPECT_TRUE(chunk.rows.empty());
    EXPECT_EQ(chunk.partition, folder.path("in"));
  }
}

TEST(TextLinesTest, EmptyFilesGiveNothing) {
  const testing::Folder folder;
  auto source = text_source({folder.write("a", ""), folder.write("b", "x"), folder.write("c", "")});
  const Reading reading = read_all(*source);
  EXPECT_THAT(reading.texts(), ElementsAre("x"));
  EXPECT_TRUE(reading.is_last);
}

TEST(TextLinesTest, LongLinesGrowTheBuffer) {
  std::string bytes;
  std::vector<std::string> expected;
  for (const size_t size : {size_t{1}, size_t{300'000}, size_t{2}, size_t{5'000'000},
                            limits::kLineBytesLimit, size_t{3}}) {
    expected.emplace_back(size, static_cast<char>('a' + expected.size()));
    bytes += expected.back() + "\r\n";
  }
  EXPECT_TRUE(lines_of(bytes) == expected);
}

class OverlongLineTest : public ::testing::TestWithParam<size_t> {};

TEST_P(OverlongLineTest, IsABadLine) {
  const testing::Folder folder;
  SourceSpec spec = text_spec(
      {folder.write("in", "before\n" + std::string(GetParam(), 'x') + "\r\nafter\nlast")});

  auto failing = make_source(spec, text_schema()).value();
  Reading reading = read_all(*failing, 1000, size_t{64} << 20);
  EXPECT_THAT(reading.texts(), ElementsAre("before"));
  ASSERT_TRUE(reading.error.has_value());
  EXPECT_EQ(reading.error->code, ErrorCode::kInvalidRecord);
  EXPECT_EQ(reading.error->message,
            folder.path("in") + ":2:16777217: the line is longer than 16777216 bytes");

  spec.on_bad_line = BadLinePolicy::kDeadLetter;
  auto passing = make_source(spec, text_schema()).value();
  reading = read_all(*passing);
  EXPECT_THAT(reading.texts(), ElementsAre("before", "after", "last"));
  EXPECT_EQ(reading.rows[1][2], Value(uint64_t{3}));
  EXPECT_EQ(reading.lines_skipped, 1u);
  EXPECT_LT(reading.dead_letters.size(), size_t{100'000});
  EXPECT_THAT(reading.dead_letters, HasSubstr("\"text\":\"xxxx"));
  EXPECT_EQ(reading.bytes_read, GetParam() + 19);
}

INSTANTIATE_TEST_SUITE_P(Sizes, OverlongLineTest,
                         ::testing::Values(limits::kLineBytesLimit + 1, limits::kLineBytesLimit + 2,
                                           size_t{20'000'000}, size_t{40'000'000}));

TEST(TextLinesTest, TheBeginningOfALongLineEndsWithAWholeCharacter) {
  const testing::Folder folder;
  std::string line = "x";
  while (line.size() <= limits::kLineBytesLimit) {
    line += "\u00e9";
  }
  SourceSpec spec = text_spec({folder.write("in", line)});
  spec.on_bad_line = BadLinePolicy::kDeadLetter;
  auto source = make_source(spec, text_schema()).value();
  EXPECT_THAT(read_all(*source).dead_letters, HasSubstr("\"text\":\"x\u00e9"));
}

TEST(TextLinesTest, AnEndlessLineTakesBoundedMemoryAndEnds) {
  const testing::Folder folder;
  SourceSpec spec = text_spec({folder.write("in", std::string(17'000'000, 'x'))});
  spec.on_bad_line = BadLinePolicy::kSkip;
  auto source = make_source(spec, text_schema()).value();
  const Reading reading = read_all(*source);
  EXPECT_THAT(reading.rows, IsEmpty());
  EXPECT_EQ(reading.lines_skipped, 1u);
  EXPECT_TRUE(reading.is_last);
}

TEST(TextLinesTest, AByteOrderMarkIsNoPartOfTheText) {
  constexpr std::string_view kMark = "\xef\xbb\xbf";
  const std::string mark(kMark);
  const testing::Folder folder;
  folder.write("in", mark + "a\n" + mark + "b\n");
  auto source = text_source({folder.path("in")});
  const Reading reading = read_all(*source, 1);
  EXPECT_THAT(reading.texts(), ElementsAre("a", mark + "b"));
  EXPECT_EQ(reading.bytes_done, 10u);
  folder.write("in", mark);
  EXPECT_THAT(read_all(*text_source({folder.path("in")})).texts(), ElementsAre(""));
}

}  // namespace
}  // namespace retinue::worker
