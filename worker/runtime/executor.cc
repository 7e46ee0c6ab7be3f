#include "worker/runtime/executor.h"

#include <pthread.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace retinue::worker {
namespace {

struct Task {
  std::function<void()> work;
  std::function<void()> done;
};

}  // namespace

struct Executor::Impl {
  explicit Impl(EventLoop& given) : loop(given) {}

  void run_tasks(const std::weak_ptr<Impl>& self);

  EventLoop& loop;
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Task> tasks;    // guarded by mutex
  bool is_stopping = false;  // guarded by mutex
  std::vector<std::thread> threads;
};

void Executor::Impl::run_tasks(const std::weak_ptr<Impl>& self) {
  pthread_setname_np(pthread_self(), "executor");
  std::unique_lock lock(mutex);
  while (true) {
    changed.wait(lock, [&] { return is_stopping || !tasks.empty(); });
    if (is_stopping) {
      return;
    }
    Task task = std::move(tasks.front());
    tasks.pop_front();
    lock.unlock();
    task.work();
    // The executor is destroyed on the loop's thread, where this runs: it is either there or gone.
    loop.post([self, done = std::move(task.done)] {
      if (!self.expired()) {
        done();
      }
    });
    lock.lock();
  }
}

Executor::Executor(EventLoop& loop, size_t threads) : impl_(std::make_shared<Impl>(loop)) {
  for (size_t i = 0; i < threads; ++i) {
    impl_->threads.emplace_back(
        [impl = impl_.get(), self = std::weak_ptr(impl_)] { impl->run_tasks(self); });
  }
}

Executor::~Executor() {
  {
    const std::lock_guard lock(impl_->mutex);
    impl_->is_stopping = true;
  }
  impl_->changed.notify_all();
  for (std::thread& thread : impl_->threads) {
    thread.join();
  }
}

void Executor::submit(std::function<void()> work, std::function<void()> done) {
  {
    const std::lock_guard lock(impl_->mutex);
    impl_->tasks.push_back({std::move(work), std::move(done)});
  }
  impl_->changed.notify_one();
}

}  // namespace retinue::worker
