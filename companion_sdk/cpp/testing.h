// TestHarness: runs one function without a worker, through the real wire encoding.
//
//   TestHarness harness(registry, {.function = "word_count", .key_columns = {…}, …});
//   harness.message("words", {"hello"});
//   TestAnswer answer = harness.run();
//   EXPECT_EQ(answer.rows("counts"), …);
//   EXPECT_EQ(harness.state<int64_t>("count", {"hello"}), 1);
//
// It keeps the states from batch to batch, and its time moves only when told.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "companion_sdk/core/test_worker.h"
#include "companion_sdk/cpp/host.h"
#include "companion_sdk/cpp/registry.h"
#include "companion_sdk/cpp/state_codec.h"
#include "protocol/base/clock.h"
#include "protocol/values/schema.h"
#include "protocol/values/value.h"
#include "protocol/yson/node.h"

namespace retinue::companion {

struct HarnessStream {
  std::string name;
  std::vector<Column> columns;  // none for timers and visits
};

struct HarnessState {
  std::string name;
  StateFormat format = StateFormat::kYson;
  bool auto_preload = true;
};

// What the spec would say of the function's computation.
struct HarnessOptions {
  std::string function;
  std::vector<Column> key_columns;
  std::vector<HarnessStream> inputs = {};
  std::vector<HarnessStream> outputs = {};
  std::vector<std::string> timers = {};
  std::vector<std::string> visits = {};
  std::vector<HarnessState> states = {};
  yson::Node parameters = {};
  yson::Node dynamic_parameters = {};
};

// A log line of the function.
struct HarnessLog {
  LogLevel level = LogLevel::kInfo;
  std::string message;
};

// Threads: one. Every misuse, and a job that the function refuses, throws std::runtime_error.
class TestHarness : private Outbox {
 public:
  // The registry must outlive the harness.
  TestHarness(const Registry& registry, HarnessOptions options);
  ~TestHarness() override;

  // --- the next batch, in this order. The key of a message is taken from its columns.
  void message(const std::string& stream, Row payload);
  void message(const std::string& stream, Row payload, Row key);
  void timer(const std::string& stream, Row key, Timestamp trigger);
  void visit(const std::string& stream, Row key, uint64_t pass = 1);
  // Everything else an input can have.
  void input(TestInput input);

  // Ships the batch to the function and applies what comes back, unless it failed.
  TestAnswer run();

  // --- what batches carry
  Timestamp now() const { return clock_.now(); }
  void advance(Duration by) { clock_.advance(by); }
  void set_watermark(const std::string& stream, Timestamp watermark) {
    worker_.set_watermark(stream, watermark);
  }

  // --- states; nullopt: absent
  template <State T>
  std::optional<T> state(const std::string& name, const Row& key) const;
  template <State T>
  void put_state(const std::string& name, const Row& key, const T& value);
  std::optional<std::string> raw_state(const std::string& name, const Row& key) const {
    return worker_.state(name, key);
  }
  void put_raw_state(const std::string& name, const Row& key, std::string bytes) {
    worker_.put_state(name, key, std::move(bytes));
  }

  const std::vector<HarnessLog>& logs() const { return logs_; }

 private:
  Result<void> send(FrameWriter& message) override;
  void deliver(FrameWriter& message);
  StateFormat format_of(const std::string& state) const;

  ManualClock clock_;
  TestWorker worker_;
  FrameWriter to_companion_;
  std::vector<Frame> from_companion_;
  std::vector<HarnessLog> logs_;
  Host host_;
};

template <State T>
std::optional<T> TestHarness::state(const std::string& name, const Row& key) const {
  const StateFormat format = format_of(name);
  const std::optional<std::string> bytes = worker_.state(name, key);
  if (!bytes) {
    return std::nullopt;
  }
  T value{};
  StateCodec<T>::decode(format, *bytes, value);
  return value;
}

template <State T>
void TestHarness::put_state(const std::string& name, const Row& key, const T& value) {
  std::string bytes;
  StateCodec<T>::encode(format_of(name), bytes, value);
  worker_.put_state(name, key, std::move(bytes));
}

}  // namespace retinue::companion
