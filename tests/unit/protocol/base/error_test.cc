#include "protocol/base/error.h"

#include <gmock/gmock.h>

#include <set>
#include <string>

#include "protocol/base/io_error_code.h"

namespace retinue {
namespace {

TEST(ErrorTest, EveryCodeHasItsOwnKebabCaseName) {
  std::set<std::string_view> names;
  for (uint32_t number = 0; number <= UINT16_MAX; ++number) {
    const auto code = error_code_from_number(static_cast<uint16_t>(number));
    if (!code) {
      continue;
    }
    EXPECT_EQ(static_cast<uint32_t>(*code), number);
    const std::string_view name = error_code_name(*code);
    EXPECT_NE(name, "unknown");
    EXPECT_EQ(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz-"), std::string_view::npos)
        << name;
    EXPECT_TRUE(names.insert(name).second) << name;
  }
  EXPECT_EQ(names.size(), 25u);
}

TEST(ErrorTest, NumbersAndNamesOnTheWireStay) {
  EXPECT_EQ(static_cast<int>(ErrorCode::kInvalidArgument), 100);
  EXPECT_EQ(static_cast<int>(ErrorCode::kUserCodeFailed), 109);
  EXPECT_EQ(static_cast<int>(ErrorCode::kDraining), 202);
  EXPECT_EQ(static_cast<int>(ErrorCode::kUnauthorized), 303);
  EXPECT_EQ(static_cast<int>(ErrorCode::kFunctionNotServed), 402);
  EXPECT_EQ(static_cast<int>(ErrorCode::kDataCorrupted), 503);
  EXPECT_EQ(error_code_name(ErrorCode::kInvalidSpec), "invalid-spec");
  EXPECT_EQ(error_code_name(ErrorCode::kMalformedFrame), "malformed-frame");
  EXPECT_EQ(error_code_name(ErrorCode::kInternal), "internal");
}

TEST(ErrorTest, UnknownNumbersAreNoCode) {
  for (const uint16_t number : {0, 1, 99, 110, 199, 203, 304, 403, 504, 601, 65535}) {
    EXPECT_EQ(error_code_from_number(number), std::nullopt) << number;
  }
  EXPECT_EQ(error_code_name(static_cast<ErrorCode>(7)), "unknown");
}

TEST(ErrorTest, HundredsDigitSaysWhatToDo) {
  EXPECT_EQ(error_action(ErrorCode::kUserCodeFailed), ErrorAction::kFixInput);
  EXPECT_EQ(error_action(ErrorCode::kUnavailable), ErrorAction::kRetryLater);
  EXPECT_EQ(error_action(ErrorCode::kProtocolViolation), ErrorAction::kReconnect);
  EXPECT_EQ(error_action(ErrorCode::kVersionMismatch), ErrorAction::kUpgrade);
  EXPECT_EQ(error_action(ErrorCode::kOutOfSpace), ErrorAction::kFixMachine);
  EXPECT_EQ(error_action(ErrorCode::kInternal), ErrorAction::kReportBug);
  EXPECT_EQ(error_action(static_cast<ErrorCode>(7)), ErrorAction::kReportBug);
}

TEST(ErrorTest, PrintsCodeAndMessage) {
  const Error error{ErrorCode::kIoError, "no such file"};
  EXPECT_EQ(error.to_string(), "io-error: no such file");
}

TEST(ErrorTest, ContextGoesBeforeTheMessageOutermostFirst) {
  const Error error =
      Error{ErrorCode::kInvalidSpec, "expected a number"}.with_context("period").with_context(
          "spec.json");
  EXPECT_EQ(error.code, ErrorCode::kInvalidSpec);
  EXPECT_EQ(error.message, "spec.json: period: expected a number");
}

TEST(ErrorTest, AFullDiskAndAUsedUpQuotaAreOutOfSpace) {
  EXPECT_EQ(io_error_code(ENOSPC), ErrorCode::kOutOfSpace);
  EXPECT_EQ(io_error_code(EDQUOT), ErrorCode::kOutOfSpace);
  EXPECT_EQ(io_error_code(EIO), ErrorCode::kIoError);
}

}  // namespace
}  // namespace retinue
