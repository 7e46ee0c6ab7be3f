#include "worker/runtime/output_limit.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace retinue::worker {

OutputLimit::OutputLimit(const Clock& clock, std::function<void(std::string_view line)> emit)
    : clock_(clock), emit_(std::move(emit)), refilled_at_(clock.monotonic()) {}

void OutputLimit::refill() {
  const Duration now = clock_.monotonic();
  const int64_t seconds = (now - refilled_at_).microseconds() / 1'000'000;
  if (seconds > 0) {
    // By whole seconds: what is left out comes in one piece a second, not between any two lines.
    refilled_at_ = refilled_at_ + Duration::seconds(seconds);
    left_ = static_cast<uint64_t>(std::min<int64_t>(seconds, kBurst / kPerSecond)) * kPerSecond;
  }
}

void OutputLimit::line(std::string_view line) {
  if (left_ == 0) {
    refill();
  }
  if (left_ == 0) {
    if (left_out_++ == 0) {
      emit_(fmt::format("(prints more than {} lines a second: some are left out)", kPerSecond));
    }
    return;
  }
  finish();
  --left_;
  emit_(line);
}

void OutputLimit::finish() {
  if (left_out_ > 0) {
    emit_(fmt::format("({} lines were left out)", std::exchange(left_out_, 0)));
  }
}

}  // namespace retinue::worker
