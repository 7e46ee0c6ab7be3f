// What went wrong, for a program (the code) and for a person (the message).
//
// One enum serves the worker, the SDKs and the wire. The hundreds digit says what the reader of the
// error should do; docs/errors/ has one page a code, named after error_code_name().
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace retinue {

// Values are on the wire and in data directories: never renumber, never reuse.
enum class ErrorCode : uint16_t {
  // 1xx: fix the input and try again.
  kInvalidArgument = 100,  // a command-line argument or a call's argument
  kInvalidSpec = 101,      // the pipeline spec
  kInvalidRecord = 102,    // a line or record of a source
  kInvalidYson = 103,      // malformed YSON, or over a limit
  kInvalidJson = 104,      // malformed JSON, or over a limit
  kSchemaMismatch = 105,   // a row does not fit its declared schema
  kNotFound = 106,         // a named thing does not exist
  kNotSupported = 107,     // known, not available in this version
  kLimitExceeded = 108,    // a size or count bound of limits.h
  kUserCodeFailed = 109,   // a handler of the companion raised

  // 2xx: retry later.
  kUnavailable = 200,       // the other side is not there yet
  kDeadlineExceeded = 201,  // no answer in time
  kDraining = 202,          // shutting down on purpose

  // 3xx: reconnect.
  kConnectionClosed = 300,
  kProtocolViolation = 301,  // the peer sent what the protocol forbids
  kMalformedFrame = 302,     // the bytes are not a frame; the stream cannot be resynchronised
  kUnauthorized = 303,       // no token, or the wrong one

  // 4xx: upgrade.
  kVersionMismatch = 400,    // no common protocol version
  kNewerDataFormat = 401,    // the data directory was written by a newer release
  kFunctionNotServed = 402,  // the companion does not serve a function the spec names

  // 5xx: fix the machine.
  kIoError = 500,
  kOutOfSpace = 501,
  kDirectoryInUse = 502,  // another worker holds the data directory
  kDataCorrupted = 503,

  // 6xx: a bug in Retinue; report it.
  kInternal = 600,
};

enum class ErrorAction : uint8_t {
  kFixInput,
  kRetryLater,
  kReconnect,
  kUpgrade,
  kFixMachine,
  kReportBug,
};

// Kebab-case, e.g. "invalid-spec"; the name of the code's page in docs/errors/.
std::string_view error_code_name(ErrorCode code);
ErrorAction error_action(ErrorCode code);
// The code for a number from the wire; nullopt for one this release does not know.
std::optional<ErrorCode> error_code_from_number(uint16_t number);

struct [[nodiscard]] Error {
  ErrorCode code = ErrorCode::kInternal;
  std::string message;

  // "invalid-spec: message".
  std::string to_string() const;
  // The same error with "context: " put before its message.
  Error with_context(std::string_view context) &&;
};

}  // namespace retinue
