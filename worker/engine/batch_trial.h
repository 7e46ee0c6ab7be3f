// BatchTrial: how often the batch that is out has failed, and what is to be done about it.
//
// User code that fails and companions that die or hang have budgets of their own. A batch that was
// cut out of a failed one is cut on at its first failure; an input that stands alone has the whole
// budgets again.
//
// Threads: one.
#pragma once

#include <cstdint>

#include "protocol/base/clock.h"
#include "worker/engine/batch_input.h"
#include "worker/spec/spec.h"

namespace retinue::worker {

class BatchTrial {
 public:
  enum class Kind : uint8_t { kUserCode, kCrash };
  enum class Verdict : uint8_t {
    kRetry,   // ship it again
    kCut,     // look for the input that is to blame
    kGiveUp,  // it is this one
  };

  // Another batch is out.
  void begin(const Suspicion& suspicion, uint32_t row_count);
  Verdict fail(Kind kind, const DynamicComputationSpec& limits);

  // Of the last failure's kind: how many there were, of how many there may be.
  uint32_t count() const { return count_; }
  uint32_t count_max() const { return count_max_; }
  // Before the next attempt.
  Duration retry_delay(const DynamicComputationSpec& limits) const;
  // Failed batches that its inputs were in.
  uint32_t failures() const { return suspicion_.failures + failed_ + crashed_; }

 private:
  Suspicion suspicion_;
  uint32_t row_count_ = 0;
  uint32_t failed_ = 0;
  uint32_t crashed_ = 0;
  uint32_t count_ = 0;
  uint32_t count_max_ = 0;
};

}  // namespace retinue::worker
