#include "companion_sdk/core/output_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "protocol/base/limits.h"
#include "protocol/frame/wire_values.h"

namespace retinue::companion {

void OutputRows::reset(const StreamSpec& spec) {
  rows_ = RowBatchBuilder(spec.schema);
}

void OutputRows::begin(const BatchView& batch) {
  batch_ = &batch;
  rows_.abandon_row();
  rows_.clear();
  parents_.clear();
  parent_offsets_.assign(1, 0);
  event_timestamps_.clear();
  one_parent_each_ = true;
}

size_t OutputRows::byte_size() const {
  return rows_.byte_size() + parents_.size() * sizeof(uint32_t) +
         parent_offsets_.size() * (sizeof(uint32_t) + sizeof(int64_t));
}

Result<void> OutputRows::finish_row(std::span<const OrderPosition> parents,
                                    std::optional<Timestamp> event_timestamp) {
  const size_t inputs = batch_->inputs().size();
  if (parents.empty()) {
    rows_.abandon_row();
    return Error{ErrorCode::kInvalidArgument,
                 "an output needs at least one input as its parent, and none is set"};
  }
  for (const OrderPosition parent : parents) {
    if (parent.value() >= inputs) {
      rows_.abandon_row();
      return Error{ErrorCode::kInvalidArgument,
                   fmt::format("parent {} where the batch has {} inputs", parent.value(), inputs)};
    }
  }
  if (event_timestamp && event_timestamps_.empty()) {
    fill_event_timestamps();
  }
  const size_t first = parents_.size();
  for (const OrderPosition parent : parents) {
    parents_.push_back(parent.value());
  }
  if (event_timestamp) {
    event_timestamps_.push_back(event_timestamp->microseconds());
  } else if (!event_timestamps_.empty()) {
    event_timestamps_.push_back(
        least_event_timestamp(std::span(parents_).subspan(first)).microseconds());
  }
  one_parent_each_ = one_parent_each_ && parents.size() == 1;
  parent_offsets_.push_back(static_cast<uint32_t>(parents_.size()));
  rows_.finish_row();
  return {};
}

Timestamp OutputRows::least_event_timestamp(std::span<const uint32_t> parents) const {
  Timestamp least = batch_->event_timestamp(OrderPosition(parents.front()));
  for (const uint32_t parent : parents.subspan(1)) {
    least = std::min(least, batch_->event_timestamp(OrderPosition(parent)));
  }
  return least;
}

// The wire has event times for all rows or for none: the first explicit one makes those before it
// explicit too.
void OutputRows::fill_event_timestamps() {
  const std::span<const uint32_t> parents(parents_);
  for (uint32_t row = 0; row < rows_.row_count(); ++row) {
    const uint32_t begin = parent_offsets_[row];
    event_timestamps_.push_back(
        least_event_timestamp(parents.subspan(begin, parent_offsets_[row + 1] - begin))
            .microseconds());
  }
}

Result<void> OutputRows::check(const StreamSpec& spec) const {
  if (rows_.row_count() > limits::kRowBatchRowsLimit) {
    return Error{ErrorCode::kLimitExceeded,
                 fmt::format("output stream \"{}\": {} rows, the limit is {}", spec.name,
                             rows_.row_count(), limits::kRowBatchRowsLimit)};
  }
  if (Result<void> fits = rows_.view().check_schema(spec.schema); !fits) {
    return std::move(fits).error().with_context(fmt::format("output stream \"{}\"", spec.name));
  }
  return {};
}

void OutputRows::write(const StreamSpec& spec, wire::OutputGroup::Builder out) const {
  out.setStream(as_text(spec.name));
  out.setRevision(spec.revision.value());
  write_rows(out.initRows(), rows_);
  out.setParents(as_data(std::span<const uint32_t>(parents_)));
  if (!one_parent_each_) {
    out.setParentOffsets(as_data(std::span<const uint32_t>(parent_offsets_)));
  }
  if (!event_timestamps_.empty()) {
    out.setEventTimestamps(as_data(std::span<const int64_t>(event_timestamps_)));
  }
}

}  // namespace retinue::companion
