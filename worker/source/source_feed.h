// SourceFeed: runs one Source on a thread, a few chunks ahead of the pipeline.
//
// Threads: the owner's thread calls everything; `wake` is called from the feed's thread.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "worker/source/source.h"

namespace retinue::worker {

// What the engine needs of a feed; a test gives chunks by hand.
class ChunkFeed {
 public:
  virtual ~ChunkFeed() = default;

  // The next chunk, the error that ended reading, or nullopt: nothing yet.
  virtual std::optional<Result<std::unique_ptr<SourceChunk>>> take() = 0;
  // Gives a chunk's buffers back for reuse.
  virtual void recycle(std::unique_ptr<SourceChunk> chunk) = 0;
};

class SourceFeed final : public ChunkFeed {
 public:
  struct Options {
    uint32_t chunk_rows_limit = 4096;
    size_t chunk_bytes_limit = size_t{1} << 20;
    size_t chunks_ahead = 4;
  };

  // `position` empty: from the beginning.
  SourceFeed(std::unique_ptr<Source> source, std::string position, Options options,
             std::function<void()> wake);
  // Interrupts the source and joins the thread.
  ~SourceFeed() override;
  SourceFeed(const SourceFeed&) = delete;
  SourceFeed& operator=(const SourceFeed&) = delete;

  std::optional<Result<std::unique_ptr<SourceChunk>>> take() override;
  void recycle(std::unique_ptr<SourceChunk> chunk) override;

 private:
  void run();

  const std::unique_ptr<Source> source_;
  const std::string position_;
  const Options options_;
  const std::function<void()> wake_;
  std::mutex mutex_;
  std::condition_variable room_;
  std::deque<Result<std::unique_ptr<SourceChunk>>> ready_;
  std::deque<std::unique_ptr<SourceChunk>> free_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace retinue::worker
