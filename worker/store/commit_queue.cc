#include "worker/store/commit_queue.h"

#include <pthread.h>

#include <chrono>
#include <utility>

namespace retinue::worker {
namespace {

// Bounds of what shares one sync: beyond them a group gains nothing and its write grows without
// need.
constexpr size_t kGroupEpochsLimit = 64;
constexpr size_t kGroupBytesLimit = size_t{32} << 20;

size_t byte_size(const EpochCommit& commit) {
  size_t bytes = commit.states.byte_size() + commit.progress.size();
  for (const InboxAppend& append : commit.appends) {
    bytes += append.block.size();
  }
  for (const StoredDeadLetter& letter : commit.dead_letters) {
    bytes += letter.record.size();
  }
  return bytes;
}

}  // namespace

std::optional<Durability> durability_from_name(std::string_view name) {
  for (const auto durability : {Durability::kGroup, Durability::kEach, Durability::kOs}) {
    if (name == durability_name(durability)) {
      return durability;
    }
  }
  return std::nullopt;
}

std::string_view durability_name(Durability durability) {
  switch (durability) {
    case Durability::kGroup: return "group";
    case Durability::kEach: return "each";
    case Durability::kOs: return "os";
  }
  return "unknown";
}

CommitQueue::CommitQueue(Store& store, Durability durability, std::function<void()> wake)
    : store_(store), durability_(durability), wake_(std::move(wake)), thread_([this] { run(); }) {}

CommitQueue::~CommitQueue() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  work_.notify_one();
  thread_.join();
}

void CommitQueue::submit(std::unique_ptr<EpochCommit> commit) {
  {
    const std::lock_guard lock(mutex_);
    pending_.push_back(std::move(commit));
    ++in_flight_;
  }
  work_.notify_one();
}

void CommitQueue::take_done(std::vector<Done>& done) {
  const std::lock_guard lock(mutex_);
  in_flight_ -= done_.size();
  for (Done& each : done_) {
    done.push_back(std::move(each));
  }
  done_.clear();
}

size_t CommitQueue::in_flight() const {
  const std::lock_guard lock(mutex_);
  return in_flight_;
}

uint64_t CommitQueue::store_time_ns() const {
  const std::lock_guard lock(mutex_);
  return store_time_ns_;
}

void CommitQueue::run() {
  pthread_setname_np(pthread_self(), "commit");
  std::unique_lock lock(mutex_);
  while (true) {
    work_.wait(lock, [this] { return stopping_ || !pending_.empty(); });
    if (pending_.empty()) {
      return;
    }
    Group group = take_group();
    lock.unlock();
    const auto begin = std::chrono::steady_clock::now();
    if (failure_.ok()) {
      failure_ = write(group);
    }
    const std::chrono::nanoseconds busy = std::chrono::steady_clock::now() - begin;
    lock.lock();
    store_time_ns_ += static_cast<uint64_t>(busy.count());
    for (auto& commit : group) {
      done_.push_back({.commit = std::move(commit), .result = failure_});
    }
    lock.unlock();
    wake_();
    lock.lock();
  }
}

CommitQueue::Group CommitQueue::take_group() {
  Group group;
  size_t bytes = 0;
  const size_t epochs_limit = durability_ == Durability::kEach ? 1 : kGroupEpochsLimit;
  do {
    bytes += byte_size(*pending_.front());
    group.push_back(std::move(pending_.front()));
    pending_.pop_front();
  } while (!pending_.empty() && group.size() < epochs_limit && bytes < kGroupBytesLimit);
  return group;
}

Result<void> CommitQueue::write(const Group& group) {
  std::vector<const EpochCommit*> commits;
  commits.reserve(group.size());
  for (const auto& commit : group) {
    commits.push_back(commit.get());
  }
  return store_.commit(commits, durability_ != Durability::kOs);
}

}  // namespace retinue::worker
