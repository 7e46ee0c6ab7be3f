// TestWorker: the worker's side of one job, in memory and through the real wire encoding. What test
// harnesses of companions, in any language, sit on.
//
// It keeps the job's states from batch to batch, as the worker would: an answer that is a BatchDone
// changes them, a BatchFailed does not.
// Threads: one at a time.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "companion_sdk/core/batch_view.h"
#include "companion_sdk/core/companion_session.h"
#include "companion_sdk/core/job_spec.h"
#include "companion_sdk/core/test_answer.h"
#include "protocol/base/result.h"
#include "protocol/frame/frame_reader.h"
#include "protocol/frame/frame_writer.h"
#include "protocol/values/value.h"

namespace retinue::companion {

struct TestInput {
  InputKind kind = InputKind::kMessage;
  std::string stream;
  Row key;
  Row payload;                               // messages
  std::optional<Timestamp> event_timestamp;  // without: now, or a timer's trigger
  Timestamp trigger;                         // timers
  uint64_t pass = 0;                         // visits
  bool is_late = false;                      // messages
};

class TestWorker {
 public:
  explicit TestWorker(JobSpec job) : job_(std::move(job)) {}

  const JobSpec& job() const { return job_; }

  void write_welcome(FrameWriter& out) const;
  void write_open_job(FrameWriter& out) const;

  // The key that the job's key schema makes of a message: columns of the same names, and farm_hash.
  // Errors: kInvalidArgument when a column is missing.
  Result<Row> key_of(const std::string& stream, const Row& payload) const;

  // Puts an input at the end of the batch under construction.
  // Errors: kInvalidArgument for an unknown stream.
  Result<void> add(TestInput input);
  // Writes the batch: the inputs added since the last one, in that order, and their keys' states.
  // Errors: kSchemaMismatch for a row that does not fit.
  Result<void> write_batch(FrameWriter& out, Timestamp now);
  // Reads the answer to the last batch and applies it. Errors: kProtocolViolation, kMalformedFrame.
  Result<TestAnswer> read_answer(const Frame& frame);

  void set_watermark(const std::string& stream, Timestamp watermark) {
    watermarks_[stream] = watermark;
  }
  void put_state(const std::string& state, const Row& key, std::string bytes) {
    states_[state][key] = std::move(bytes);
  }
  // nullopt: absent.
  std::optional<std::string> state(const std::string& state, const Row& key) const;
  size_t state_count(const std::string& state) const;

 private:
  uint32_t key_index(const Row& key);
  Result<void> write_messages(wire::Batch::Builder out, Timestamp now) const;
  void write_timers(wire::Batch::Builder out) const;
  void write_visits(wire::Batch::Builder out, Timestamp now) const;
  void write_states(wire::Batch::Builder out) const;
  std::vector<uint32_t> orders_of(InputKind kind, const std::string& stream) const;
  std::vector<std::string> streams_of(InputKind kind) const;
  std::vector<uint32_t> keys_at(const std::vector<uint32_t>& orders) const;

  JobSpec job_;
  uint64_t epoch_ = 0;
  std::vector<TestInput> inputs_;
  std::vector<Row> keys_;  // of inputs_, each once
  std::map<Row, uint32_t> index_of_key_;
  std::vector<Row> shipped_keys_;  // of the batch that is out
  std::map<std::string, Timestamp> watermarks_;
  std::map<std::string, std::map<Row, std::string>> states_;
};

}  // namespace retinue::companion
