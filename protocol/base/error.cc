#include "protocol/base/error.h"

#include <array>

#include "protocol/base/check.h"

namespace retinue {
namespace {

struct CodeName {
  ErrorCode code;
  std::string_view name;
};

constexpr std::array kCodeNames = {
    CodeName{ErrorCode::kInvalidArgument, "invalid-argument"},
    CodeName{ErrorCode::kInvalidSpec, "invalid-spec"},
    CodeName{ErrorCode::kInvalidRecord, "invalid-record"},
    CodeName{ErrorCode::kInvalidYson, "invalid-yson"},
    CodeName{ErrorCode::kInvalidJson, "invalid-json"},
    CodeName{ErrorCode::kSchemaMismatch, "schema-mismatch"},
    CodeName{ErrorCode::kNotFound, "not-found"},
    CodeName{ErrorCode::kNotSupported, "not-supported"},
    CodeName{ErrorCode::kLimitExceeded, "limit-exceeded"},
    CodeName{ErrorCode::kUserCodeFailed, "user-code-failed"},
    CodeName{ErrorCode::kUnavailable, "unavailable"},
    CodeName{ErrorCode::kDeadlineExceeded, "deadline-exceeded"},
    CodeName{ErrorCode::kDraining, "draining"},
    CodeName{ErrorCode::kConnectionClosed, "connection-closed"},
    CodeName{ErrorCode::kProtocolViolation, "protocol-violation"},
    CodeName{ErrorCode::kMalformedFrame, "malformed-frame"},
    CodeName{ErrorCode::kUnauthorized, "unauthorized"},
    CodeName{ErrorCode::kVersionMismatch, "version-mismatch"},
    CodeName{ErrorCode::kNewerDataFormat, "newer-data-format"},
    CodeName{ErrorCode::kFunctionNotServed, "function-not-served"},
    CodeName{ErrorCode::kIoError, "io-error"},
    CodeName{ErrorCode::kOutOfSpace, "out-of-space"},
    CodeName{ErrorCode::kDirectoryInUse, "directory-in-use"},
    CodeName{ErrorCode::kDataCorrupted, "data-corrupted"},
    CodeName{ErrorCode::kInternal, "internal"},
};

}  // namespace

std::string_view error_code_name(ErrorCode code) {
  for (const auto& [known, name] : kCodeNames) {
    if (known == code) {
      return name;
    }
  }
  return "unknown";
}

ErrorAction error_action(ErrorCode code) {
  switch (static_cast<uint16_t>(code) / 100) {
    case 1: return ErrorAction::kFixInput;
    case 2: return ErrorAction::kRetryLater;
    case 3: return ErrorAction::kReconnect;
    case 4: return ErrorAction::kUpgrade;
    case 5: return ErrorAction::kFixMachine;
    default: return ErrorAction::kReportBug;
  }
}

std::optional<ErrorCode> error_code_from_number(uint16_t number) {
  for (const auto& entry : kCodeNames) {
    if (static_cast<uint16_t>(entry.code) == number) {
      return entry.code;
    }
  }
  return std::nullopt;
}

std::string Error::to_string() const {
  return std::string(error_code_name(code)) + ": " + message;
}

Error Error::with_context(std::string_view context) && {
  message.insert(0, ": ").insert(0, context);
  return std::move(*this);
}

}  // namespace retinue
