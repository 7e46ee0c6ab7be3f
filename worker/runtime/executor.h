// Executor: runs blocking work (writes of sinks) on threads of its own.
//
// Threads: the loop's. `work` runs on a thread of the pool, `done` on the loop's, before a turn.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "worker/runtime/event_loop.h"

namespace retinue::worker {

class Executor {
 public:
  Executor(EventLoop& loop, size_t threads);
  // Waits for the work that has begun, drops the rest; no `done` runs any more.
  ~Executor();
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  void submit(std::function<void()> work, std::function<void()> done);

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace retinue::worker
