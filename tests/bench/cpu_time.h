// What the benchmarks measure with, and against.
#pragma once

#include <benchmark/benchmark.h>
#include <time.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>

namespace retinue {

// CPU time: the machine may be busy with other things.
inline double cpu_ns() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

// What memcpy of so many bytes takes, for ratios. The least of several rounds: one that is
// disturbed says nothing.
inline double memcpy_ns(size_t bytes) {
  constexpr int kRounds = 10;
  constexpr int kTimes = 200;
  std::vector<char> from(bytes, 'x');
  // Not at the same place in a page as `from`: some processors copy such buffers ten times slower.
  constexpr size_t kShift = 2112;
  std::vector<char> to(bytes + kShift);
  double least = 0;
  for (int round = 0; round < kRounds; ++round) {
    const double start = cpu_ns();
    for (int i = 0; i < kTimes; ++i) {
      std::memcpy(to.data() + kShift, from.data(), bytes);
      benchmark::DoNotOptimize(to.data());
      benchmark::ClobberMemory();
    }
    const double once = (cpu_ns() - start) / kTimes;
    least = round == 0 ? once : std::min(least, once);
  }
  return least;
}

}  // namespace retinue
