// OutputRows: the messages a batch emits to one stream, with their parents and event times.
//
//   out.rows().set_string(...);                  // by the stream's schema
//   RETINUE_TRY(out.finish_row({order}, {}));
//
// Every buffer is reused from batch to batch.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "companion_sdk/core/batch_view.h"
#include "protocol/base/result.h"
#include "protocol/schema/companion.capnp.h"
#include "protocol/values/row_batch.h"

namespace retinue::companion {

class OutputRows {
 public:
  // Forgets everything; rows follow `spec` from now on.
  void reset(const StreamSpec& spec);
  // Forgets the rows. Borrows: `batch`, until the next begin().
  void begin(const BatchView& batch);

  RowBatchBuilder& rows() { return rows_; }
  bool empty() const { return rows_.empty(); }
  size_t byte_size() const;

  // Ends the row under construction. `parents` are the inputs it comes from; without an event time
  // it gets the least of theirs.
  // Errors: kInvalidArgument for no parent or one that the batch does not have; the row is dropped.
  Result<void> finish_row(std::span<const OrderPosition> parents,
                          std::optional<Timestamp> event_timestamp);

  // Errors: kSchemaMismatch naming stream and column, e.g. for null in a required column;
  // kLimitExceeded for too many rows.
  Result<void> check(const StreamSpec& spec) const;
  void write(const StreamSpec& spec, wire::OutputGroup::Builder out) const;

 private:
  Timestamp least_event_timestamp(std::span<const uint32_t> parents) const;
  void fill_event_timestamps();

  const BatchView* batch_ = nullptr;
  RowBatchBuilder rows_;
  std::vector<uint32_t> parents_;
  std::vector<uint32_t> parent_offsets_;   // a row, and one more
  std::vector<int64_t> event_timestamps_;  // empty: every row has the least of its parents'
  bool one_parent_each_ = true;
};

}  // namespace retinue::companion
