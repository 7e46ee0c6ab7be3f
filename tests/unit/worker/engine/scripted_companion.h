// A companion process whose functions are played by the test, on the SDK's wire code.
//
// `split`: a line becomes its words; the state "lines" counts a partition's lines.
// `count`: counts a word in the state "n" and emits (word, n, size); "odd" is set while n is odd.
// `sizes`: counts the words of a size in the state "n" and emits (size, n).
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "companion_sdk/core/batch_answer.h"
#include "companion_sdk/core/batch_view.h"
#include "companion_sdk/core/job_spec.h"
#include "protocol/frame/frame_reader.h"
#include "protocol/values/value.h"

namespace retinue::worker::testing {

class ScriptedJob {
 public:
  explicit ScriptedJob(companion::JobSpec spec) : spec_(std::move(spec)), answer_(spec_) {}

  // Fills in the answer to a batch.
  void process(wire::Batch::Reader in, wire::BatchDone::Builder out);

 private:
  // A state of a key, as a number in decimal.
  uint64_t number(companion::StateIndex state, KeyIndex key) const;
  void set_number(companion::StateIndex state, KeyIndex key, uint64_t value);
  void process_input(OrderPosition order);
  void split(OrderPosition order, KeyIndex key, const std::string& line);
  void count(OrderPosition order, KeyIndex key, const std::string& word);
  // Emits what it got to every output.
  void pass(OrderPosition order, const std::string& text);
  // A number emits the one below it twice.
  void branch(OrderPosition order, KeyIndex key, const std::string& text);
  void count_size(OrderPosition order, KeyIndex key, uint64_t size);
  void finish(companion::OutputRows& rows, OrderPosition parent);

  companion::JobSpec spec_;
  companion::BatchView view_;
  companion::BatchAnswer answer_;
  std::map<std::pair<uint32_t, uint32_t>, uint64_t> changed_;  // by state and key
};

}  // namespace retinue::worker::testing
