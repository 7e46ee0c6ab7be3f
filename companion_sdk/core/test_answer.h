// TestAnswer: a BatchDone or BatchFailed, read into plain values for a test to look at.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "companion_sdk/core/companion_session.h"
#include "companion_sdk/core/job_spec.h"
#include "protocol/base/clock.h"
#include "protocol/base/result.h"
#include "protocol/frame/frame_reader.h"
#include "protocol/frame/frame_writer.h"
#include "protocol/values/value.h"

namespace retinue::companion {

struct TestOutput {
  std::string stream;
  Row row;
  std::vector<uint32_t> parents;             // order positions
  std::optional<Timestamp> event_timestamp;  // nullopt: the least of the parents'
};

struct TestTimer {
  std::string stream;
  Row key;
  Timestamp trigger;
  std::optional<Timestamp> event_timestamp;  // new timers; nullopt: the trigger
  uint32_t parent = 0;                       // new timers
};

struct TestStateChange {
  std::string state;
  Row key;
  std::optional<std::string> bytes;  // nullopt: cleared
};

struct TestAnswer {
  uint64_t epoch = 0;
  uint32_t attempt = 0;
  std::optional<BatchFailure> failure;  // then all below is empty
  std::vector<TestOutput> outputs;      // stream by stream, in the order they were emitted
  std::vector<TestTimer> new_timers;
  std::vector<TestTimer> cancelled_timers;
  std::vector<TestStateChange> state_changes;

  bool ok() const { return !failure.has_value(); }
  // The rows emitted to one stream.
  std::vector<Row> rows(const std::string& stream) const;
};

struct TestLog {
  LogLevel level = LogLevel::kInfo;
  std::string message;
  LogFields fields;
};

// The message as its receiver gets it. Errors: kMalformedFrame.
Result<Frame> frame_of(FrameWriter& message);
// nullopt: `frame` is no Log.
std::optional<TestLog> read_log(const Frame& frame);
// The error that a JobFailed carries; kProtocolViolation for anything but a JobReady, or nullptr.
Result<void> read_job_ready(const Frame* frame);

// `keys` are those of the batch, by key index. Errors: kProtocolViolation for anything a worker
// would refuse, kMalformedFrame.
Result<TestAnswer> read_test_answer(const JobSpec& job, const std::vector<Row>& keys,
                                    const Frame& frame);

}  // namespace retinue::companion
