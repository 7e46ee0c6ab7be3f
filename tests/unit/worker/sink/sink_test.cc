#include "worker/sink/sink.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <string>
#include <vector>

#include "protocol/values/value.h"
#include "tests/folder/folder.h"
#include "worker/sink/make_sink.h"

namespace retinue::worker {
namespace {

using ::testing::EndsWith;
using ::testing::StartsWith;

const TableSchema& words() {
  static const TableSchema schema = TableSchema::create({{"word", ColumnType::kString, false, ""},
                                                         {"count", ColumnType::kInt64, false, ""}})
                                        .value();
  return schema;
}

RowBatchBuilder rows_of(const std::vector<std::string>& texts) {
  RowBatchBuilder rows(words());
  for (const std::string& text : texts) {
    EXPECT_TRUE(append_row(rows, words(), {text, int64_t{1}}).ok());
  }
  return rows;
}

std::string line_of(const std::string& word) {
  return "{\"word\":\"" + word + "\",\"count\":1}\n";
}

std::unique_ptr<Sink> file_sink(const std::string& path, uint32_t partition = 0) {
  SinkSpec spec;
  spec.path = path;
  return make_sink(spec, PartitionIndex(partition)).value();
}

std::unique_ptr<Sink> stdout_sink(int fd) {
  SinkSpec spec;
  spec.type = SinkType::kStdout;
  return make_sink(spec, PartitionIndex(0), fd).value();
}

void restore(Sink& sink, const std::string& position = "") {
  const Result<void> examined = sink.examine(position);
  ASSERT_TRUE(examined.ok()) << examined.error().to_string();
  ASSERT_TRUE(sink.restore().ok());
}

void append_all(Sink& sink, const RowBatchBuilder& rows) {
  const RowBatchView view = rows.view();
  ASSERT_TRUE(sink.append("words", words(), view, 0, view.row_count()).ok());
}

TEST(JsonLinesSinkTest, WritesTheRowsAskedFor) {
  const testing::Folder folder;
  auto sink = file_sink(folder.path("out"));
  restore(*sink);
  EXPECT_EQ(sink->flush().value(), "0 " + folder.path("out"));
  const RowBatchBuilder rows = rows_of({"a", "b", "c", "d"});
  ASSERT_TRUE(sink->append("words", words(), rows.view(), 1, 3).ok());
  const std::string expected = line_of("b") + line_of("c");
  const std::string position = std::to_string(expected.size()) + " " + folder.path("out");
  EXPECT_EQ(sink->flush().value(), position);
  EXPECT_EQ(sink->flush().value(), position);
  EXPECT_EQ(folder.read("out"), expected);
}

TEST(JsonLinesSinkTest, ARestartTakesBackWhatWasNotCommitted) {
  const testing::Folder folder;
  std::string committed;
  {
    auto sink = file_sink(folder.path("out"));
    restore(*sink);
    append_all(*sink, rows_of({"a"}));
    committed = sink->flush().value();
    append_all(*sink, rows_of({"lost"}));
    ASSERT_TRUE(sink->flush().ok());
  }
  EXPECT_EQ(folder.read("out"), line_of("a") + line_of("lost"));
  auto sink = file_sink(folder.path("out"));
  restore(*sink, committed);
  append_all(*sink, rows_of({"b"}));
  ASSERT_TRUE(sink->flush().ok());
  EXPECT_EQ(folder.read("out"), line_of("a") + line_of("b"));
}

TEST(JsonLinesSinkTest, ACrashBeforeTheFirstRowsAreCommittedIsNoObstacle) {
  const testing::Folder folder;
  std::string first_position;
  {
    auto sink = file_sink(folder.path("out"));
    restore(*sink);
    first_position = sink->flush().value();
    append_all(*sink, rows_of({"lost"}));
    ASSERT_TRUE(sink->flush().ok());
  }
  auto sink = file_sink(folder.path("out"));
  restore(*sink, first_position);
  EXPECT_EQ(folder.read("out"), "");
}

TEST(JsonLinesSinkTest, APositionWithoutAPathIsOfTheFileThatTheSpecNames) {
  const testing::Folder folder;
  folder.write("out", line_of("a") + "lost");
  auto sink = file_sink(folder.path("out"));
  restore(*sink, std::to_string(line_of("a").size()));
  EXPECT_EQ(sink->file()->left_behind(), std::nullopt);
  EXPECT_EQ(folder.read("out"), line_of("a"));
  EXPECT_THAT(sink->flush().value(), EndsWith(" " + folder.path("out")));
}

TEST(JsonLinesSinkTest, GarbledPositionsAreRefused) {
  const testing::Folder folder;
  folder.write("out", "0123456789");
  for (const char* position : {"4x", "x", "-1", " 4", "4 ", "99999999999999999999999"}) {
    const Result<void> restored = file_sink(folder.path("out"))->examine(position);
    ASSERT_FALSE(restored.ok()) << position;
    EXPECT_EQ(restored.error().code, ErrorCode::kDataCorrupted) << position;
  }
  EXPECT_EQ(folder.read("out"), "0123456789");
}

TEST(JsonLinesSinkTest, APartitionHasAFileOfItsOwn) {
  const testing::Folder folder;
  auto sink = file_sink(folder.path("out-{partition}.jsonl"), 12);
  restore(*sink);
  append_all(*sink, rows_of({"a"}));
  ASSERT_TRUE(sink->flush().ok());
  EXPECT_EQ(folder.read("out-12.jsonl"), line_of("a"));
  EXPECT_EQ(sink_file_path("/{partition}/{partition}", PartitionIndex(3)), "/3/3");
}

TEST(JsonLinesSinkTest, StreamsOfDifferentSchemasShareAFile) {
  const testing::Folder folder;
  const TableSchema other = TableSchema::create({{"ok", ColumnType::kBoolean, false, ""}}).value();
  RowBatchBuilder rows(other);
  ASSERT_TRUE(append_row(rows, other, {true}).ok());
  auto sink = file_sink(folder.path("out"));
  restore(*sink);
  append_all(*sink, rows_of({"a"}));
  ASSERT_TRUE(sink->append("other", other, rows.view(), 0, 1).ok());
  append_all(*sink, rows_of({"b"}));
  ASSERT_TRUE(sink->flush().ok());
  EXPECT_EQ(folder.read("out"), line_of("a") + "{\"ok\":true}\n" + line_of("b"));
}

TEST(JsonLinesSinkTest, ManyRowsReachTheFileWhole) {
  const testing::Folder folder;
  auto sink = file_sink(folder.path("out"));
  restore(*sink);
  const std::string word(1000, 'w');
  const RowBatchBuilder rows = rows_of(std::vector<std::string>(1000, word));
  append_all(*sink, rows);
  const std::string position = sink->flush().value();
  EXPECT_THAT(position, StartsWith(std::to_string(1000 * line_of(word).size()) + " "));
  EXPECT_EQ(folder.read("out").size(), 1000 * line_of(word).size());
}

TEST(MakeSinkTest, AFileSinkNeedsAPath) {
  EXPECT_EQ(make_sink(SinkSpec{}, PartitionIndex(0)).error().code, ErrorCode::kInvalidSpec);
}

TEST(StdoutSinkTest, WritesLinesAndHasNoPosition) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  auto sink = stdout_sink(ends[1]);
  restore(*sink);
  append_all(*sink, rows_of({"a", "b"}));
  EXPECT_EQ(sink->flush().value(), "");
  std::string read(100, '\0');
  read.resize(static_cast<size_t>(::read(ends[0], read.data(), read.size())));
  EXPECT_EQ(read, line_of("a") + line_of("b"));
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(StdoutSinkTest, KeepsThePositionOfTheFileBefore) {
  auto sink = stdout_sink(-1);
  restore(*sink, "17 /out");
  EXPECT_EQ(sink->flush().value(), "17 /out");
}

TEST(StdoutSinkTest, AClosedReaderIsAnError) {
  ::signal(SIGPIPE, SIG_IGN);
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ::close(ends[0]);
  auto sink = stdout_sink(ends[1]);
  append_all(*sink, rows_of({"a"}));
  const Result<std::string> flushed = sink->flush();
  ::close(ends[1]);
  ASSERT_FALSE(flushed.ok());
  EXPECT_EQ(flushed.error().code, ErrorCode::kIoError);
  EXPECT_EQ(flushed.error().message, "standard output is closed");
}

TEST(StdoutSinkTest, AFullDeviceIsOutOfSpace) {
  const int full = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
  ASSERT_GE(full, 0);
  auto sink = stdout_sink(full);
  append_all(*sink, rows_of({"a"}));
  const Result<std::string> flushed = sink->flush();
  ::close(full);
  ASSERT_FALSE(flushed.ok());
  EXPECT_EQ(flushed.error().code, ErrorCode::kOutOfSpace);
}

}  // namespace
}  // namespace retinue::worker
