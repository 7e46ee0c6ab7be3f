// Inbox: hands frames from the thread that reads the socket to the one that handles them.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>
#include <variant>

#include "protocol/base/error.h"
#include "protocol/frame/frame_reader.h"

namespace retinue::companion {

// The companion was asked to leave.
struct StopRequested {};

// Threads: any. How much it holds is bounded by what the worker has in flight.
class Inbox {
 public:
  using Item = std::variant<Frame, StopRequested, Error>;

  void push(Frame frame) {
    const std::lock_guard lock(mutex_);
    frames_.push_back(std::move(frame));
    changed_.notify_one();
  }
  // Overtakes the frames: they will not be handled.
  void request_stop() {
    const std::lock_guard lock(mutex_);
    is_stop_requested_ = true;
    changed_.notify_one();
  }
  // Nothing more will come. Handed out after the frames.
  void close(Error reason) {
    const std::lock_guard lock(mutex_);
    closed_ = std::move(reason);
    changed_.notify_one();
  }

  // Waits for the next.
  Item pop() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return is_stop_requested_ || !frames_.empty() || closed_; });
    if (is_stop_requested_) {
      return StopRequested{};
    }
    if (frames_.empty()) {
      return *closed_;
    }
    Frame frame = std::move(frames_.front());
    frames_.pop_front();
    return frame;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Frame> frames_;
  bool is_stop_requested_ = false;
  std::optional<Error> closed_;
};

}  // namespace retinue::companion
