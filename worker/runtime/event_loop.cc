#include "worker/runtime/event_loop.h"

#include <unistd.h>
#include <uv.h>

#include <csignal>
#include <mutex>
#include <system_error>
#include <utility>
#include <vector>

#include "protocol/base/check.h"

namespace retinue::worker {
namespace {

void require(int outcome) {
  if (outcome != 0) {
    throw std::system_error(-outcome, std::generic_category(), "cannot make an event loop");
  }
}

}  // namespace

struct EventLoop::Impl {
  Impl();

  void handle_check();
  void handle_signal(int signal);
  void request_turn();
  template <typename Handle>
  void adopt(Handle& handle) {
    handle.data = this;
  }
  static Impl& of(const void* handle) {
    return *static_cast<Impl*>(static_cast<const uv_handle_t*>(handle)->data);
  }

  uv_loop_t loop;
  uv_async_t async;  // wake() and post()
  uv_check_t check;  // runs the turn, after the events of an iteration
  uv_idle_t idle;    // active while a turn is due: the loop must not wait for more events
  uv_timer_t timer;  // set_wakeup()
  uv_signal_t signals[2];
  bool turn_is_due = false;
  std::optional<Duration> wakeup;
  std::function<void()> turn = [] {};
  std::function<void(int)> stopping;
  std::function<void()> ending;
  bool is_stopping = false;
  std::mutex posted_mutex;
  std::vector<std::function<void()>> posted;  // guarded by posted_mutex
};

EventLoop::Impl::Impl() {
  std::signal(SIGPIPE, SIG_IGN);
  require(uv_loop_init(&loop));
  require(uv_async_init(&loop, &async, [](uv_async_t* handle) { of(handle).request_turn(); }));
  uv_check_init(&loop, &check);
  uv_idle_init(&loop, &idle);
  uv_timer_init(&loop, &timer);
  adopt(async);
  adopt(check);
  adopt(idle);
  adopt(timer);
  for (uv_signal_t& signal : signals) {
    require(uv_signal_init(&loop, &signal));
    adopt(signal);
  }
  uv_check_start(&check, [](uv_check_t* handle) { of(handle).handle_check(); });
}

void EventLoop::Impl::request_turn() {
  turn_is_due = true;
  uv_idle_start(&idle, [](uv_idle_t*) {});
}

void EventLoop::Impl::handle_check() {
  if (!std::exchange(turn_is_due, false)) {
    return;
  }
  uv_idle_stop(&idle);
  std::vector<std::function<void()>> callbacks;
  {
    const std::lock_guard lock(posted_mutex);
    callbacks.swap(posted);
  }
  for (const auto& callback : callbacks) {
    callback();
  }
  turn();
}

void EventLoop::Impl::handle_signal(int signal) {
  if (std::exchange(is_stopping, true)) {
    ending();
    _exit(130);
  }
  stopping(signal);
  request_turn();
}

EventLoop::EventLoop() : impl_(std::make_unique<Impl>()) {}

EventLoop::~EventLoop() {
  const auto close = [](auto& handle) {
    uv_close(reinterpret_cast<uv_handle_t*>(&handle), nullptr);
  };
  close(impl_->async);
  close(impl_->check);
  close(impl_->idle);
  close(impl_->timer);
  for (uv_signal_t& signal : impl_->signals) {
    close(signal);
  }
  // Lets the handles of what was built on the loop finish closing, too.
  uv_run(&impl_->loop, UV_RUN_DEFAULT);
  RETINUE_CHECK(uv_loop_close(&impl_->loop) == 0, "something outlives the loop it was built on");
}

void EventLoop::on_turn(std::function<void()> turn) {
  impl_->turn = std::move(turn);
}

void EventLoop::on_stop_signal(std::function<void(int)> stopping, std::function<void()> ending) {
  impl_->stopping = std::move(stopping);
  impl_->ending = std::move(ending);
  const auto handle = [](uv_signal_t* signal, int number) {
    Impl::of(signal).handle_signal(number);
  };
  uv_signal_start(&impl_->signals[0], handle, SIGTERM);
  uv_signal_start(&impl_->signals[1], handle, SIGINT);
}

void EventLoop::run() {
  request_turn();
  uv_run(&impl_->loop, UV_RUN_DEFAULT);
}

void EventLoop::stop() {
  uv_stop(&impl_->loop);
}

void EventLoop::wake() {
  uv_async_send(&impl_->async);
}

void EventLoop::post(std::function<void()> callback) {
  {
    const std::lock_guard lock(impl_->posted_mutex);
    impl_->posted.push_back(std::move(callback));
  }
  wake();
}

void EventLoop::set_wakeup(std::optional<Duration> at) {
  if (at == impl_->wakeup) {
    return;
  }
  impl_->wakeup = at;
  if (!at) {
    uv_timer_stop(&impl_->timer);
    return;
  }
  const Duration left = *at - SystemClock().monotonic();
  const int64_t milliseconds = left.microseconds() <= 0 ? 0 : (left.microseconds() + 999) / 1000;
  uv_update_time(&impl_->loop);
  uv_timer_start(
      &impl_->timer,
      [](uv_timer_t* timer) {
        Impl::of(timer).wakeup.reset();
        Impl::of(timer).request_turn();
      },
      static_cast<uint64_t>(milliseconds), 0);
}

uv_loop_s* EventLoop::native() {
  return &impl_->loop;
}

void EventLoop::request_turn() {
  impl_->request_turn();
}

}  // namespace retinue::worker
