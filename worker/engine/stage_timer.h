// StageTimer: adds the time between two points to a stage's cost.
#pragma once

#include <chrono>
#include <cstdint>

namespace retinue::worker {

class StageTimer {
 public:
  explicit StageTimer(uint64_t& cost_ns) : cost_ns_(cost_ns) {}
  ~StageTimer() {
    cost_ns_ += static_cast<uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(Now::now() - start_).count());
  }
  StageTimer(const StageTimer&) = delete;
  StageTimer& operator=(const StageTimer&) = delete;

 private:
  using Now = std::chrono::steady_clock;

  uint64_t& cost_ns_;
  const Now::time_point start_ = Now::now();
};

}  // namespace retinue::worker
