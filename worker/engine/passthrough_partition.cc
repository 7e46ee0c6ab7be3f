#include "worker/engine/passthrough_partition.h"

#include <fmt/format.h>

#include "worker/engine/stage_timer.h"

namespace retinue::worker {

PassthroughPartition::PassthroughPartition(const ComputationPlan& plan, const SourceSpec& spec,
                                           PartitionContext& context)
    : Partition({plan.owner, PartitionIndex(0)}, context),
      plan_(plan),
      follower_(plan.id, spec, plan.outputs[0].schema, context) {}

Result<void> PassthroughPartition::begin() {
  RETINUE_ASSIGN(const bool must_commit, follower_.begin(progress_));
  if (must_commit) {
    submit(begin_commit());
  }
  return {};
}

Result<void> PassthroughPartition::turn() {
  while (has_begun() && !context_.is_stopping() && !context_.has_input_failed() && may_commit() &&
         context_.has_room(plan_.outputs)) {
    std::unique_ptr<SourceChunk> chunk = follower_.take();
    if (chunk == nullptr) {
      break;
    }
    const StageTimer timer(context_.costs().scatter);
    if (auto checked = plan_.outputs[0].check_keys(chunk->rows.view()); !checked) {
      return std::move(checked).error().with_context(
          fmt::format("computation \"{}\", stream \"{}\", of the {} messages read last",
                      plan_.id.value(), plan_.outputs[0].stream.value(), chunk->rows.row_count()));
    }
    std::unique_ptr<EpochCommit> commit = begin_commit();
    RETINUE_TRY(follower_.settle(*chunk, chunk->rows.row_count(), progress_));
    scatter_.begin({.owner = ref_.owner,
                    .partition = ref_.partition,
                    .epoch = progress_.epoch,
                    .now = context_.dependencies().clock.now()});
    scatter_.scatter(plan_.outputs[0], chunk->rows.view(), {}, commit->appends);
    progress_.messages_out += chunk->rows.row_count();
    submit(std::move(commit));
    follower_.recycle(std::move(chunk));
  }
  return {};
}

void PassthroughPartition::add_to(Summary& summary) const {
  follower_.add_to(summary);
  for (ComputationSummary& one : summary.computations) {
    if (one.computation == plan_.id.value()) {
      one.messages_in += progress_.messages_in - restored_.messages_in;
      one.messages_out += progress_.messages_out - restored_.messages_out;
      one.epochs += progress_.epoch.value() - restored_.epoch.value();
    }
  }
  summary.messages_in += progress_.messages_in - restored_.messages_in;
  summary.messages_in_total += progress_.messages_in;
  summary.lines_skipped += progress_.lines_skipped - restored_.lines_skipped;
}

}  // namespace retinue::worker
