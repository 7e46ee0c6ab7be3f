#include "protocol/base/clock.h"

#include <gmock/gmock.h>

#include <cstdint>
#include <limits>
#include <string>

namespace retinue {
namespace {

using testing::HasSubstr;

constexpr int64_t kInt64Max = std::numeric_limits<int64_t>::max();

int64_t parsed(std::string_view text) {
  const Result<Duration> duration = parse_duration(text);
  EXPECT_TRUE(duration.ok()) << text << ": " << duration.error().message;
  return duration.ok() ? duration->microseconds() : -1;
}

TEST(DurationTest, ReadsEveryUnit) {
  EXPECT_EQ(parsed("250us"), 250);
  EXPECT_EQ(parsed("500ms"), 500'000);
  EXPECT_EQ(parsed("10s"), 10'000'000);
  EXPECT_EQ(parsed("2m"), 120'000'000);
  EXPECT_EQ(parsed("1h"), 3'600'000'000);
  EXPECT_EQ(parsed("1d"), 86'400'000'000);
}

TEST(DurationTest, ReadsFractions) {
  EXPECT_EQ(parsed("1.5s"), 1'500'000);
  EXPECT_EQ(parsed("0.1s"), 100'000);
  EXPECT_EQ(parsed("0.001ms"), 1);
  EXPECT_EQ(parsed("0.5d"), 43'200'000'000);
  EXPECT_EQ(parsed("2.5us"), 3) << "the nearest microsecond";
  EXPECT_EQ(parsed("0.4us"), 0);
}

TEST(DurationTest, ReadsZero) {
  EXPECT_EQ(parsed("0s"), 0);
  EXPECT_EQ(parsed("0us"), 0);
  EXPECT_EQ(parsed("0.0d"), 0);
}

TEST(DurationTest, ReadsTheLongestAndRefusesWhatOverflows) {
  EXPECT_EQ(parsed("9223372036854775807us"), kInt64Max);
  EXPECT_EQ(parsed("9007199254740993us"), 9'007'199'254'740'993) << "2^53 + 1 is no double";
  EXPECT_EQ(parsed("106751991d"), 106'751'991 * int64_t{86'400'000'000});
  for (const std::string_view text :
       {"9223372036854775808us", "106751992d", "1e300s", "99999999999999999999999999999999h"}) {
    EXPECT_FALSE(parse_duration(text).ok()) << text;
  }
}

TEST(DurationTest, RefusesWhatIsNoDuration) {
  for (const std::string_view text :
       {"",    "s",    "ms",    "5",    "1.5",     "5 s", " 5s",   "5s ",
        "5S",  "5sec", "5mss",  "-5s",  "-0.1s",   "+5s", "infs",  "nans",
        "nan", "inf",  "0x10s", "1,5s", "1s500ms", "5w",  "1..5s", ".s"}) {
    const Result<Duration> duration = parse_duration(text);
    ASSERT_FALSE(duration.ok()) << text;
    EXPECT_EQ(duration.error().code, ErrorCode::kInvalidArgument) << text;
    EXPECT_THAT(duration.error().message, HasSubstr("found \"" + std::string(text) + "\""));
    EXPECT_THAT(duration.error().message, HasSubstr("\"500ms\", \"10s\", \"5m\", \"1h\""));
  }
}

TEST(DurationTest, RefusesTextWithANulByte) {
  EXPECT_FALSE(parse_duration(std::string_view("5s\0", 3)).ok());
  EXPECT_FALSE(parse_duration(std::string_view("5\0s", 3)).ok());
}

TEST(DurationTest, FormatsInTheLargestExactUnit) {
  EXPECT_EQ(format_duration(Duration::seconds(0)), "0s");
  EXPECT_EQ(format_duration(Duration::microseconds(1)), "1us");
  EXPECT_EQ(format_duration(Duration::microseconds(1500)), "1500us");
  EXPECT_EQ(format_duration(Duration::milliseconds(1500)), "1500ms");
  EXPECT_EQ(format_duration(Duration::seconds(60)), "1m");
  EXPECT_EQ(format_duration(Duration::seconds(90)), "90s");
  EXPECT_EQ(format_duration(Duration::seconds(7200)), "2h");
  EXPECT_EQ(format_duration(Duration::seconds(172'800)), "2d");
  EXPECT_EQ(format_duration(Duration::milliseconds(-20)), "-20ms");
}

TEST(DurationTest, ReadsBackWhatItFormats) {
  for (const int64_t microseconds :
       {int64_t{0}, int64_t{1}, int64_t{999}, int64_t{1000}, int64_t{60'000'000},
        int64_t{86'400'000'000}, int64_t{86'400'000'001}, int64_t{9'007'199'254'740'993},
        kInt64Max - 1, kInt64Max}) {
    EXPECT_EQ(parsed(format_duration(Duration::microseconds(microseconds))), microseconds);
  }
}

TEST(DurationTest, Calculates) {
  const Duration second = Duration::seconds(1);
  EXPECT_EQ((second + Duration::milliseconds(500)).microseconds(), 1'500'000);
  EXPECT_EQ((second - Duration::milliseconds(1500)).microseconds(), -500'000);
  EXPECT_EQ((second * 3).seconds(), 3.0);
  EXPECT_LT(Duration::milliseconds(999), second);
  EXPECT_EQ(Duration::milliseconds(1000), second);
}

TEST(TimestampTest, Calculates) {
  const Timestamp start(1'000);
  EXPECT_EQ((start + Duration::microseconds(5)).microseconds(), 1'005);
  EXPECT_EQ((start - Duration::microseconds(5)).microseconds(), 995);
  EXPECT_EQ(Timestamp(1'200) - start, Duration::microseconds(200));
  EXPECT_LT(start, Timestamp(1'001));
}

TEST(ManualClockTest, MovesOnlyWhenTold) {
  ManualClock clock(Timestamp(100));
  EXPECT_EQ(clock.now(), Timestamp(100));
  EXPECT_EQ(clock.monotonic(), Duration());
  clock.advance(Duration::microseconds(7));
  EXPECT_EQ(clock.now(), Timestamp(107));
  EXPECT_EQ(clock.monotonic(), Duration::microseconds(7));
}

TEST(ManualClockTest, WallClockJumpsAlone) {
  ManualClock clock(Timestamp(100));
  clock.advance(Duration::microseconds(7));
  clock.jump_to(Timestamp(3));
  EXPECT_EQ(clock.now(), Timestamp(3));
  EXPECT_EQ(clock.monotonic(), Duration::microseconds(7));
}

TEST(SystemClockTest, IsOfThisCenturyAndMonotonic) {
  const SystemClock clock;
  EXPECT_GT(clock.now(), Timestamp(1'600'000'000'000'000));
  const Duration first = clock.monotonic();
  EXPECT_LE(first, clock.monotonic());
}

}  // namespace
}  // namespace retinue
