// PassthroughPartition: the partition of a passthrough_source: its rows go straight to the inboxes
// of the stream's consumers.
#pragma once

#include "worker/engine/partition.h"
#include "worker/engine/source_follower.h"
#include "worker/epoch/scatter.h"

namespace retinue::worker {

class PassthroughPartition final : public Partition {
 public:
  PassthroughPartition(const ComputationPlan& plan, const SourceSpec& spec,
                       PartitionContext& context);

  Result<void> begin() override;
  Result<void> turn() override;
  void add_to(Summary& summary) const override;

 private:
  Result<void> open() override { return follower_.open({}, progress_); }
  bool has_work_out() const override { return false; }
  bool has_no_input_left() const override {
    return follower_.has_ended() || context_.has_input_failed();
  }
  const Error* input_error() const override { return follower_.error(); }

  const ComputationPlan& plan_;
  SourceFollower follower_;
  OutputScatter scatter_;
};

}  // namespace retinue::worker
