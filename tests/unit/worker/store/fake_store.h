// FakeStore: remembers what was committed, and in which groups.
//
// Threads: any.
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "worker/store/store.h"

namespace retinue::worker {

class FakeStore final : public Store {
 public:
  struct Group {
    std::vector<uint64_t> epochs;
    bool sync;

    friend bool operator==(const Group&, const Group&) = default;
  };

  // Commits wait, from now on, until uncork().
  void cork() {
    const std::lock_guard lock(mutex_);
    corked_ = true;
  }
  void uncork() {
    const std::lock_guard lock(mutex_);
    corked_ = false;
    changed_.notify_all();
  }
  // Returns once a commit waits for uncork().
  void wait_for_corked_commit() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return waiting_; });
  }
  // The next commit fails and leaves nothing.
  void fail_next(Error error) {
    const std::lock_guard lock(mutex_);
    next_failure_ = std::move(error);
  }
  std::vector<Group> groups() const {
    const std::lock_guard lock(mutex_);
    return groups_;
  }
  // Commits asked for, failed ones too.
  size_t calls() const {
    const std::lock_guard lock(mutex_);
    return calls_;
  }

  Result<void> commit(std::span<const EpochCommit* const> commits, bool sync) override {
    std::unique_lock lock(mutex_);
    ++calls_;
    waiting_ = true;
    changed_.notify_all();
    changed_.wait(lock, [this] { return !corked_; });
    waiting_ = false;
    if (next_failure_) {
      return *std::exchange(next_failure_, std::nullopt);
    }
    Group group{.epochs = {}, .sync = sync};
    for (const EpochCommit* each : commits) {
      group.epochs.push_back(each->epoch.value());
    }
    groups_.push_back(std::move(group));
    return {};
  }

  Result<uint32_t> intern(NameKind, std::string_view) override { return unused(); }
  Result<std::optional<uint32_t>> find_name(NameKind, std::string_view) const override {
    return unused();
  }
  Result<std::optional<std::string>> load_record(std::string_view) const override {
    return unused();
  }
  Result<void> save_record(std::string_view, std::string_view) override { return unused(); }
  Result<void> load_states(std::span<const std::string_view>,
                           std::vector<std::optional<std::string>>&) const override {
    return unused();
  }
  Result<void> scan_states(OwnerNumber, std::string_view,
                           const std::function<bool(const StateRow&)>&) const override {
    return unused();
  }
  Result<std::optional<std::string>> load_progress(PartitionRef) const override { return unused(); }
  Result<std::vector<StoredBlock>> load_inbox(PartitionRef) const override { return unused(); }
  Result<std::vector<StoredBlock>> load_blocks(PartitionRef, BlockSequence, BlockSequence,
                                               size_t) const override {
    return unused();
  }
  Result<std::optional<BlockSequence>> last_block(PartitionRef) const override { return unused(); }
  Result<void> scan_dead_letters(
      OwnerNumber, const std::function<bool(PartitionIndex, DeadLetterNumber, std::string_view)>&)
      const override {
    return unused();
  }
  Result<void> sync() override { return unused(); }

 private:
  static Error unused() { return {.code = ErrorCode::kInternal, .message = "not faked"}; }

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool corked_ = false;
  bool waiting_ = false;
  std::optional<Error> next_failure_;
  std::vector<Group> groups_;
  size_t calls_ = 0;
};

}  // namespace retinue::worker
