// A Batch of 1,000 messages (64-byte payload, 100-byte state a key) into a frame and out of one: ns
// a message, and how many memcpys of the same bytes that is. The same content as one struct a
// message, as a List(LogField) of payload and state, is there to compare.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

#include "protocol/base/check.h"
#include "protocol/frame/frame_reader.h"
#include "protocol/frame/frame_writer.h"
#include "protocol/frame/wire_values.h"
#include "tests/bench/cpu_time.h"

namespace retinue {
namespace {

constexpr uint32_t kMessages = 1000;
constexpr ColumnType kKeyTypes[] = {ColumnType::kUint64, ColumnType::kUint64};
constexpr ColumnType kTextTypes[] = {ColumnType::kString};
constexpr ColumnIndex kFirst(0), kSecond(1);
const std::string kPayload(64, 'p');
const std::string kState(100, 's');

// Runs `work`, which handles kMessages messages in a frame of `bytes`.
template <typename Work>
void measure(benchmark::State& state, size_t bytes, Work work) {
  work();
  const double start = cpu_ns();
  for (auto _ : state) {
    work();
  }
  const double once = (cpu_ns() - start) / static_cast<double>(state.iterations());
  const double copy = memcpy_ns(bytes);
  state.counters["ns/message"] = once / kMessages;
  state.counters["bytes/message"] = static_cast<double>(bytes) / kMessages;
  state.counters["memcpy/message"] = copy / kMessages;
  state.counters["ratio"] = once / copy;
}

// What the worker has at hand when it ships: columns of keys, messages and states.
struct Content {
  Content() {
    for (uint32_t i = 0; i < kMessages; ++i) {
      keys.set_uint64(kFirst, i * 0x9e3779b97f4a7c15);
      keys.set_uint64(kSecond, i);
      keys.finish_row();
      messages.set_bytes(kFirst, kPayload);
      messages.finish_row();
      states.set_bytes(kFirst, kState);
      states.finish_row();
      key_indexes.push_back(i);
    }
  }

  RowBatchBuilder keys{std::span<const ColumnType>(kKeyTypes)};
  RowBatchBuilder messages{std::span<const ColumnType>(kTextTypes)};
  RowBatchBuilder states{std::span<const ColumnType>(kTextTypes)};
  std::vector<uint32_t> key_indexes;
};

void write_columns(FrameWriter& writer, const Content& content) {
  auto batch = writer.begin().initBatch();
  batch.setJob(1);
  batch.setEpoch(1);
  write_rows(batch.initKeys(), content.keys);
  auto group = batch.initMessages(1)[0];
  group.setStream("messages");
  write_rows(group.initRows(), content.messages);
  group.setKeyIndexes(as_data(content.key_indexes));
  group.initRuns(1)[0].setCount(kMessages);
  auto state = batch.initInternalStates(1)[0];
  state.setName("state");
  write_column(state.initValues(), content.states.column_bytes()[0]);
}

void write_structs(FrameWriter& writer) {
  auto fields = writer.begin().initLog().initFields(kMessages);
  for (wire::LogField::Builder field : fields) {
    field.setName(kPayload);
    field.setValue(kState);
  }
}

Frame receive(FrameReader& reader, const std::string& bytes) {
  for (size_t begin = 0; begin < bytes.size();) {
    std::span<std::byte> space = reader.prepare();
    size_t count = std::min(space.size(), bytes.size() - begin);
    std::memcpy(space.data(), bytes.data() + begin, count);
    begin += count;
    RETINUE_CHECK(reader.commit(count).ok());
  }
  std::optional<Frame> frame = reader.next();
  RETINUE_CHECK(frame.has_value());
  return std::move(*frame);
}

// Looks at the ends of a text, as a handler that does little would.
uint64_t look(std::string_view text) {
  return text.size() + static_cast<unsigned char>(text.front()) +
         static_cast<unsigned char>(text.back());
}

uint64_t walk_columns(const Frame& frame) {
  auto batch = frame.envelope().getBatch();
  auto group = batch.getMessages()[0];
  const RowBatchView keys = read_rows(batch.getKeys()).value();
  const RowBatchView rows = read_rows(group.getRows()).value();
  const auto indexes = read_u32(group.getKeyIndexes(), rows.row_count(), "keyIndexes").value();
  const RowBatchView states =
      read_column(batch.getInternalStates()[0].getValues(), keys.row_count()).value();
  uint64_t sum = 0;
  for (uint32_t row = 0; row < rows.row_count(); ++row) {
    sum += look(rows.column(kFirst).bytes_at(row)) + keys.column(kFirst).uint64_at(indexes[row]) +
           look(states.column(kFirst).bytes_at(indexes[row]));
  }
  return sum;
}

uint64_t walk_structs(const Frame& frame) {
  uint64_t sum = 0;
  for (wire::LogField::Reader field : frame.envelope().getLog().getFields()) {
    sum += look(as_view(field.getName())) + look(as_view(field.getValue()));
  }
  return sum;
}

void build_columns(benchmark::State& state) {
  const Content content;
  FrameWriter writer;
  write_columns(writer, content);
  measure(state, writer.byte_size(), [&] {
    write_columns(writer, content);
    benchmark::DoNotOptimize(writer.pieces().data());
  });
}

void build_structs(benchmark::State& state) {
  FrameWriter writer;
  write_structs(writer);
  measure(state, writer.byte_size(), [&] {
    write_structs(writer);
    benchmark::DoNotOptimize(writer.pieces().data());
  });
}

// Without the copy from the socket.
template <typename Walk>
void read_in_place(benchmark::State& state, FrameWriter& writer, Walk walk) {
  const std::string bytes = writer.to_bytes();
  auto words = kj::heapArray<capnp::word>(bytes.size() / sizeof(capnp::word));
  std::memcpy(words.begin(), bytes.data(), bytes.size());
  measure(state, bytes.size(), [&] {
    auto borrowed =
        kj::Array<capnp::word>(words.begin(), words.size(), kj::NullArrayDisposer::instance);
    benchmark::DoNotOptimize(walk(Frame::open(std::move(borrowed)).value()));
  });
}

template <typename Walk>
void receive_and_read(benchmark::State& state, FrameWriter& writer, Walk walk) {
  FrameReader reader;
  const std::string bytes = writer.to_bytes();
  measure(state, bytes.size(), [&] { benchmark::DoNotOptimize(walk(receive(reader, bytes))); });
}

void read_columns(benchmark::State& state) {
  FrameWriter writer;
  write_columns(writer, Content());
  read_in_place(state, writer, walk_columns);
}

void receive_columns(benchmark::State& state) {
  FrameWriter writer;
  write_columns(writer, Content());
  receive_and_read(state, writer, walk_columns);
}

void receive_structs(benchmark::State& state) {
  FrameWriter writer;
  write_structs(writer);
  receive_and_read(state, writer, walk_structs);
}

BENCHMARK(build_columns);
BENCHMARK(build_structs);
BENCHMARK(read_columns);
BENCHMARK(receive_columns);
BENCHMARK(receive_structs);

}  // namespace
}  // namespace retinue
