// OutputLimit: how many lines a second of a process's output are handed on.
//
// A process that prints without end must not fill the disk with the worker's log. It may print
// kBurst lines at once; who is over kPerSecond for longer is heard for that many lines a second.
// What is left out is said and counted.
//
// Threads: one. Borrows: the clock.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "protocol/base/clock.h"

namespace retinue::worker {

class OutputLimit {
 public:
  static constexpr uint64_t kPerSecond = 1000;
  static constexpr uint64_t kBurst = 5000;

  OutputLimit(const Clock& clock, std::function<void(std::string_view line)> emit);

  void line(std::string_view line);
  // The output has ended: tells what was left out at last.
  void finish();

 private:
  void refill();

  const Clock& clock_;
  const std::function<void(std::string_view)> emit_;
  uint64_t left_ = kBurst;  // lines that may come yet
  uint64_t left_out_ = 0;
  Duration refilled_at_;
};

}  // namespace retinue::worker
