#include "companion_sdk/cpp/testing.h"

#include <fmt/format.h>

#include <stdexcept>

#include "companion_sdk/core/test_answer.h"

namespace retinue::companion {
namespace {

template <typename T>
T take(Result<T> result) {
  if (!result) {
    throw std::runtime_error(result.error().to_string());
  }
  if constexpr (!std::is_void_v<T>) {
    return std::move(result).value();
  }
}

void add_stream(JobSpec& job, const std::string& name, StreamRole role,
                std::vector<Column> columns) {
  job.streams.push_back({.name = name,
                         .role = role,
                         .revision = SchemaRevision(1),
                         .schema = take(TableSchema::create(std::move(columns)))});
}

JobSpec job_of(HarnessOptions options) {
  JobSpec job;
  job.id = JobId(1);
  job.computation = "test";
  job.partition_count = 1;
  job.function = options.function;
  job.key_schema = take(TableSchema::create(std::move(options.key_columns)));
  for (HarnessStream& stream : options.inputs) {
    add_stream(job, stream.name, StreamRole::kInput, std::move(stream.columns));
  }
  for (HarnessStream& stream : options.outputs) {
    add_stream(job, stream.name, StreamRole::kOutput, std::move(stream.columns));
  }
  for (const std::string& timers : options.timers) {
    add_stream(job, timers, StreamRole::kTimer, {});
  }
  for (const std::string& visits : options.visits) {
    add_stream(job, visits, StreamRole::kVisit, {});
  }
  for (const HarnessState& state : options.states) {
    job.internal_states.push_back({.name = state.name,
                                   .format = state.format,
                                   .proto_type = {},
                                   .auto_preload = state.auto_preload});
  }
  job.parameters = std::move(options.parameters);
  job.dynamic_parameters = std::move(options.dynamic_parameters);
  job.highest_key_hash = KeyHash(~uint64_t{0});
  return job;
}

}  // namespace

TestHarness::TestHarness(const Registry& registry, HarnessOptions options)
    : worker_(job_of(std::move(options))),
      host_(registry, session_options(registry, "test", "token"), clock_, *this) {
  take(host_.start());
  worker_.write_welcome(to_companion_);
  deliver(to_companion_);
  from_companion_.clear();
  worker_.write_open_job(to_companion_);
  deliver(to_companion_);
  take(read_job_ready(from_companion_.empty() ? nullptr : &from_companion_.back()));
  from_companion_.clear();
}

TestHarness::~TestHarness() = default;

Result<void> TestHarness::send(FrameWriter& message) {
  Frame frame = take(frame_of(message));
  if (auto log = read_log(frame)) {
    logs_.push_back({.level = log->level, .message = std::move(log->message)});
  } else {
    from_companion_.push_back(std::move(frame));
  }
  return {};
}

void TestHarness::deliver(FrameWriter& message) {
  if (const auto end = host_.handle(take(frame_of(message)))) {
    throw std::runtime_error("the session ended: " + end->message);
  }
}

StateFormat TestHarness::format_of(const std::string& state) const {
  const auto index = worker_.job().find_state(state);
  if (!index) {
    throw std::runtime_error("no state \"" + state + "\"");
  }
  return worker_.job().state(*index).format;
}

void TestHarness::message(const std::string& stream, Row payload) {
  Row key = take(worker_.key_of(stream, payload));
  message(stream, std::move(payload), std::move(key));
}

void TestHarness::message(const std::string& stream, Row payload, Row key) {
  TestInput message;
  message.stream = stream;
  message.payload = std::move(payload);
  message.key = std::move(key);
  input(std::move(message));
}

void TestHarness::timer(const std::string& stream, Row key, Timestamp trigger) {
  TestInput timer;
  timer.kind = InputKind::kTimer;
  timer.stream = stream;
  timer.key = std::move(key);
  timer.trigger = trigger;
  input(std::move(timer));
}

void TestHarness::visit(const std::string& stream, Row key, uint64_t pass) {
  TestInput visit;
  visit.kind = InputKind::kVisit;
  visit.stream = stream;
  visit.key = std::move(key);
  visit.pass = pass;
  input(std::move(visit));
}

void TestHarness::input(TestInput input) {
  take(worker_.add(std::move(input)));
}

TestAnswer TestHarness::run() {
  take(worker_.write_batch(to_companion_, clock_.now()));
  deliver(to_companion_);
  if (from_companion_.empty()) {
    throw std::runtime_error("the batch was not answered");
  }
  TestAnswer answer = take(worker_.read_answer(from_companion_.back()));
  from_companion_.clear();
  return answer;
}

}  // namespace retinue::companion
