#include "worker/source/source_feed.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <condition_variable>
#include <mutex>
#include <string>
#include <vector>

#include "tests/folder/folder.h"
#include "tests/unit/worker/source/reading.h"

namespace retinue::worker {
namespace {

using ::testing::HasSubstr;

// Counts wake-ups and waits for the next one.
class Bell {
 public:
  std::function<void()> ring() {
    return [this] {
      const std::lock_guard lock(mutex_);
      ++rings_;
      rung_.notify_all();
    };
  }
  void wait_for(size_t rings) {
    std::unique_lock lock(mutex_);
    rung_.wait(lock, [&] { return rings_ >= rings; });
  }
  size_t rings() {
    const std::lock_guard lock(mutex_);
    return rings_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable rung_;
  size_t rings_ = 0;
};

// Takes the next chunk, waiting for it.
Result<std::unique_ptr<SourceChunk>> take(SourceFeed& feed, Bell& bell) {
  for (;;) {
    const size_t rings = bell.rings();
    if (auto taken = feed.take()) {
      return std::move(*taken);
    }
    bell.wait_for(rings + 1);
  }
}

std::vector<std::string> take_all(SourceFeed& feed, Bell& bell, std::string* position = nullptr) {
  std::vector<std::string> texts;
  for (bool is_last = false; !is_last;) {
    auto chunk = take(feed, bell).value();
    is_last = chunk->is_last;
    if (position != nullptr) {
      *position = chunk->position;
    }
    const RowBatchView view = chunk->rows.view();
    for (uint32_t row = 0; row < view.row_count(); ++row) {
      texts.emplace_back(view.column(ColumnIndex(0)).bytes_at(row));
    }
    feed.recycle(std::move(chunk));
  }
  return texts;
}

TEST(SourceFeedTest, DeliversEveryChunkInOrder) {
  const testing::Folder folder;
  std::string bytes;
  std::vector<std::string> expected;
  for (int i = 0; i < 5000; ++i) {
    expected.push_back("line " + std::to_string(i));
    bytes += expected.back() + "\n";
  }
  Bell bell;
  SourceFeed feed(text_source({folder.write("in", bytes)}), "",
                  {.chunk_rows_limit = 7, .chunk_bytes_limit = 1000, .chunks_ahead = 3},
                  bell.ring());
  EXPECT_EQ(take_all(feed, bell), expected);
  EXPECT_FALSE(feed.take().has_value());
}

TEST(SourceFeedTest, ReadsOnlySoFarAhead) {
  const testing::Folder folder;
  Bell bell;
  SourceFeed feed(text_source({folder.write("in", "a\nb\nc\nd\ne\n")}), "",
                  {.chunk_rows_limit = 1, .chunk_bytes_limit = 1000, .chunks_ahead = 2},
                  bell.ring());
  bell.wait_for(2);
  EXPECT_EQ(bell.rings(), 2u);
  EXPECT_TRUE(take(feed, bell).ok());
  bell.wait_for(3);
  EXPECT_EQ(bell.rings(), 3u);
}

TEST(SourceFeedTest, GoesOnFromAPosition) {
  const testing::Folder folder;
  const std::string in = folder.write("in", "a\nb\nc\n");
  SourceChunk chunk;
  ASSERT_TRUE(text_source({in})->read(chunk, 2, 1000).ok());
  Bell bell;
  SourceFeed feed(text_source({in}), chunk.position, {}, bell.ring());
  EXPECT_EQ(take_all(feed, bell), std::vector<std::string>{"c"});
}

TEST(SourceFeedTest, ABadPositionIsTheOnlyResult) {
  const testing::Folder folder;
  Bell bell;
  SourceFeed feed(text_source({folder.write("in", "a\n")}), "nonsense", {}, bell.ring());
  const auto result = take(feed, bell);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::kDataCorrupted);
  EXPECT_FALSE(feed.take().has_value());
}

TEST(SourceFeedTest, AnErrorComesAfterTheChunksBeforeIt) {
  const testing::Folder folder;
  Bell bell;
  auto source =
      make_source(json_spec({folder.write("in", "{\"word\":\"a\"}\nbad\n")}), json_schema())
          .value();
  SourceFeed feed(std::move(source), "", {}, bell.ring());
  EXPECT_EQ(take(feed, bell).value()->rows.row_count(), 1u);
  const auto result = take(feed, bell);
  ASSERT_FALSE(result.ok());
  EXPECT_THAT(result.error().message, HasSubstr("in:2:1: "));
}

TEST(SourceFeedTest, EndsWhileItsSourceWaitsForAPipe) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  {
    Bell bell;
    SourceFeed feed(make_source(text_spec({"-"}), text_schema(), "", ends[0]).value(), "", {},
                    bell.ring());
    ASSERT_EQ(::write(ends[1], "a\n", 2), 2);
    EXPECT_EQ(take(feed, bell).value()->rows.row_count(), 1u);
  }
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(SourceFeedTest, EndsWithChunksThatNobodyTook) {
  const testing::Folder folder;
  const std::string in = folder.write("in", "a\nb\nc\nd\n");
  for (int i = 0; i < 50; ++i) {
    Bell bell;
    const SourceFeed feed(text_source({in}), "",
                          {.chunk_rows_limit = 1, .chunk_bytes_limit = 1, .chunks_ahead = 2},
                          bell.ring());
    bell.wait_for(i % 3);
  }
}

}  // namespace
}  // namespace retinue::worker
