#include "companion_sdk/core/test_worker.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "protocol/frame/wire_values.h"
#include "protocol/values/farm_hash.h"
#include "protocol/values/row_batch.h"
#include "protocol/yson/writer.h"

namespace retinue::companion {
namespace {

Error bad_argument(std::string message) {
  return Error{ErrorCode::kInvalidArgument, std::move(message)};
}

void write_node(capnp::Data::Builder (wire::OpenJob::Builder::*init)(unsigned),
                wire::OpenJob::Builder out, const yson::Node& node) {
  if (node.is_map()) {
    const std::string bytes = yson::to_string(node);
    auto data = (out.*init)(static_cast<unsigned>(bytes.size()));
    std::copy(bytes.begin(), bytes.end(), data.begin());
  }
}

// farm_hash(a, b) -> {"a", "b"}; nullopt for any other expression.
std::optional<std::vector<std::string>> hash_arguments(std::string_view expression) {
  constexpr std::string_view kPrefix = "farm_hash(";
  if (!expression.starts_with(kPrefix) || !expression.ends_with(")")) {
    return std::nullopt;
  }
  std::string inside(expression.substr(kPrefix.size()));
  inside.pop_back();
  std::erase(inside, ' ');
  std::vector<std::string> names(1);
  for (const char c : inside) {
    if (c == ',') {
      names.emplace_back();
    } else {
      names.back() += c;
    }
  }
  return names;
}

Result<Value> value_of(const TableSchema& schema, const Row& payload, std::string_view name) {
  const auto column = schema.find(name);
  if (!column || column->value() >= payload.size()) {
    return bad_argument(fmt::format("the message has no column \"{}\" for its key", name));
  }
  return payload[column->value()];
}

void add_to_hash(FarmHasher& hasher, const Value& value) {
  if (const auto* number = std::get_if<int64_t>(&value)) {
    hasher.add_int64(*number);
  } else if (const auto* unsigned_number = std::get_if<uint64_t>(&value)) {
    hasher.add_uint64(*unsigned_number);
  } else if (const auto* real = std::get_if<double>(&value)) {
    hasher.add_double(*real);
  } else if (const auto* boolean = std::get_if<bool>(&value)) {
    hasher.add_boolean(*boolean);
  } else if (const auto* text = std::get_if<std::string>(&value)) {
    hasher.add_string(*text);
  } else {
    hasher.add_null();
  }
}

StreamRole role_of(InputKind kind) {
  switch (kind) {
    case InputKind::kMessage: return StreamRole::kInput;
    case InputKind::kTimer: return StreamRole::kTimer;
    default: return StreamRole::kVisit;
  }
}

capnp::Data::Reader numbers(const std::vector<uint32_t>& values) {
  return as_data(std::span<const uint32_t>(values));
}

capnp::Data::Reader numbers(const std::vector<int64_t>& values) {
  return as_data(std::span<const int64_t>(values));
}

}  // namespace

void TestWorker::write_welcome(FrameWriter& out) const {
  auto welcome = out.begin().initWelcome();
  welcome.initVersion().setMajor(kProtocolMajor);
  welcome.setSessionId(1);
  welcome.setWorker("test worker");
  welcome.setPipeline("test");
  welcome.setHeartbeatIntervalUs(Duration::seconds(1).microseconds());
}

void TestWorker::write_open_job(FrameWriter& out) const {
  auto open = out.begin().initOpenJob();
  open.setJob(job_.id.value());
  open.setComputation(as_text(job_.computation));
  open.setPartition(job_.partition.value());
  open.setPartitionCount(job_.partition_count);
  open.setKind(static_cast<wire::ComputationKind>(job_.kind));
  open.setFunction(as_text(job_.function));
  write_schema(open.initKeySchema(), job_.key_schema);
  auto streams = open.initStreams(static_cast<unsigned>(job_.streams.size()));
  for (unsigned i = 0; i < streams.size(); ++i) {
    streams[i].setName(as_text(job_.streams[i].name));
    streams[i].setRole(static_cast<wire::StreamRole>(job_.streams[i].role));
    streams[i].setRevision(job_.streams[i].revision.value());
    write_schema(streams[i].initSchema(), job_.streams[i].schema);
  }
  auto states = open.initInternalStates(static_cast<unsigned>(job_.internal_states.size()));
  for (unsigned i = 0; i < states.size(); ++i) {
    states[i].setName(as_text(job_.internal_states[i].name));
    states[i].setFormat(static_cast<wire::StateFormat>(job_.internal_states[i].format));
    states[i].setProtoType(as_text(job_.internal_states[i].proto_type));
    states[i].setAutoPreload(job_.internal_states[i].auto_preload);
  }
  write_node(&wire::OpenJob::Builder::initParameters, open, job_.parameters);
  write_node(&wire::OpenJob::Builder::initDynamicParameters, open, job_.dynamic_parameters);
  open.setLowestKeyHash(job_.lowest_key_hash.value());
  open.setHighestKeyHash(job_.highest_key_hash.value());
}

Result<Row> TestWorker::key_of(const std::string& stream, const Row& payload) const {
  const auto index = job_.find_stream(stream);
  if (!index) {
    return bad_argument(fmt::format("no stream \"{}\"", stream));
  }
  const TableSchema& schema = job_.stream(*index).schema;
  Row key;
  for (const Column& column : job_.key_schema.columns()) {
    if (column.expression.empty()) {
      RETINUE_ASSIGN(Value value, value_of(schema, payload, column.name));
      key.push_back(std::move(value));
      continue;
    }
    const auto names = hash_arguments(column.expression);
    if (!names) {
      return bad_argument(fmt::format("cannot compute \"{}\"", column.expression));
    }
    FarmHasher hasher;
    for (const std::string& name : *names) {
      RETINUE_ASSIGN(const Value value, value_of(schema, payload, name));
      add_to_hash(hasher, value);
    }
    key.emplace_back(hasher.finish().value());
  }
  return key;
}

uint32_t TestWorker::key_index(const Row& key) {
  const auto [place, is_new] = index_of_key_.emplace(key, static_cast<uint32_t>(keys_.size()));
  if (is_new) {
    keys_.push_back(key);
  }
  return place->second;
}

Result<void> TestWorker::add(TestInput input) {
  const auto index = job_.find_stream(input.stream);
  if (!index || job_.stream(*index).role != role_of(input.kind)) {
    return bad_argument(
        fmt::format("no {} stream \"{}\"", stream_role_name(role_of(input.kind)), input.stream));
  }
  key_index(input.key);
  inputs_.push_back(std::move(input));
  return {};
}

Result<void> TestWorker::write_batch(FrameWriter& out, Timestamp now) {
  auto batch = out.begin().initBatch();
  batch.setJob(job_.id.value());
  batch.setEpoch(++epoch_);
  batch.setAttempt(1);
  batch.setNowUs(now.microseconds());
  batch.setDeadlineUs((now + Duration::seconds(10)).microseconds());
  auto watermarks = batch.initWatermarks(static_cast<unsigned>(watermarks_.size()));
  unsigned next = 0;
  for (const auto& [stream, watermark] : watermarks_) {
    watermarks[next].setStream(as_text(stream));
    watermarks[next++].setTimestampUs(watermark.microseconds());
  }
  RowBatchBuilder keys(job_.key_schema);
  for (const Row& key : keys_) {
    if (auto appended = append_row(keys, job_.key_schema, key); !appended) {
      return std::move(appended).error().with_context("key");
    }
  }
  write_rows(batch.initKeys(), keys);
  RETINUE_TRY(write_messages(batch, now));
  write_timers(batch);
  write_visits(batch, now);
  write_states(batch);
  shipped_keys_ = std::move(keys_);
  keys_.clear();
  index_of_key_.clear();
  inputs_.clear();
  return {};
}

std::vector<std::string> TestWorker::streams_of(InputKind kind) const {
  std::vector<std::string> streams;
  for (const TestInput& input : inputs_) {
    if (input.kind == kind &&
        std::find(streams.begin(), streams.end(), input.stream) == streams.end()) {
      streams.push_back(input.stream);
    }
  }
  return streams;
}

std::vector<uint32_t> TestWorker::orders_of(InputKind kind, const std::string& stream) const {
  std::vector<uint32_t> orders;
  for (uint32_t i = 0; i < inputs_.size(); ++i) {
    if (inputs_[i].kind == kind && inputs_[i].stream == stream) {
      orders.push_back(i);
    }
  }
  return orders;
}

std::vector<uint32_t> TestWorker::keys_at(const std::vector<uint32_t>& orders) const {
  std::vector<uint32_t> keys;
  keys.reserve(orders.size());
  for (const uint32_t order : orders) {
    keys.push_back(index_of_key_.at(inputs_[order].key));
  }
  return keys;
}

Result<void> TestWorker::write_messages(wire::Batch::Builder out, Timestamp now) const {
  const std::vector<std::string> streams = streams_of(InputKind::kMessage);
  auto groups = out.initMessages(static_cast<unsigned>(streams.size()));
  for (unsigned g = 0; g < groups.size(); ++g) {
    const StreamSpec& spec = job_.stream(*job_.find_stream(streams[g]));
    const std::vector<uint32_t> orders = orders_of(InputKind::kMessage, spec.name);
    RowBatchBuilder rows(spec.schema);
    std::vector<int64_t> times;
    std::vector<uint8_t> late(bitmap_bytes(static_cast<uint32_t>(orders.size())));
    for (size_t i = 0; i < orders.size(); ++i) {
      const TestInput& input = inputs_[orders[i]];
      if (auto appended = append_row(rows, spec.schema, input.payload); !appended) {
        return std::move(appended).error().with_context(fmt::format("stream \"{}\"", spec.name));
      }
      times.push_back(input.event_timestamp.value_or(now).microseconds());
      late[i / 8] = static_cast<uint8_t>(late[i / 8] | (unsigned{input.is_late} << (i % 8)));
    }
    groups[g].setStream(as_text(spec.name));
    groups[g].setRevision(spec.revision.value());
    write_rows(groups[g].initRows(), rows);
    groups[g].setKeyIndexes(numbers(keys_at(orders)));
    groups[g].setOrders(numbers(orders));
    groups[g].setEventTimestamps(numbers(times));
    groups[g].setLate(as_data(std::span<const uint8_t>(late)));
    auto run = groups[g].initRuns(1)[0];
    run.setCount(rows.row_count());
    run.setSequence(epoch_);
    run.setFirstIndex(g << 20);
    run.setSystemTimestampUs(now.microseconds());
  }
  return {};
}

void TestWorker::write_timers(wire::Batch::Builder out) const {
  const std::vector<std::string> streams = streams_of(InputKind::kTimer);
  auto groups = out.initTimers(static_cast<unsigned>(streams.size()));
  for (unsigned g = 0; g < groups.size(); ++g) {
    const std::vector<uint32_t> orders = orders_of(InputKind::kTimer, streams[g]);
    std::vector<int64_t> triggers;
    std::vector<int64_t> times;
    for (const uint32_t order : orders) {
      const TestInput& input = inputs_[order];
      triggers.push_back(input.trigger.microseconds());
      times.push_back(input.event_timestamp.value_or(input.trigger).microseconds());
    }
    groups[g].setStream(as_text(streams[g]));
    groups[g].setCount(static_cast<uint32_t>(orders.size()));
    groups[g].setKeyIndexes(numbers(keys_at(orders)));
    groups[g].setOrders(numbers(orders));
    groups[g].setTriggers(numbers(triggers));
    groups[g].setEventTimestamps(numbers(times));
  }
}

void TestWorker::write_visits(wire::Batch::Builder out, Timestamp now) const {
  const std::vector<std::string> streams = streams_of(InputKind::kVisit);
  auto groups = out.initVisits(static_cast<unsigned>(streams.size()));
  for (unsigned g = 0; g < groups.size(); ++g) {
    const std::vector<uint32_t> orders = orders_of(InputKind::kVisit, streams[g]);
    std::vector<int64_t> times;
    times.reserve(orders.size());
    for (const uint32_t order : orders) {
      times.push_back(inputs_[order].event_timestamp.value_or(now).microseconds());
    }
    groups[g].setStream(as_text(streams[g]));
    groups[g].setCount(static_cast<uint32_t>(orders.size()));
    groups[g].setKeyIndexes(numbers(keys_at(orders)));
    groups[g].setOrders(numbers(orders));
    groups[g].setEventTimestamps(numbers(times));
    groups[g].setPass(inputs_[orders.front()].pass);
  }
}

void TestWorker::write_states(wire::Batch::Builder out) const {
  const auto count = std::count_if(job_.internal_states.begin(), job_.internal_states.end(),
                                   [](const InternalStateSpec& spec) { return spec.auto_preload; });
  auto states = out.initInternalStates(static_cast<unsigned>(count));
  unsigned next = 0;
  for (const InternalStateSpec& spec : job_.internal_states) {
    if (!spec.auto_preload) {
      continue;
    }
    constexpr ColumnType kType = ColumnType::kString;
    RowBatchBuilder values(std::span(&kType, 1));
    for (const Row& key : keys_) {
      if (const auto bytes = state(spec.name, key)) {
        values.set_bytes(ColumnIndex(0), *bytes);
      }
      values.finish_row();
    }
    auto wire_state = states[next++];
    wire_state.setName(as_text(spec.name));
    wire_state.setFormat(static_cast<wire::StateFormat>(spec.format));
    write_column(wire_state.initValues(), values.column_bytes().front());
  }
}

Result<TestAnswer> TestWorker::read_answer(const Frame& frame) {
  RETINUE_ASSIGN(TestAnswer answer, read_test_answer(job_, shipped_keys_, frame));
  if (answer.epoch != epoch_) {
    return Error{ErrorCode::kProtocolViolation,
                 fmt::format("epoch {} answered where {} is out", answer.epoch, epoch_)};
  }
  for (const TestStateChange& change : answer.state_changes) {
    if (change.bytes) {
      states_[change.state][change.key] = *change.bytes;
    } else {
      states_[change.state].erase(change.key);
    }
  }
  return answer;
}

std::optional<std::string> TestWorker::state(const std::string& state, const Row& key) const {
  const auto rows = states_.find(state);
  if (rows == states_.end()) {
    return std::nullopt;
  }
  const auto row = rows->second.find(key);
  return row == rows->second.end() ? std::nullopt : std::optional(row->second);
}

size_t TestWorker::state_count(const std::string& state) const {
  const auto rows = states_.find(state);
  return rows == states_.end() ? 0 : rows->second.size();
}

}  // namespace retinue::companion
