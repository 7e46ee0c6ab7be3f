#include "protocol/base/clock.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <limits>

namespace retinue {
namespace {

struct Unit {
  std::string_view suffix;
  int64_t microseconds;
};

// Largest first: format_duration takes the first that divides.
constexpr std::array kUnits = {
    Unit{"d", 86'400'000'000}, Unit{"h", 3'600'000'000}, Unit{"m", 60'000'000},
    Unit{"s", 1'000'000},      Unit{"ms", 1'000},        Unit{"us", 1},
};

}  // namespace

Result<Duration> parse_duration(std::string_view text) {
  const auto bad = [&] {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("expected a duration such as \"500ms\", \"10s\", \"5m\", \"1h\" or "
                             "\"1d\", found \"{}\"",
                             text)};
  };
  long double count = 0;  // holds every int64 exactly
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (failure != std::errc{} || !std::isfinite(count) || count < 0) {
    return bad();
  }
  const std::string_view suffix = text.substr(static_cast<size_t>(end - text.data()));
  for (const Unit& unit : kUnits) {
    if (suffix == unit.suffix) {
      const long double microseconds = count * static_cast<long double>(unit.microseconds);
      if (microseconds > static_cast<long double>(std::numeric_limits<int64_t>::max())) {
        return bad();
      }
      return Duration::microseconds(std::llround(microseconds));
    }
  }
  return bad();
}

std::string format_duration(Duration duration) {
  if (duration.microseconds() == 0) {
    return "0s";
  }
  for (const Unit& unit : kUnits) {
    if (duration.microseconds() % unit.microseconds == 0) {
      return fmt::format("{}{}", duration.microseconds() / unit.microseconds, unit.suffix);
    }
  }
  return fmt::format("{}us", duration.microseconds());
}

Timestamp SystemClock::now() const {
  const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
  return Timestamp(std::chrono::duration_cast<std::chrono::microseconds>(since_epoch).count());
}

Duration SystemClock::monotonic() const {
  const auto since_boot = std::chrono::steady_clock::now().time_since_epoch();
  return Duration::microseconds(
      std::chrono::duration_cast<std::chrono::microseconds>(since_boot).count());
}

}  // namespace retinue
