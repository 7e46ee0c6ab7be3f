#include "worker/spec/stream_cycles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>
#include <vector>

namespace retinue::worker {
namespace {

// Computations "0", "1", … each of which emits to a stream of its own, and reads those of others.
PipelineSpec graph(const std::vector<std::vector<size_t>>& inputs) {
  PipelineSpec spec;
  for (size_t i = 0; i < inputs.size(); ++i) {
    ComputationSpec& computation = spec.computations[ComputationId(std::to_string(i))];
    computation.output_stream_ids = {StreamId("s" + std::to_string(i))};
    for (const size_t input : inputs[i]) {
      computation.input_stream_ids.emplace_back("s" + std::to_string(input));
    }
  }
  return spec;
}

TEST(StreamCycles, OfALineThereAreNone) {
  EXPECT_TRUE(stream_cycles(graph({{}, {0}, {0, 1}})).empty());
}

TEST(StreamCycles, OfOneThatReadsItself) {
  const auto cycles = stream_cycles(graph({{}, {0, 1}}));
  ASSERT_EQ(cycles.size(), 1u);
  EXPECT_TRUE(cycles.contains(ComputationId("1")));
}

TEST(StreamCycles, AsReachabilityHasThem) {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    const size_t count = 1 + random() % 8;
    std::vector<std::vector<size_t>> inputs(count);
    std::vector<std::vector<bool>> reaches(count, std::vector<bool>(count));
    for (size_t i = 0; i < count; ++i) {
      for (size_t j = 0; j < count; ++j) {
        if (random() % 5 == 0) {
          inputs[i].push_back(j);
          reaches[j][i] = true;
        }
      }
    }
    for (size_t via = 0; via < count; ++via) {
      for (size_t i = 0; i < count; ++i) {
        for (size_t j = 0; j < count; ++j) {
          reaches[i][j] = reaches[i][j] || (reaches[i][via] && reaches[via][j]);
        }
      }
    }
    const auto cycles = stream_cycles(graph(inputs));
    for (size_t i = 0; i < count; ++i) {
      const auto at = cycles.find(ComputationId(std::to_string(i)));
      ASSERT_EQ(at != cycles.end(), reaches[i][i]);
      for (size_t j = 0; j < count && at != cycles.end(); ++j) {
        const auto other = cycles.find(ComputationId(std::to_string(j)));
        ASSERT_EQ(other != cycles.end() && other->second == at->second,
                  reaches[i][j] && reaches[j][i]);
      }
    }
  }
}

}  // namespace
}  // namespace retinue::worker
