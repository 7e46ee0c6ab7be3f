#include "companion_sdk/cpp/output.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "protocol/base/limits.h"
#include "protocol/yson/writer.h"

namespace retinue::companion {

OutputRow::OutputRow(OutputCollector& collector, const StreamSpec& spec, OutputRows& out,
                     RowInProgress& progress)
    : collector_(collector),
      spec_(spec),
      out_(out),
      progress_(progress),
      exceptions_(std::uncaught_exceptions()) {
  progress_.is_open = true;
  progress_.is_set.assign(spec.schema.size(), false);
  progress_.parents.clear();
}

OutputRow::~OutputRow() {
  if (!progress_.is_open) {
    return;
  }
  progress_.is_open = false;
  out_.rows().abandon_row();
  if (std::uncaught_exceptions() <= exceptions_) {
    collector_.lost_row_ = &spec_;
  }
}

ColumnType OutputRow::begin_value(ColumnIndex column) {
  if (column.value() >= spec_.schema.size()) {
    throw SchemaError(fmt::format("output stream \"{}\" has {} columns, there is no column {}",
                                  spec_.name, spec_.schema.size(), column.value()));
  }
  if (progress_.is_set[column.value()]) {
    throw SchemaError(fmt::format("output stream \"{}\": column \"{}\" is set twice in one row",
                                  spec_.name, spec_.schema[column].name));
  }
  return spec_.schema[column].type;
}

void OutputRow::throw_mismatch(ColumnIndex column, std::string_view given) const {
  throw SchemaError(fmt::format("output stream \"{}\": column \"{}\" is {} and cannot hold {}",
                                spec_.name, spec_.schema[column].name,
                                column_type_name(spec_.schema[column].type), given));
}

void OutputRow::put_int64(ColumnIndex column, int64_t value) {
  const ColumnType type = begin_value(column);
  if (type == ColumnType::kInt64) {
    out_.rows().set_int64(column, value);
  } else if (type == ColumnType::kUint64 && value >= 0) {
    out_.rows().set_uint64(column, static_cast<uint64_t>(value));
  } else if (type == ColumnType::kDouble) {
    out_.rows().set_double(column, static_cast<double>(value));
  } else {
    throw_mismatch(column, fmt::format("the integer {}", value));
  }
  progress_.is_set[column.value()] = true;
}

void OutputRow::put_uint64(ColumnIndex column, uint64_t value) {
  const ColumnType type = begin_value(column);
  if (type == ColumnType::kUint64) {
    out_.rows().set_uint64(column, value);
  } else if (type == ColumnType::kInt64 && std::in_range<int64_t>(value)) {
    out_.rows().set_int64(column, static_cast<int64_t>(value));
  } else if (type == ColumnType::kDouble) {
    out_.rows().set_double(column, static_cast<double>(value));
  } else {
    throw_mismatch(column, fmt::format("the integer {}", value));
  }
  progress_.is_set[column.value()] = true;
}

void OutputRow::put_double(ColumnIndex column, double value) {
  if (begin_value(column) != ColumnType::kDouble) {
    throw_mismatch(column, "a floating-point number");
  }
  out_.rows().set_double(column, value);
  progress_.is_set[column.value()] = true;
}

void OutputRow::put_boolean(ColumnIndex column, bool value) {
  if (begin_value(column) != ColumnType::kBoolean) {
    throw_mismatch(column, "a boolean");
  }
  out_.rows().set_boolean(column, value);
  progress_.is_set[column.value()] = true;
}

void OutputRow::put_string(ColumnIndex column, std::string_view value) {
  if (begin_value(column) != ColumnType::kString) {
    throw_mismatch(column, "a string");
  }
  put_bytes(column, value);
}

void OutputRow::put_node(ColumnIndex column, const yson::Node& value) {
  set_yson(column, yson::to_string(value));
}

OutputRow& OutputRow::set_yson(ColumnIndex column, std::string_view encoded) {
  if (begin_value(column) != ColumnType::kAny) {
    throw_mismatch(column, "YSON");
  }
  put_bytes(column, encoded);
  return *this;
}

void OutputRow::put_bytes(ColumnIndex column, std::string_view value) {
  if (value.size() > limits::kValueBytesLimit) {
    throw_mismatch(
        column, fmt::format("{} bytes, the limit is {}", value.size(), limits::kValueBytesLimit));
  }
  out_.rows().set_bytes(column, value);
  progress_.is_set[column.value()] = true;
}

OutputRow& OutputRow::set_parents(std::span<const OrderPosition> parents) {
  progress_.parents.assign(parents.begin(), parents.end());
  return *this;
}

OutputRow& OutputRow::set_parents(std::initializer_list<Input> parents) {
  progress_.parents.clear();
  for (const Input& parent : parents) {
    progress_.parents.push_back(parent.order());
  }
  return *this;
}

OutputRow& OutputRow::set_event_timestamp(Timestamp timestamp) {
  event_timestamp_ = timestamp;
  return *this;
}

void OutputRow::emit() {
  if (!progress_.is_open) {
    throw UsageError(fmt::format("output stream \"{}\": a row was emitted twice", spec_.name));
  }
  for (uint32_t i = 0; i < spec_.schema.size(); ++i) {
    if (spec_.schema[ColumnIndex(i)].required && !progress_.is_set[i]) {
      throw SchemaError(fmt::format("output stream \"{}\": required column \"{}\" is not set",
                                    spec_.name, spec_.schema[ColumnIndex(i)].name));
    }
  }
  if (progress_.parents.empty() && collector_.current_) {
    progress_.parents.push_back(*collector_.current_);
  }
  progress_.is_open = false;
  if (auto done = out_.finish_row(progress_.parents, event_timestamp_); !done) {
    throw UsageError(fmt::format("output stream \"{}\": {}", spec_.name, done.error().message));
  }
}

OutputCollector::OutputCollector(const JobSpec& job) : job_(job), rows_(job.streams.size()) {}

void OutputCollector::begin(const BatchView& batch, BatchAnswer& answer) {
  batch_ = &batch;
  answer_ = &answer;
  current_.reset();
  lost_row_ = nullptr;
}

void OutputCollector::check_no_row_lost() {
  if (lost_row_ != nullptr) {
    throw UsageError(fmt::format("output stream \"{}\": a row was begun and never emitted",
                                 std::exchange(lost_row_, nullptr)->name));
  }
}

OutputRow OutputCollector::open(StreamIndex stream) {
  RowInProgress& progress = rows_[stream.value()];
  if (progress.is_open) {
    throw UsageError(fmt::format("output stream \"{}\": emit the last row before the next begins",
                                 job_.stream(stream).name));
  }
  return {*this, job_.stream(stream), answer_->output(stream), progress};
}

OutputRow OutputCollector::row(const OutputStream& stream) {
  if (stream.job_ != &job_) {
    throw UsageError(
        "an output stream must come from RuntimeContext::output_stream, in this job's init");
  }
  return open(stream.index_);
}

OutputRow OutputCollector::row(std::string_view stream) {
  const auto index = job_.find_stream(stream);
  if (!index || job_.stream(*index).role != StreamRole::kOutput) {
    throw SchemaError(
        fmt::format("computation \"{}\" has no output stream \"{}\"", job_.computation, stream));
  }
  return open(*index);
}

StreamIndex OutputCollector::timer_stream(std::string_view name) const {
  const auto index = job_.find_stream(name);
  if (!index || job_.stream(*index).role != StreamRole::kTimer) {
    throw SchemaError(
        fmt::format("computation \"{}\" has no timer stream \"{}\"", job_.computation, name));
  }
  return *index;
}

Input OutputCollector::current_input() const {
  if (!current_) {
    throw UsageError("no input is being processed: say which one the timer is of");
  }
  return {*batch_, *current_};
}

void OutputCollector::set_timer(std::string_view stream, Timestamp trigger) {
  set_timer(current_input(), stream, trigger);
}

void OutputCollector::cancel_timer(std::string_view stream, Timestamp trigger) {
  cancel_timer(current_input(), stream, trigger);
}

void OutputCollector::set_timer(const Input& input, std::string_view stream, Timestamp trigger,
                                std::optional<Timestamp> event_timestamp) {
  answer_->add_timer(timer_stream(stream), input.key_index(), trigger, event_timestamp,
                     input.order());
}

void OutputCollector::cancel_timer(const Input& input, std::string_view stream, Timestamp trigger) {
  answer_->cancel_timer(timer_stream(stream), input.key_index(), trigger);
}

}  // namespace retinue::companion
