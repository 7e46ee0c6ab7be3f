#include "worker/engine/partition.h"

#include <algorithm>

namespace retinue::worker {

void PartitionContext::start_commits() {
  if (dependencies_.open_commits) {
    commits_ = dependencies_.open_commits();
  } else {
    commits_ = std::make_unique<CommitQueue>(dependencies_.store, dependencies_.durability,
                                             dependencies_.wake);
  }
}

std::unique_ptr<EpochCommit> PartitionContext::take_commit() {
  if (free_commits_.empty()) {
    return std::make_unique<EpochCommit>();
  }
  std::unique_ptr<EpochCommit> commit = std::move(free_commits_.back());
  free_commits_.pop_back();
  return commit;
}

void PartitionContext::submit(std::unique_ptr<EpochCommit> commit) {
  for (InboxAppend& append : commit->appends) {
    append.sequence = inbox(append.inbox).announce(append.block.size());
  }
  ++epochs_;
  commits_->submit(std::move(commit));
}

Result<void> PartitionContext::publish(std::unique_ptr<EpochCommit> commit) {
  for (InboxAppend& append : commit->appends) {
    RETINUE_ASSIGN(auto block, MessageBlock::open(std::move(append.block)));
    inbox(append.inbox).push(append.sequence, std::move(block));
  }
  commit->clear();
  free_commits_.push_back(std::move(commit));
  return {};
}

void PartitionContext::add_inbox(PartitionRef partition, size_t bytes_limit) {
  inboxes_.emplace(partition, std::make_unique<Inbox>(bytes_limit));
}

Inbox& PartitionContext::inbox(PartitionRef partition) {
  return *inboxes_.at(partition);
}

bool PartitionContext::has_room(std::span<const OutputPlan> outputs) {
  for (const OutputPlan& output : outputs) {
    for (const ConsumerPlan& consumer : output.consumers) {
      if (consumer.is_in_cycle) {
        continue;
      }
      for (auto at = inboxes_.lower_bound({consumer.owner, PartitionIndex(0)});
           at != inboxes_.end() && at->first.owner == consumer.owner; ++at) {
        if (at->second->is_full()) {
          return false;
        }
      }
    }
  }
  return true;
}

Result<void> Partition::restore() {
  RETINUE_ASSIGN(progress_, load_progress(context_.dependencies().store, ref_));
  restored_ = progress_;
  return open();
}

void Partition::on_committed() {
  --commits_in_flight_;
  release_committed();
}

std::unique_ptr<EpochCommit> Partition::begin_commit() {
  std::unique_ptr<EpochCommit> commit = context_.take_commit();
  progress_.epoch = progress_.epoch.next();
  commit->partition = ref_;
  commit->epoch = progress_.epoch;
  commit->state_owner = ref_.owner;
  commit->consumed_begin = progress_.inbox.block;
  commit->consumed_end = progress_.inbox.block;
  return commit;
}

void Partition::submit(std::unique_ptr<EpochCommit> commit) {
  commit->progress = encode_progress(progress_);
  ++commits_in_flight_;
  context_.submit(std::move(commit));
}

}  // namespace retinue::worker
