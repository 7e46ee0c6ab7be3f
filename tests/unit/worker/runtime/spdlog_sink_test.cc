#include "worker/runtime/spdlog_sink.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "worker/json/json_parser.h"

namespace retinue::worker {
namespace {

using ::testing::EndsWith;
using ::testing::MatchesRegex;

std::string logged(LogFormat format, const LogEntry& entry, LogLevel lowest = LogLevel::kInfo) {
  ::testing::internal::CaptureStderr();
  SpdlogSink(format, lowest).write(entry);
  return ::testing::internal::GetCapturedStderr();
}

TEST(SpdlogSink, TextHasTimeLevelMessageAndFields) {
  const std::string line =
      logged(LogFormat::kText,
             {LogLevel::kWarning, "companion lost", {{"name", "words"}, {"why", "it \"died\""}}});
  EXPECT_THAT(line, MatchesRegex("[0-9]+-[0-9]+-[0-9]+T[0-9:]+\\.[0-9]+Z warning .*\n"));
  EXPECT_THAT(line, EndsWith(" companion lost name=words why=\"it \\\"died\\\"\"\n"));
}

TEST(SpdlogSink, JsonIsOneObjectALine) {
  const std::string line =
      logged(LogFormat::kJson, {LogLevel::kError, "a \"quote\"\nand {braces}", {{"n", "1"}}});
  EXPECT_EQ(std::ranges::count(line, '\n'), 1);
  const auto parsed = parse_json(line);
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(parsed->find("level")->as_string(), "error");
  EXPECT_EQ(parsed->find("message")->as_string(), "a \"quote\"\nand {braces}");
  EXPECT_EQ(parsed->find("fields")->find("n")->as_string(), "1");
}

TEST(SpdlogSink, TextOfOthersCannotSteerATerminal) {
  const LogEntry entry{LogLevel::kError, "\x1b[2J\xff", {{"a", "x\x1b\xff"}, {"b", "\xc2\x9b"}}};
  EXPECT_THAT(logged(LogFormat::kText, entry),
              EndsWith(" \\x1b[2J\ufffd a=\"x\\u001b\ufffd\" b=\\x9b\n"));
  const auto parsed = parse_json(logged(LogFormat::kJson, entry));
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(parsed->find("message")->as_string(), "\x1b[2J\ufffd");
}

TEST(SpdlogSink, WhatIsBelowTheLevelIsDropped) {
  EXPECT_EQ(logged(LogFormat::kText, {LogLevel::kInfo, "chatter"}, LogLevel::kWarning), "");
  EXPECT_NE(logged(LogFormat::kText, {LogLevel::kDebug, "detail"}, LogLevel::kDebug), "");
}

}  // namespace
}  // namespace retinue::worker
