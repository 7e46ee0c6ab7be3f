#include "worker/source/source_feed.h"

#include <pthread.h>

#include <utility>

namespace retinue::worker {

SourceFeed::SourceFeed(std::unique_ptr<Source> source, std::string position, Options options,
                       std::function<void()> wake)
    : source_(std::move(source)),
      position_(std::move(position)),
      options_(options),
      wake_(std::move(wake)),
      thread_([this] { run(); }) {}

SourceFeed::~SourceFeed() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  room_.notify_one();
  source_->interrupt();
  thread_.join();
}

std::optional<Result<std::unique_ptr<SourceChunk>>> SourceFeed::take() {
  std::optional<Result<std::unique_ptr<SourceChunk>>> taken;
  {
    const std::lock_guard lock(mutex_);
    if (ready_.empty()) {
      return taken;
    }
    taken = std::move(ready_.front());
    ready_.pop_front();
  }
  room_.notify_one();
  return taken;
}

void SourceFeed::recycle(std::unique_ptr<SourceChunk> chunk) {
  const std::lock_guard lock(mutex_);
  if (free_.size() < options_.chunks_ahead) {
    free_.push_back(std::move(chunk));
  }
}

void SourceFeed::run() {
  pthread_setname_np(pthread_self(), "source");
  Result<void> result = position_.empty() ? Result<void>() : source_->seek(position_);
  for (bool is_over = false; !is_over;) {
    std::unique_ptr<SourceChunk> chunk;
    {
      std::unique_lock lock(mutex_);
      room_.wait(lock, [this] { return stopping_ || ready_.size() < options_.chunks_ahead; });
      if (stopping_) {
        return;
      }
      if (!free_.empty()) {
        chunk = std::move(free_.front());
        free_.pop_front();
      }
    }
    if (chunk == nullptr) {
      chunk = std::make_unique<SourceChunk>();
    }
    if (result) {
      result = source_->read(*chunk, options_.chunk_rows_limit, options_.chunk_bytes_limit);
    }
    is_over = !result || chunk->is_last;
    {
      const std::lock_guard lock(mutex_);
      if (stopping_) {
        return;
      }
      if (result) {
        ready_.emplace_back(std::move(chunk));
      } else {
        ready_.emplace_back(result.error());
      }
    }
    wake_();
  }
}

}  // namespace retinue::worker
