#include "worker/runtime/event_loop.h"

#include <atomic>
#include <csignal>
#include <cstdio>
#include <thread>

#include "tests/unit/worker/runtime/fixture.h"
#include "worker/runtime/executor.h"

namespace retinue::worker::testing {
namespace {

TEST(EventLoop, BeginsWithATurn) {
  EventLoop loop;
  int turns = 0;
  EXPECT_TRUE(run_until(loop, [&] { return ++turns == 1; }));
}

TEST(EventLoop, WakesFromAnotherThread) {
  EventLoop loop;
  std::atomic<bool> woken = false;
  std::thread other([&] {
    woken = true;
    loop.wake();
  });
  EXPECT_TRUE(run_until(loop, [&] { return woken.load(); }));
  other.join();
}

TEST(EventLoop, ManyWakesAreOneTurn) {
  EventLoop loop;
  int turns = 0;
  bool is_next = false;
  for (int i = 0; i < 1000; ++i) {
    loop.wake();
  }
  EXPECT_TRUE(run_until(loop, [&] {
    if (++turns == 1) {
      loop.post([&] { is_next = true; });
    }
    return is_next;
  }));
  EXPECT_LE(turns, 3);
}

TEST(EventLoop, PostsRunInOrderBeforeATurn) {
  EventLoop loop;
  std::vector<int> order;
  loop.post([&] {
    order.push_back(1);
    loop.post([&] { order.push_back(3); });
  });
  loop.post([&] { order.push_back(2); });
  EXPECT_TRUE(run_until(loop, [&] { return order.size() == 3; }));
  EXPECT_THAT(order, ::testing::ElementsAre(1, 2, 3));
}

TEST(EventLoop, TheWakeupBringsATurn) {
  EventLoop loop;
  const SystemClock clock;
  const Duration due = clock.monotonic() + Duration::milliseconds(5);
  int turns = 0;
  loop.on_turn([&] {
    ++turns;
    if (clock.monotonic() >= due) {
      loop.stop();
    } else {
      loop.set_wakeup(due);
    }
  });
  loop.run();
  EXPECT_GE(turns, 2);
}

TEST(EventLoop, AWakeupInThePastComesAtOnce) {
  EventLoop loop;
  int turns = 0;
  loop.on_turn([&] {
    if (++turns == 3) {
      loop.stop();
    }
    loop.set_wakeup(Duration::microseconds(turns));
  });
  loop.run();
  EXPECT_EQ(turns, 3);
}

TEST(EventLoop, ASignalAsksToStop) {
  EventLoop loop;
  int signal = 0;
  loop.on_stop_signal([&](int number) { signal = number; }, [] {});
  ::raise(SIGTERM);
  EXPECT_TRUE(run_until(loop, [&] { return signal == SIGTERM; }));
}

TEST(EventLoopDeathTest, TheSecondSignalEndsTheProgram) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        EventLoop loop;
        loop.on_stop_signal([&](int) { ::raise(SIGINT); }, [] { std::fputs("ending", stderr); });
        ::raise(SIGINT);
        (void)run_until(loop, [] { return false; });
      },
      ::testing::ExitedWithCode(130), "ending");
}

TEST(Executor, RunsWorkElsewhereAndDoneHere) {
  EventLoop loop;
  Executor executor(loop, 3);
  const std::thread::id here = std::this_thread::get_id();
  std::atomic<int> worked = 0;
  int done = 0;
  for (int i = 0; i < 100; ++i) {
    executor.submit(
        [&] {
          EXPECT_NE(std::this_thread::get_id(), here);
          ++worked;
        },
        [&] {
          EXPECT_EQ(std::this_thread::get_id(), here);
          ++done;
        });
  }
  EXPECT_TRUE(run_until(loop, [&] { return done == 100; }));
  EXPECT_EQ(worked, 100);
}

TEST(Executor, NothingIsDoneAfterItsEnd) {
  EventLoop loop;
  std::atomic<bool> has_begun = false;
  bool is_done = false;
  {
    Executor executor(loop, 1);
    executor.submit(
        [&] {
          has_begun = true;
          has_begun.notify_one();
        },
        [&] { is_done = true; });
    has_begun.wait(false);
  }
  settle(loop);
  EXPECT_FALSE(is_done);
}

}  // namespace
}  // namespace retinue::worker::testing
