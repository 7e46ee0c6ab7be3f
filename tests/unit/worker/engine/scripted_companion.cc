#include "tests/unit/worker/engine/scripted_companion.h"

#include <gtest/gtest.h>

#include <sstream>

namespace retinue::worker::testing {

using companion::StateIndex;
using companion::StatePresence;
using companion::StreamIndex;

void ScriptedJob::process(wire::Batch::Reader in, wire::BatchDone::Builder out) {
  const auto opened = view_.open(spec_, in);
  ASSERT_TRUE(opened.ok()) << opened.error().to_string();
  answer_.begin(view_);
  changed_.clear();
  for (uint32_t i = 0; i < view_.inputs().size(); ++i) {
    process_input(OrderPosition(i));
  }
  const auto written = answer_.write(out);
  ASSERT_TRUE(written.ok()) << written.error().to_string();
}

uint64_t ScriptedJob::number(StateIndex state, KeyIndex key) const {
  if (const auto found = changed_.find({state.value(), key.value()}); found != changed_.end()) {
    return found->second;
  }
  const companion::StateValue value = view_.state(state, key);
  EXPECT_NE(value.presence, StatePresence::kNotLoaded);
  return value.presence == StatePresence::kPresent ? std::stoull(std::string(value.bytes)) : 0;
}

void ScriptedJob::set_number(StateIndex state, KeyIndex key, uint64_t value) {
  changed_[{state.value(), key.value()}] = value;
  if (value == 0) {
    answer_.clear_state(state, key);
  } else {
    answer_.set_state(state, key, std::to_string(value));
  }
}

void ScriptedJob::process_input(OrderPosition order) {
  const companion::InputRef ref = view_.inputs()[order.value()];
  const companion::MessageGroupView& group = view_.messages()[ref.group];
  const KeyIndex key = view_.key_index(order);
  const Row row = row_at(group.rows, ref.row);
  if (spec_.function == "split") {
    split(order, key, std::get<std::string>(row[0]));
  } else if (spec_.function == "count") {
    count(order, key, std::get<std::string>(row[0]));
  } else if (spec_.function == "pass") {
    pass(order, std::get<std::string>(row[0]));
  } else if (spec_.function == "branch") {
    branch(order, key, std::get<std::string>(row[0]));
  } else {
    count_size(order, key, std::get<uint64_t>(row[2]));
  }
}

void ScriptedJob::finish(companion::OutputRows& rows, OrderPosition parent) {
  const OrderPosition parents[] = {parent};
  ASSERT_TRUE(rows.finish_row(parents, {}).ok());
}

void ScriptedJob::split(OrderPosition order, KeyIndex key, const std::string& line) {
  const StateIndex lines = *spec_.find_state("lines");
  set_number(lines, key, number(lines, key) + 1);
  std::istringstream words(line);
  for (std::string word; words >> word;) {
    companion::OutputRows& rows = answer_.output(*spec_.find_stream("words"));
    rows.rows().set_bytes(ColumnIndex(0), word);
    finish(rows, order);
  }
}

void ScriptedJob::count(OrderPosition order, KeyIndex key, const std::string& word) {
  const StateIndex n = *spec_.find_state("n");
  const uint64_t count = number(n, key) + 1;
  set_number(n, key, count);
  set_number(*spec_.find_state("odd"), key, count % 2);
  companion::OutputRows& rows = answer_.output(*spec_.find_stream("counts"));
  rows.rows().set_bytes(ColumnIndex(0), word);
  rows.rows().set_uint64(ColumnIndex(1), count);
  rows.rows().set_uint64(ColumnIndex(2), word.size());
  finish(rows, order);
}

void ScriptedJob::pass(OrderPosition order, const std::string& text) {
  for (uint32_t i = 0; i < spec_.streams.size(); ++i) {
    if (spec_.stream(StreamIndex(i)).role == companion::StreamRole::kOutput) {
      companion::OutputRows& rows = answer_.output(StreamIndex(i));
      rows.rows().set_bytes(ColumnIndex(0), text);
      finish(rows, order);
    }
  }
}

void ScriptedJob::branch(OrderPosition order, KeyIndex key, const std::string& text) {
  const StateIndex n = *spec_.find_state("n");
  set_number(n, key, number(n, key) + 1);
  const uint64_t value = std::stoull(text);
  for (int i = 0; i < 2 && value > 0; ++i) {
    companion::OutputRows& rows = answer_.output(*spec_.find_stream("branches"));
    rows.rows().set_bytes(ColumnIndex(0), std::to_string(value - 1));
    finish(rows, order);
  }
}

void ScriptedJob::count_size(OrderPosition order, KeyIndex key, uint64_t size) {
  const StateIndex n = *spec_.find_state("n");
  const uint64_t count = number(n, key) + 1;
  set_number(n, key, count);
  companion::OutputRows& rows = answer_.output(*spec_.find_stream("sizes"));
  rows.rows().set_uint64(ColumnIndex(0), size);
  rows.rows().set_uint64(ColumnIndex(1), count);
  finish(rows, order);
}

}  // namespace retinue::worker::testing
