#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <future>
#include <string>
#include <thread>

#include "tests/folder/folder.h"
#include "tests/unit/worker/source/compress.h"
#include "tests/unit/worker/source/reading.h"

namespace retinue::worker {
namespace {

using ::testing::ElementsAre;

class Pipe {
 public:
  Pipe() { EXPECT_EQ(::pipe2(ends_, O_CLOEXEC), 0); }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    ::close(ends_[0]);
    close_writer();
  }

  int reader() const { return ends_[0]; }
  void write(std::string_view bytes) const {
    EXPECT_EQ(::write(ends_[1], bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  }
  void close_writer() {
    if (ends_[1] >= 0) {
      ::close(ends_[1]);
      ends_[1] = -1;
    }
  }

 private:
  int ends_[2];
};

std::unique_ptr<Source> stdin_source(const Pipe& pipe) {
  return make_source(text_spec({"-"}), text_schema(), "", pipe.reader()).value();
}

TEST(PipeTest, GivesTheLinesThereAreAtOnce) {
  Pipe pipe;
  auto source = stdin_source(pipe);
  Reading reading;
  pipe.write("a\nb\nhal");
  EXPECT_TRUE(read_chunk(*source, reading));
  EXPECT_THAT(reading.texts(), ElementsAre("a", "b"));
  EXPECT_THAT(reading.partitions, ElementsAre("-"));
  EXPECT_EQ(reading.rows[1], (Row{"b", "-", uint64_t{2}}));
  pipe.write("f\n");
  EXPECT_TRUE(read_chunk(*source, reading));
  EXPECT_THAT(reading.texts(), ElementsAre("a", "b", "half"));
  pipe.write("last");
  pipe.close_writer();
  EXPECT_FALSE(read_chunk(*source, reading));
  EXPECT_THAT(reading.texts(), ElementsAre("a", "b", "half", "last"));
  EXPECT_TRUE(reading.is_last);
  EXPECT_EQ(source->total_bytes(), std::nullopt);
}

TEST(PipeTest, CompressedInputComesThroughAPipe) {
  for (const auto compress : {&gzip, &zstd}) {
    Pipe pipe;
    pipe.write(compress("a\nb\n"));
    auto source = stdin_source(pipe);
    Reading reading;
    EXPECT_TRUE(read_chunk(*source, reading));
    EXPECT_THAT(reading.texts(), ElementsAre("a", "b"));
    pipe.write(compress("c"));
    pipe.close_writer();
    EXPECT_FALSE(read_chunk(*source, reading));
    EXPECT_THAT(reading.texts(), ElementsAre("a", "b", "c"));
  }
}

TEST(PipeTest, OneByteAtATimeGivesTheSameLines) {
  Pipe pipe;
  auto source = stdin_source(pipe);
  Reading reading;
  for (const char c : std::string("(a\r\n\nb\n")) {
    pipe.write({&c, 1});
    if (c == '\n') {
      EXPECT_TRUE(read_chunk(*source, reading));
    }
  }
  EXPECT_THAT(reading.texts(), ElementsAre("(a", "", "b"));
}

TEST(PipeTest, BadLinesDoNotWaitForGoodOnes) {
  Pipe pipe;
  pipe.write("bad\n");
  auto source =
      make_source(json_spec({"-"}, BadLinePolicy::kDeadLetter), json_schema(), "", pipe.reader())
          .value();
  Reading reading;
  EXPECT_TRUE(read_chunk(*source, reading));
  EXPECT_EQ(reading.lines_skipped, 1u);
}

TEST(PipeTest, ARestartGoesOnWithWhatItGets) {
  std::string position;
  {
    Pipe pipe;
    auto source = stdin_source(pipe);
    pipe.write("a\nb\n");
    pipe.close_writer();
    position = read_all(*source).position;
  }
  Pipe pipe;
  auto source = stdin_source(pipe);
  ASSERT_TRUE(source->seek(position).ok());
  pipe.write("c\n");
  pipe.close_writer();
  const Reading rest = read_all(*source);
  EXPECT_EQ(rest.rows, (std::vector<Row>{{"c", "-", uint64_t{3}}}));
}

TEST(PipeTest, InterruptEndsAReadThatWaits) {
  const Pipe pipe;
  auto source = stdin_source(pipe);
  std::promise<void> begun;
  std::thread interrupter([&] {
    begun.get_future().wait();
    source->interrupt();
  });
  begun.set_value();
  SourceChunk chunk;
  const Result<void> result = source->read(chunk, 10, 1000);
  interrupter.join();
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::kDraining);
}

TEST(PipeTest, InterruptBeforeReadingEndsReadingAtOnce) {
  const testing::Folder folder;
  auto source = text_source({folder.write("in", "a\n")});
  source->interrupt();
  source->interrupt();
  EXPECT_EQ(read_all(*source).error->code, ErrorCode::kDraining);
}

TEST(PipeTest, ANamedPipeIsReadOnceAWriterComes) {
  const testing::Folder folder;
  const std::string path = folder.path("pipe");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  auto source = text_source({path, folder.write("z", "z\n")});
  std::thread writer([&] { folder.append("pipe", "a\nb\n"); });
  const Reading reading = read_all(*source);
  writer.join();
  EXPECT_THAT(reading.texts(), ElementsAre("a", "b", "z"));
  // Another run reads what the pipe gives then.
  auto again = text_source({path, folder.path("z")});
  ASSERT_TRUE(again->seek(reading.position).ok());
  std::thread next_writer([&] { folder.append("pipe", "c\n"); });
  const Reading rest = read_all(*again);
  next_writer.join();
  EXPECT_EQ(rest.rows, (std::vector<Row>{{"c", path, uint64_t{3}}}));
}

TEST(PipeTest, AClosedStandardInputIsAnError) {
  constexpr int kNotOpen = 1'000'000;
  auto source = make_source(text_spec({"-"}), text_schema(), "", kNotOpen).value();
  EXPECT_EQ(read_all(*source).error->code, ErrorCode::kIoError);
}

}  // namespace
}  // namespace retinue::worker
