// Time: instants and spans in microseconds, and the clock that hands instants out.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "protocol/base/result.h"

namespace retinue {

// A span of time in microseconds.
class Duration {
 public:
  constexpr Duration() = default;
  static constexpr Duration microseconds(int64_t count) { return Duration(count); }
  static constexpr Duration milliseconds(int64_t count) { return Duration(count * 1000); }
  static constexpr Duration seconds(int64_t count) { return Duration(count * 1'000'000); }

  constexpr int64_t microseconds() const { return count_; }
  constexpr double seconds() const { return static_cast<double>(count_) / 1e6; }

  friend constexpr auto operator<=>(Duration, Duration) = default;
  friend constexpr Duration operator+(Duration a, Duration b) {
    return Duration(a.count_ + b.count_);
  }
  friend constexpr Duration operator-(Duration a, Duration b) {
    return Duration(a.count_ - b.count_);
  }
  friend constexpr Duration operator*(Duration a, int64_t times) {
    return Duration(a.count_ * times);
  }

 private:
  constexpr explicit Duration(int64_t count) : count_(count) {}

  int64_t count_ = 0;
};

// An instant: microseconds since the Unix epoch.
class Timestamp {
 public:
  constexpr Timestamp() = default;
  constexpr explicit Timestamp(int64_t microseconds) : microseconds_(microseconds) {}

  constexpr int64_t microseconds() const { return microseconds_; }

  friend constexpr auto operator<=>(Timestamp, Timestamp) = default;
  friend constexpr Timestamp operator+(Timestamp t, Duration d) {
    return Timestamp(t.microseconds_ + d.microseconds());
  }
  friend constexpr Timestamp operator-(Timestamp t, Duration d) {
    return Timestamp(t.microseconds_ - d.microseconds());
  }
  friend constexpr Duration operator-(Timestamp a, Timestamp b) {
    return Duration::microseconds(a.microseconds_ - b.microseconds_);
  }

 private:
  int64_t microseconds_ = 0;
};

// "500ms", "1.5s", "2m", "1h", "1d", "250us"; a bare number is an error that names the units.
Result<Duration> parse_duration(std::string_view text);
// The shortest exact form that parse_duration reads back: "1m", "1500ms".
std::string format_duration(Duration duration);

// Threads: now() may be called from any thread.
class Clock {
 public:
  virtual ~Clock() = default;

  virtual Timestamp now() const = 0;
  // Never goes back; only differences mean anything. For deadlines and costs.
  virtual Duration monotonic() const = 0;
};

class SystemClock final : public Clock {
 public:
  Timestamp now() const override;
  Duration monotonic() const override;
};

// Stands still until a test moves it.
class ManualClock final : public Clock {
 public:
  explicit ManualClock(Timestamp start = Timestamp(1'000'000'000'000'000)) : now_(start) {}

  Timestamp now() const override { return now_; }
  Duration monotonic() const override { return monotonic_; }

  void advance(Duration by) {
    now_ = now_ + by;
    monotonic_ = monotonic_ + by;
  }
  // Sets the wall clock alone, backwards too, as an operator or NTP might.
  void jump_to(Timestamp now) { now_ = now; }

 private:
  Timestamp now_;
  Duration monotonic_;
};

}  // namespace retinue
