// Frames and jobs for the tests of the SDK's core.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "companion_sdk/core/companion_session.h"
#include "companion_sdk/core/test_worker.h"
#include "protocol/frame/frame_reader.h"
#include "protocol/frame/frame_writer.h"

namespace retinue::companion {

inline Frame to_frame(FrameWriter& writer) {
  auto frame = frame_of(writer);
  RETINUE_CHECK(frame.ok());
  return std::move(frame).value();
}

inline TableSchema schema_of(std::vector<Column> columns) {
  return TableSchema::create(std::move(columns)).value();
}

// Key `word`; inputs `words` and `more`, output `counts`, timers `alarms`, visits `sweep`; states
// `count` (yson) and `blob` (raw).
inline JobSpec word_job() {
  const Column word{
      .name = "word", .type = ColumnType::kString, .required = true, .expression = ""};
  const Column number{.name = "n", .type = ColumnType::kInt64, .required = false, .expression = ""};
  JobSpec job;
  job.id = JobId(7);
  job.computation = "counter";
  job.function = "count";
  job.key_schema = schema_of({word});
  job.streams = {
      {"words", StreamRole::kInput, SchemaRevision(1), schema_of({word, number})},
      {"more", StreamRole::kInput, SchemaRevision(1), schema_of({word})},
      {"counts", StreamRole::kOutput, SchemaRevision(1), schema_of({word, number})},
      {"alarms", StreamRole::kTimer, SchemaRevision(1), {}},
      {"sweep", StreamRole::kVisit, SchemaRevision(1), {}},
  };
  job.internal_states = {{"count", StateFormat::kYson, "", true},
                         {"blob", StateFormat::kRaw, "", true}};
  job.parameters = yson::Node(yson::Map{});
  job.dynamic_parameters = yson::Node(yson::Map{});
  return job;
}

inline TestInput message(std::string stream, Row payload, Row key) {
  TestInput input;
  input.stream = std::move(stream);
  input.payload = std::move(payload);
  input.key = std::move(key);
  return input;
}

// A session that said Hello, was welcomed and has word_job() open.
class OpenSession : public ::testing::Test {
 protected:
  OpenSession() : worker_(word_job()), session_(options(), clock_) {
    session_.write_hello(reply_);
    worker_.write_welcome(out_);
    EXPECT_TRUE(std::holds_alternative<Welcomed>(receive()));
    worker_.write_open_job(out_);
    SessionEvent event = receive();
    EXPECT_TRUE(std::holds_alternative<JobOpened>(event));
    job_ = std::get<JobOpened>(event).job;
  }

  static SessionOptions options() {
    return {.sdk = "test 1",
            .language = "c++",
            .pid = 1,
            .token = "secret",
            .companion = "words",
            .functions = {{"count", true, false}},
            .capabilities = {}};
  }

  Result<SessionEvent> try_receive() { return session_.receive(to_frame(out_), reply_); }
  // Hands the session what is in out_.
  SessionEvent receive() {
    auto event = try_receive();
    EXPECT_TRUE(event.ok()) << event.error().to_string();
    return event.ok() ? std::move(event).value() : SessionEvent(Ignored{});
  }
  // Ships the inputs that worker_ was given.
  const BatchView& ship(Timestamp now = Timestamp(5000)) {
    EXPECT_TRUE(worker_.write_batch(out_, now).ok());
    SessionEvent event = receive();
    EXPECT_TRUE(std::holds_alternative<BatchArrived>(event));
    return *std::get<BatchArrived>(event).batch;
  }
  TestAnswer answer(BatchAnswer& batch_answer) {
    auto done = session_.write_batch_done(reply_, batch_answer);
    EXPECT_TRUE(done.ok()) << done.error().to_string();
    auto read = worker_.read_answer(to_frame(reply_));
    EXPECT_TRUE(read.ok()) << read.error().to_string();
    return std::move(read).value();
  }

  ManualClock clock_{Timestamp(1000)};
  TestWorker worker_;
  FrameWriter out_;
  FrameWriter reply_;
  CompanionSession session_;
  std::shared_ptr<const JobSpec> job_;
};

}  // namespace retinue::companion
