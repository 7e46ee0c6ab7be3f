// Functions and harness options for the tests of the C++ SDK.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "companion_sdk/cpp/companion.h"
#include "companion_sdk/cpp/testing.h"

namespace retinue::companion {

// A function made of lambdas.
class Scripted : public ProcessFunction {
 public:
  using Init = std::function<void(RuntimeContext&)>;
  using OnMessage = std::function<void(const Message&, OutputCollector&, RuntimeContext&)>;

  Scripted(Init on_init, OnMessage on_message)
      : on_init_(std::move(on_init)), on_message_(std::move(on_message)) {}

  void init(RuntimeContext& context) override {
    if (on_init_) {
      on_init_(context);
    }
  }
  void process_message(const Message& message, OutputCollector& output,
                       RuntimeContext& context) override {
    if (on_message_) {
      on_message_(message, output, context);
    }
  }

 private:
  Init on_init_;
  OnMessage on_message_;
};

inline Registry scripted(Scripted::Init init, Scripted::OnMessage on_message) {
  Registry registry;
  registry.add("f", [init, on_message] { return std::make_unique<Scripted>(init, on_message); });
  return registry;
}

inline Column column(std::string name, ColumnType type, bool required = false) {
  return {.name = std::move(name), .type = type, .required = required, .expression = ""};
}

// Key `word`; input `words` of every type; output `counts`; a second input and output; timers,
// visits.
inline HarnessOptions words(std::vector<HarnessState> states = {}) {
  HarnessOptions options;
  options.function = "f";
  options.key_columns = {column("word", ColumnType::kString)};
  options.inputs = {{"words",
                     {column("word", ColumnType::kString, true), column("n", ColumnType::kInt64),
                      column("u", ColumnType::kUint64), column("d", ColumnType::kDouble),
                      column("b", ColumnType::kBoolean), column("any", ColumnType::kAny)}},
                    {"more", {column("word", ColumnType::kString, true)}}};
  options.outputs = {{"counts",
                      {column("word", ColumnType::kString, true), column("n", ColumnType::kInt64),
                       column("u", ColumnType::kUint64), column("d", ColumnType::kDouble),
                       column("b", ColumnType::kBoolean), column("any", ColumnType::kAny)}},
                     {"side", {column("order", ColumnType::kUint64)}}};
  options.timers = {"alarms"};
  options.visits = {"sweep"};
  options.states = std::move(states);
  return options;
}

inline Row word(std::string text) {
  return {std::move(text), Null{}, Null{}, Null{}, Null{}, Null{}};
}

}  // namespace retinue::companion
