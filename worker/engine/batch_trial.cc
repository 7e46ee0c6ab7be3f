#include "worker/engine/batch_trial.h"

#include <algorithm>

namespace retinue::worker {

void BatchTrial::begin(const Suspicion& suspicion, uint32_t row_count) {
  *this = BatchTrial();
  suspicion_ = suspicion;
  row_count_ = row_count;
}

BatchTrial::Verdict BatchTrial::fail(Kind kind, const DynamicComputationSpec& limits) {
  const bool is_crash = kind == Kind::kCrash;
  count_ = ++(is_crash ? crashed_ : failed_);
  count_max_ = is_crash ? limits.max_crashes_per_batch : limits.max_attempts;
  if (suspicion_.is_suspect && row_count_ > 1) {
    count_max_ = 1;
  }
  if (count_ < count_max_) {
    return Verdict::kRetry;
  }
  return row_count_ > 1 ? Verdict::kCut : Verdict::kGiveUp;
}

Duration BatchTrial::retry_delay(const DynamicComputationSpec& limits) const {
  Duration delay = limits.retry_delay;
  for (uint32_t i = 1; i < failed_ && delay < limits.retry_delay_max; ++i) {
    delay = delay * 2;
  }
  return std::min(delay, limits.retry_delay_max);
}

}  // namespace retinue::worker
