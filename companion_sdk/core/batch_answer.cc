#include "companion_sdk/core/batch_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "protocol/base/check.h"
#include "protocol/base/limits.h"
#include "protocol/frame/wire_values.h"

namespace retinue::companion {
namespace {

// Calls write(index, builder) for every item that is not empty, on a list of just those.
template <typename Items, typename Init, typename IsEmpty, typename Write>
void write_nonempty(const Items& items, Init init, IsEmpty is_empty, Write write) {
  const auto count = static_cast<unsigned>(
      std::count_if(items.begin(), items.end(), [&](const auto& item) { return !is_empty(item); }));
  if (count == 0) {
    return;
  }
  auto list = init(count);
  unsigned next = 0;
  for (uint32_t i = 0; i < items.size(); ++i) {
    if (!is_empty(items[i])) {
      write(i, list[next++]);
    }
  }
}

}  // namespace

void BatchAnswer::Timers::clear() {
  keys.clear();
  triggers.clear();
  event_timestamps.clear();
  parents.clear();
  turns.clear();
}

void BatchAnswer::settle(Timers& set, const Timers& cancelled) {
  if (cancelled.keys.empty()) {
    return;
  }
  std::map<std::pair<uint32_t, int64_t>, uint32_t> last_cancelled;
  for (size_t i = 0; i < cancelled.keys.size(); ++i) {
    last_cancelled[{cancelled.keys[i], cancelled.triggers[i]}] = cancelled.turns[i];
  }
  const Timers all = std::exchange(set, {});
  for (size_t i = 0; i < all.keys.size(); ++i) {
    const auto last = last_cancelled.find({all.keys[i], all.triggers[i]});
    if (last == last_cancelled.end() || last->second < all.turns[i]) {
      set.keys.push_back(all.keys[i]);
      set.triggers.push_back(all.triggers[i]);
      set.event_timestamps.push_back(all.event_timestamps[i]);
      set.parents.push_back(all.parents[i]);
    }
  }
}

BatchAnswer::BatchAnswer(const JobSpec& job)
    : job_(job),
      outputs_(job.streams.size()),
      new_timers_(job.streams.size()),
      cancelled_timers_(job.streams.size()) {
  for (uint32_t i = 0; i < job.internal_states.size(); ++i) {
    states_.emplace_back(StateIndex(i));
  }
  // Not the job's count: the first begin() lays the rows out.
  updates_seen_ = job.updates - 1;
}

void BatchAnswer::begin(const BatchView& batch) {
  batch_ = &batch;
  for (uint32_t i = 0; i < outputs_.size(); ++i) {
    const StreamSpec& stream = job_.streams[i];
    if (stream.role == StreamRole::kOutput) {
      if (updates_seen_ != job_.updates) {
        outputs_[i].reset(stream);
      }
      outputs_[i].begin(batch);
    }
    new_timers_[i].clear();
    cancelled_timers_[i].clear();
  }
  updates_seen_ = job_.updates;
  for (StateDeltas& state : states_) {
    state.begin(batch);
  }
  next_turn_ = 0;
  set_cost(0, 0);
}

OutputRows& BatchAnswer::output(StreamIndex stream) {
  RETINUE_CHECK(job_.stream(stream).role == StreamRole::kOutput, "not an output stream");
  return outputs_[stream.value()];
}

void BatchAnswer::set_state(StateIndex state, KeyIndex key, std::string_view bytes) {
  states_[state.value()].set(key, bytes);
}

void BatchAnswer::clear_state(StateIndex state, KeyIndex key) {
  states_[state.value()].clear(key);
}

void BatchAnswer::add_timer(StreamIndex stream, KeyIndex key, Timestamp trigger,
                            std::optional<Timestamp> event_timestamp, OrderPosition parent) {
  RETINUE_CHECK(job_.stream(stream).role == StreamRole::kTimer, "not a timer stream");
  Timers& timers = new_timers_[stream.value()];
  timers.keys.push_back(key.value());
  timers.triggers.push_back(trigger.microseconds());
  timers.event_timestamps.push_back(event_timestamp.value_or(trigger).microseconds());
  timers.parents.push_back(parent.value());
  timers.turns.push_back(next_turn_++);
}

void BatchAnswer::cancel_timer(StreamIndex stream, KeyIndex key, Timestamp trigger) {
  RETINUE_CHECK(job_.stream(stream).role == StreamRole::kTimer, "not a timer stream");
  Timers& timers = cancelled_timers_[stream.value()];
  timers.keys.push_back(key.value());
  timers.triggers.push_back(trigger.microseconds());
  timers.turns.push_back(next_turn_++);
}

void BatchAnswer::set_cost(uint64_t cpu_time_ns, uint64_t wall_time_ns) {
  cpu_time_ns_ = cpu_time_ns;
  wall_time_ns_ = wall_time_ns;
}

Result<void> BatchAnswer::check() const {
  size_t bytes = 0;
  for (uint32_t i = 0; i < outputs_.size(); ++i) {
    if (!outputs_[i].empty()) {
      bytes += outputs_[i].byte_size();
      RETINUE_TRY(outputs_[i].check(job_.streams[i]));
    }
  }
  for (uint32_t i = 0; i < states_.size(); ++i) {
    bytes += states_[i].byte_size();
    if (const size_t longest = states_[i].longest_value(); longest > limits::kValueBytesLimit) {
      return Error{ErrorCode::kLimitExceeded,
                   fmt::format("state \"{}\": a value of {} bytes, the limit is {}",
                               job_.internal_states[i].name, longest, limits::kValueBytesLimit)};
    }
  }
  if (bytes > limits::kFrameBytesLimit) {
    return Error{ErrorCode::kLimitExceeded,
                 fmt::format("the answer takes more than {} bytes, a frame may take {}: emit less "
                             "a batch, or lower max_rows_per_batch",
                             bytes, limits::kFrameBytesLimit)};
  }
  return {};
}

Result<void> BatchAnswer::write(wire::BatchDone::Builder out) {
  for (StateDeltas& state : states_) {
    state.settle();
  }
  for (size_t i = 0; i < new_timers_.size(); ++i) {
    settle(new_timers_[i], cancelled_timers_[i]);
  }
  RETINUE_TRY(check());
  out.setJob(job_.id.value());
  out.setEpoch(batch_->epoch().value());
  out.setAttempt(batch_->attempt());
  write_outputs(out);
  write_timers(out);
  write_states(out);
  auto cost = out.initCost();
  cost.setCpuTimeNs(cpu_time_ns_);
  cost.setWallTimeNs(wall_time_ns_);
  return {};
}

void BatchAnswer::write_outputs(wire::BatchDone::Builder out) const {
  write_nonempty(
      outputs_, [&](unsigned count) { return out.initOutputs(count); },
      [](const OutputRows& rows) { return rows.empty(); },
      [&](uint32_t i, wire::OutputGroup::Builder group) {
        outputs_[i].write(job_.streams[i], group);
      });
}

void BatchAnswer::write_timers(wire::BatchDone::Builder out) const {
  const auto is_empty = [](const Timers& timers) { return timers.keys.empty(); };
  write_nonempty(
      new_timers_, [&](unsigned count) { return out.initTimers(count); }, is_empty,
      [&](uint32_t i, wire::NewTimers::Builder group) {
        const Timers& timers = new_timers_[i];
        group.setStream(as_text(job_.streams[i].name));
        group.setKeyIndexes(as_data(std::span(timers.keys)));
        group.setTriggers(as_data(std::span(timers.triggers)));
        if (timers.event_timestamps != timers.triggers) {
          group.setEventTimestamps(as_data(std::span(timers.event_timestamps)));
        }
        group.setParents(as_data(std::span(timers.parents)));
      });
  write_nonempty(
      cancelled_timers_, [&](unsigned count) { return out.initCancelledTimers(count); }, is_empty,
      [&](uint32_t i, wire::CancelledTimers::Builder group) {
        const Timers& timers = cancelled_timers_[i];
        group.setStream(as_text(job_.streams[i].name));
        group.setKeyIndexes(as_data(std::span(timers.keys)));
        group.setTriggers(as_data(std::span(timers.triggers)));
      });
}

void BatchAnswer::write_states(wire::BatchDone::Builder out) const {
  write_nonempty(
      states_, [&](unsigned count) { return out.initInternalStates(count); },
      [](const StateDeltas& deltas) { return deltas.empty(); },
      [&](uint32_t i, wire::InternalStateDelta::Builder delta) {
        states_[i].write(job_.internal_states[i], delta);
      });
}

}  // namespace retinue::companion
