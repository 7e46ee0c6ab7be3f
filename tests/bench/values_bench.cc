// Rows in and out of batches, and keys: ns a row, and how many memcpys of the same bytes that is.
#include <benchmark/benchmark.h>

#include <cstring>
#include <ctime>
#include <string>
#include <vector>

#include "protocol/values/farm_hash.h"
#include "protocol/values/key_codec.h"
#include "protocol/values/row_batch.h"
#include "tests/bench/cpu_time.h"

namespace retinue {
namespace {

constexpr uint32_t kRows = 1000;
constexpr ColumnIndex kId(0), kTime(1), kPayload(2);
constexpr ColumnType kPlainTypes[] = {ColumnType::kUint64, ColumnType::kInt64, ColumnType::kString};
// The same and a flag, every seventh row's values null.
constexpr ColumnType kNullableTypes[] = {ColumnType::kUint64, ColumnType::kInt64,
                                         ColumnType::kString, ColumnType::kBoolean};
const std::string kText(64, 'x');

// Runs `work`, which handles kRows rows of `bytes` bytes altogether.
template <typename Work>
void measure(benchmark::State& state, size_t bytes, Work work) {
  work();
  const double start = cpu_ns();
  for (auto _ : state) {
    work();
  }
  const double total = cpu_ns() - start;
  const double once = total / static_cast<double>(state.iterations());
  state.counters["ns/row"] = once / kRows;
  const double copy = memcpy_ns(bytes);
  state.counters["memcpy/row"] = copy / kRows;
  state.counters["ratio"] = once / copy;
}

void fill(RowBatchBuilder& builder) {
  for (uint32_t row = 0; row < kRows; ++row) {
    builder.set_uint64(kId, row);
    builder.set_int64(kTime, row);
    builder.set_bytes(kPayload, kText);
    builder.finish_row();
  }
}

RowBatchBuilder plain_batch() {
  RowBatchBuilder builder{std::span<const ColumnType>(kPlainTypes)};
  fill(builder);
  return builder;
}

RowBatchBuilder nullable_batch() {
  RowBatchBuilder builder{std::span<const ColumnType>(kNullableTypes)};
  for (uint32_t row = 0; row < kRows + 8; ++row) {
    if (row % 7 != 0) {
      builder.set_uint64(kId, row);
      builder.set_int64(kTime, row);
      builder.set_bytes(kPayload, kText);
      builder.set_boolean(ColumnIndex(3), row % 2 == 0);
    }
    builder.finish_row();
  }
  return builder;
}

void build(benchmark::State& state) {
  RowBatchBuilder builder = plain_batch();
  measure(state, builder.byte_size(), [&] {
    builder.clear();
    fill(builder);
    benchmark::DoNotOptimize(builder.column_bytes());
  });
}
BENCHMARK(build);

void open_batch(benchmark::State& state) {
  const RowBatchBuilder builder = plain_batch();
  const std::vector<ColumnBytes> columns = builder.column_bytes();
  measure(state, builder.byte_size(),
          [&] { benchmark::DoNotOptimize(RowBatchView::open(kRows, columns)); });
}
BENCHMARK(open_batch);

void open_batch_with_nulls(benchmark::State& state) {
  const RowBatchBuilder builder = nullable_batch();
  const std::vector<ColumnBytes> columns = builder.column_bytes();
  measure(state, builder.byte_size(),
          [&] { benchmark::DoNotOptimize(RowBatchView::open(builder.row_count(), columns)); });
}
BENCHMARK(open_batch_with_nulls);

void open_and_read(benchmark::State& state) {
  const RowBatchBuilder builder = plain_batch();
  const std::vector<ColumnBytes> columns = builder.column_bytes();
  measure(state, builder.byte_size(), [&] {
    const RowBatchView view = RowBatchView::open(kRows, columns).value();
    uint64_t sum = 0;
    for (uint32_t row = 0; row < kRows; ++row) {
      const std::string_view payload = view.column(kPayload).bytes_at(row);
      sum += view.column(kId).uint64_at(row) +
             static_cast<uint64_t>(view.column(kTime).int64_at(row)) + payload.size() +
             static_cast<uint8_t>(payload.front());
    }
    benchmark::DoNotOptimize(sum);
  });
}
BENCHMARK(open_and_read);

void append_batch(benchmark::State& state) {
  const RowBatchBuilder source = plain_batch();
  const RowBatchView view = source.view();
  RowBatchBuilder builder{std::span<const ColumnType>(kPlainTypes)};
  measure(state, view.byte_size(), [&] {
    builder.clear();
    builder.append_rows(view, 0, kRows);
  });
}
BENCHMARK(append_batch);

void append_batch_with_nulls_unaligned(benchmark::State& state) {
  const RowBatchBuilder source = nullable_batch();
  const RowBatchView view = source.view();
  RowBatchBuilder builder{std::span<const ColumnType>(kNullableTypes)};
  measure(state, view.byte_size(3, kRows + 3), [&] {
    builder.clear();
    builder.append_rows(view, 0, 5);
    builder.append_rows(view, 3, kRows + 3);
  });
}
BENCHMARK(append_batch_with_nulls_unaligned);

void append_one_row_at_a_time(benchmark::State& state) {
  const RowBatchBuilder source = plain_batch();
  const RowBatchView view = source.view();
  RowBatchBuilder builder{std::span<const ColumnType>(kPlainTypes)};
  measure(state, view.byte_size(), [&] {
    builder.clear();
    for (uint32_t row = 0; row < kRows; ++row) {
      builder.append_row(view, row);
    }
  });
}
BENCHMARK(append_one_row_at_a_time);

// Keys of one string of 16 bytes and one number.
RowBatchBuilder key_batch() {
  const ColumnType types[] = {ColumnType::kString, ColumnType::kInt64};
  RowBatchBuilder builder{std::span(types)};
  for (uint32_t row = 0; row < kRows; ++row) {
    const std::string name = "user-" + std::to_string(10'000'000'000 + row);
    builder.set_bytes(ColumnIndex(0), name);
    builder.set_int64(ColumnIndex(1), row);
    builder.finish_row();
  }
  return builder;
}

void hash_keys(benchmark::State& state) {
  const RowBatchBuilder builder = key_batch();
  const RowBatchView view = builder.view();
  measure(state, builder.byte_size(), [&] {
    for (uint32_t row = 0; row < kRows; ++row) {
      FarmHasher hasher;
      for (const ColumnView& column : view.columns()) {
        hasher.add(column, row);
      }
      benchmark::DoNotOptimize(hasher.finish());
    }
  });
}
BENCHMARK(hash_keys);

void hash_and_encode_keys(benchmark::State& state) {
  const RowBatchBuilder builder = key_batch();
  const RowBatchView view = builder.view();
  std::string key;
  measure(state, builder.byte_size(), [&] {
    for (uint32_t row = 0; row < kRows; ++row) {
      FarmHasher hasher;
      for (const ColumnView& column : view.columns()) {
        hasher.add(column, row);
      }
      key.clear();
      append_big_endian(key, hasher.finish().value());
      for (const ColumnView& column : view.columns()) {
        benchmark::DoNotOptimize(append_key_value(key, column, row));
      }
      benchmark::DoNotOptimize(key.data());
    }
  });
}
BENCHMARK(hash_and_encode_keys);

}  // namespace
}  // namespace retinue
