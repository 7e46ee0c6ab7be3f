// EventLoop: the worker's main thread, on libuv.
//
// What happened is handled in turns: events (I/O, posts, wake-ups, the timer) only mark that a turn
// is due, and one turn follows each batch of them, however many they were.
//
// Threads: wake() and post() from any; everything else from the thread that runs the loop.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "protocol/base/clock.h"

struct uv_loop_s;

namespace retinue::worker {

class EventLoop {
 public:
  // Ignores SIGPIPE from here on: a peer that is gone is an error of the write. Throws
  // std::system_error when the system has no descriptors for it.
  EventLoop();
  // Precondition: what was built on the loop is destroyed.
  ~EventLoop();
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  // Called once after each batch of events. Set before run().
  void on_turn(std::function<void()> turn);
  // `stopping` is called at the first SIGTERM or SIGINT, with its number, before a turn. The second
  // one ends the program at once with status 130, after `ending`.
  void on_stop_signal(std::function<void(int signal)> stopping, std::function<void()> ending);

  // Runs until stop(). Begins with a turn. Can be run again.
  void run();
  void stop();

  // A turn runs soon.
  void wake();
  // `callback` runs on the loop's thread, before a turn.
  void post(std::function<void()> callback);
  // A turn runs at this instant of SystemClock::monotonic(); nullopt: not for the time's sake.
  void set_wakeup(std::optional<Duration> at);

  // --- for what is built on the loop
  uv_loop_s* native();
  // An event was handled: a turn is due. Cheap.
  void request_turn();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace retinue::worker
