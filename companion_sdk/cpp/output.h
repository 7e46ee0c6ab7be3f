// OutputCollector: where a function puts the messages it emits and the timers it sets.
//
//   output.row(counts_).set(word_, word).set(count_, totals->count).emit();
//
// Streams and columns are resolved once, in init: `counts_ = context.output_stream("counts")`,
// `word_ = counts_.column("word")`. By name works too, and looks the name up every time.
// Threads: the one that processes the batch.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "companion_sdk/core/batch_answer.h"
#include "companion_sdk/cpp/exceptions.h"
#include "companion_sdk/cpp/input.h"

namespace retinue::companion {

// A handle of one output stream of the job. Cheap to copy; lives as long as the job.
class OutputStream {
 public:
  OutputStream() = default;  // assign one from RuntimeContext::output_stream in init
  OutputStream(const JobSpec& job, StreamIndex index) : job_(&job), index_(index) {}

  const std::string& name() const { return job_->stream(index_).name; }
  const TableSchema& schema() const { return job_->stream(index_).schema; }
  // Throws SchemaError naming the columns there are.
  ColumnIndex column(std::string_view column) const {
    return find_column(schema(), name(), column);
  }

 private:
  friend class OutputCollector;

  const JobSpec* job_ = nullptr;
  StreamIndex index_;
};

class OutputCollector;

// What a stream's row under construction has so far; reused from row to row.
struct RowInProgress {
  bool is_open = false;
  std::vector<bool> is_set;            // a column
  std::vector<OrderPosition> parents;  // empty: the input being processed
};

// One row under construction. Ends with emit(); columns that were not set are null. A stream has
// one such row at a time.
class OutputRow {
 public:
  OutputRow(const OutputRow&) = delete;
  OutputRow& operator=(const OutputRow&) = delete;
  // Not emitted: the row is dropped, and the batch fails after the handler, since that loses data.
  ~OutputRow();

  // Integers fit int64 and uint64 columns when in range, and double columns; strings go to string
  // columns, yson::Node to any; std::nullopt and an empty optional are null.
  // Throws SchemaError naming stream and column: another type, set twice, no such column.
  template <typename T>
  OutputRow& set(ColumnIndex column, const T& value) {
    if constexpr (std::same_as<T, bool>) {
      put_boolean(column, value);
    } else if constexpr (std::unsigned_integral<T>) {
      put_uint64(column, value);
    } else if constexpr (std::signed_integral<T>) {
      put_int64(column, value);
    } else if constexpr (std::floating_point<T>) {
      put_double(column, static_cast<double>(value));
    } else if constexpr (std::same_as<T, yson::Node>) {
      put_node(column, value);
    } else if constexpr (std::same_as<T, std::nullopt_t>) {
      begin_value(column);
    } else if constexpr (std::convertible_to<const T&, std::string_view>) {
      put_string(column, value);
    } else {
      set_optional(column, value);
    }
    return *this;
  }
  template <typename T>
  OutputRow& set(std::string_view column, const T& value) {
    return set(find_column(spec_.schema, spec_.name, column), value);
  }
  // Already encoded YSON for an any column.
  OutputRow& set_yson(ColumnIndex column, std::string_view encoded);

  // The inputs this row comes from, instead of the one being processed. A BatchProcessFunction must
  // say them.
  OutputRow& set_parents(std::span<const OrderPosition> parents);
  OutputRow& set_parents(std::initializer_list<OrderPosition> parents) {
    return set_parents(std::span(parents.begin(), parents.size()));
  }
  OutputRow& set_parents(std::initializer_list<Input> parents);
  OutputRow& set_parent(const Input& parent) { return set_parents({parent}); }
  // Without it the row has the least event time of its parents.
  OutputRow& set_event_timestamp(Timestamp timestamp);

  // Throws SchemaError when a required column is not set, UsageError when no parent is known.
  void emit();

 private:
  friend class OutputCollector;

  OutputRow(OutputCollector& collector, const StreamSpec& spec, OutputRows& out,
            RowInProgress& progress);

  template <typename T>
  void set_optional(ColumnIndex column, const std::optional<T>& value) {
    if (value) {
      set(column, *value);
    } else {
      begin_value(column);
    }
  }

  // Checks the column and marks it as set; gives its type.
  ColumnType begin_value(ColumnIndex column);
  void put_int64(ColumnIndex column, int64_t value);
  void put_uint64(ColumnIndex column, uint64_t value);
  void put_double(ColumnIndex column, double value);
  void put_boolean(ColumnIndex column, bool value);
  void put_string(ColumnIndex column, std::string_view value);
  void put_node(ColumnIndex column, const yson::Node& value);
  void put_bytes(ColumnIndex column, std::string_view value);
  [[noreturn]] void throw_mismatch(ColumnIndex column, std::string_view given) const;

  OutputCollector& collector_;
  const StreamSpec& spec_;
  OutputRows& out_;
  RowInProgress& progress_;
  const int exceptions_;  // in flight when the row began
  std::optional<Timestamp> event_timestamp_;
};

class OutputCollector {
 public:
  // Throws UsageError while another row of the stream is open, SchemaError for an unknown stream.
  [[nodiscard]] OutputRow row(const OutputStream& stream);
  [[nodiscard]] OutputRow row(std::string_view stream);

  // Timers of the key of the input being processed. Setting a timer again for the same trigger is
  // one timer. Throws SchemaError for a stream that is no timer stream of the job, UsageError in a
  // BatchProcessFunction, which names the input itself.
  void set_timer(std::string_view stream, Timestamp trigger);
  void cancel_timer(std::string_view stream, Timestamp trigger);
  void set_timer(const Input& input, std::string_view stream, Timestamp trigger,
                 std::optional<Timestamp> event_timestamp = {});
  void cancel_timer(const Input& input, std::string_view stream, Timestamp trigger);

  // --- for the runner
  explicit OutputCollector(const JobSpec& job);
  void begin(const BatchView& batch, BatchAnswer& answer);
  void set_current(std::optional<OrderPosition> input) { current_ = input; }
  std::optional<OrderPosition> current() const { return current_; }
  // Throws UsageError when a row was dropped without emit().
  void check_no_row_lost();

 private:
  friend class OutputRow;

  OutputRow open(StreamIndex stream);
  StreamIndex timer_stream(std::string_view name) const;
  Input current_input() const;

  const JobSpec& job_;
  const BatchView* batch_ = nullptr;
  BatchAnswer* answer_ = nullptr;
  std::optional<OrderPosition> current_;
  std::vector<RowInProgress> rows_;  // a stream of the job
  const StreamSpec* lost_row_ = nullptr;
};

}  // namespace retinue::companion
