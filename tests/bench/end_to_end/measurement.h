// What one way of running the benchmark's job took.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace retinue::bench {

struct StageCost {
  std::string stage;
  double ns_a_message = 0;
};

struct Measurement {
  std::string name;
  uint64_t messages = 0;
  double seconds = 0;
  double worker_cpu_us_a_message = 0;  // outside RocksDB; 0: not measured
  uint64_t memory_bytes_max = 0;
  std::vector<StageCost> stages = {};

  double messages_a_second() const { return static_cast<double>(messages) / seconds; }
};

}  // namespace retinue::bench
