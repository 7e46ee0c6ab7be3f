#include "worker/store/commit_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>
#include <numeric>

#include "tests/unit/worker/store/fake_store.h"

namespace retinue::worker {
namespace {

using testing::ElementsAre;
using Group = FakeStore::Group;

std::unique_ptr<EpochCommit> make_commit(uint64_t epoch) {
  auto commit = std::make_unique<EpochCommit>();
  commit->epoch = Epoch(epoch);
  return commit;
}

std::vector<uint64_t> epochs_between(uint64_t first, uint64_t last) {
  std::vector<uint64_t> epochs(last - first + 1);
  std::iota(epochs.begin(), epochs.end(), first);
  return epochs;
}

// The queue's owner, as an event loop would be one.
class Owner {
 public:
  Owner(Store& store, Durability durability) : queue_(store, durability, [this] { wake(); }) {}

  void submit(uint64_t first, uint64_t last) {
    for (uint64_t epoch = first; epoch <= last; ++epoch) {
      queue_.submit(make_commit(epoch));
    }
  }
  // Takes what is done until nothing is in flight.
  std::vector<CommitQueue::Done> take_all() {
    std::vector<CommitQueue::Done> done;
    while (true) {
      queue_.take_done(done);
      if (queue_.in_flight() == 0) {
        return done;
      }
      std::unique_lock lock(mutex_);
      woken_.wait(lock, [this] { return wakes_ > 0; });
      wakes_ = 0;
    }
  }
  CommitQueue& queue() { return queue_; }

 private:
  void wake() {
    const std::lock_guard lock(mutex_);
    ++wakes_;
    woken_.notify_one();
  }

  std::mutex mutex_;
  std::condition_variable woken_;
  int wakes_ = 0;
  CommitQueue queue_;
};

std::vector<uint64_t> epochs_of(const std::vector<CommitQueue::Done>& done) {
  std::vector<uint64_t> epochs;
  for (const auto& each : done) {
    epochs.push_back(each.commit->epoch.value());
  }
  return epochs;
}

TEST(DurabilityTest, NamesReadBack) {
  for (const auto durability : {Durability::kGroup, Durability::kEach, Durability::kOs}) {
    EXPECT_EQ(durability_from_name(durability_name(durability)), durability);
  }
  EXPECT_EQ(durability_name(Durability::kGroup), "group");
  EXPECT_EQ(durability_from_name("Group"), std::nullopt);
  EXPECT_EQ(durability_from_name(""), std::nullopt);
}

TEST(CommitQueueTest, GroupWritesWhatWaitsTogetherAndSyncsOnce) {
  FakeStore store;
  store.cork();
  Owner owner(store, Durability::kGroup);
  owner.submit(1, 1);
  store.wait_for_corked_commit();
  owner.submit(2, 10);
  EXPECT_EQ(owner.queue().in_flight(), 10u);
  store.uncork();

  const auto done = owner.take_all();

  EXPECT_EQ(epochs_of(done), epochs_between(1, 10));
  for (const auto& each : done) {
    EXPECT_TRUE(each.result.ok());
  }
  EXPECT_THAT(store.groups(), ElementsAre(Group{{1}, true}, Group{epochs_between(2, 10), true}));
}

TEST(CommitQueueTest, AGroupIsBoundedInEpochs) {
  FakeStore store;
  store.cork();
  Owner owner(store, Durability::kGroup);
  owner.submit(1, 1);
  store.wait_for_corked_commit();
  owner.submit(2, 70);
  store.uncork();

  owner.take_all();

  EXPECT_THAT(store.groups(), ElementsAre(Group{{1}, true}, Group{epochs_between(2, 65), true},
                                          Group{epochs_between(66, 70), true}));
}

TEST(CommitQueueTest, AGroupIsBoundedInBytes) {
  FakeStore store;
  store.cork();
  Owner owner(store, Durability::kGroup);
  owner.submit(1, 1);
  store.wait_for_corked_commit();
  for (uint64_t epoch = 2; epoch <= 4; ++epoch) {
    auto commit = make_commit(epoch);
    commit->appends.push_back({.inbox = {},
                               .sequence = BlockSequence(epoch),
                               .block = std::string(size_t{20} << 20, 'x')});
    owner.queue().submit(std::move(commit));
  }
  store.uncork();

  owner.take_all();

  EXPECT_THAT(store.groups(), ElementsAre(Group{{1}, true}, Group{{2, 3}, true}, Group{{4}, true}));
}

TEST(CommitQueueTest, EachSyncsEveryEpochAlone) {
  FakeStore store;
  store.cork();
  Owner owner(store, Durability::kEach);
  owner.submit(1, 3);
  store.uncork();

  EXPECT_EQ(epochs_of(owner.take_all()), epochs_between(1, 3));
  EXPECT_THAT(store.groups(), ElementsAre(Group{{1}, true}, Group{{2}, true}, Group{{3}, true}));
}

TEST(CommitQueueTest, OsNeverSyncs) {
  FakeStore store;
  store.cork();
  Owner owner(store, Durability::kOs);
  owner.submit(1, 1);
  store.wait_for_corked_commit();
  owner.submit(2, 3);
  store.uncork();

  owner.take_all();

  EXPECT_THAT(store.groups(), ElementsAre(Group{{1}, false}, Group{{2, 3}, false}));
}

TEST(CommitQueueTest, AfterAFailureNothingMoreIsWritten) {
  FakeStore store;
  Owner owner(store, Durability::kEach);
  owner.submit(1, 1);
  owner.take_all();
  store.cork();
  store.fail_next({.code = ErrorCode::kOutOfSpace, .message = "full"});
  owner.submit(2, 4);
  store.wait_for_corked_commit();
  store.uncork();

  auto done = owner.take_all();
  owner.submit(5, 5);
  for (auto& late : owner.take_all()) {
    done.push_back(std::move(late));
  }

  EXPECT_EQ(epochs_of(done), epochs_between(2, 5));
  for (const auto& each : done) {
    ASSERT_FALSE(each.result.ok());
    EXPECT_EQ(each.result.error().code, ErrorCode::kOutOfSpace);
    EXPECT_EQ(each.result.error().message, "full");
  }
  EXPECT_THAT(store.groups(), ElementsAre(Group{{1}, true}));
  EXPECT_EQ(store.calls(), 2u);
}

TEST(CommitQueueTest, AFailedGroupFailsWhole) {
  FakeStore store;
  store.cork();
  Owner owner(store, Durability::kGroup);
  owner.submit(1, 1);
  store.wait_for_corked_commit();
  owner.submit(2, 4);
  store.fail_next({.code = ErrorCode::kIoError, .message = "gone"});
  store.uncork();

  for (const auto& each : owner.take_all()) {
    EXPECT_FALSE(each.result.ok());
  }
  EXPECT_THAT(store.groups(), ElementsAre());
}

TEST(CommitQueueTest, DestructionFinishesWhatWasSubmitted) {
  FakeStore store;
  {
    Owner owner(store, Durability::kGroup);
    owner.submit(1, 200);
  }
  std::vector<uint64_t> stored;
  for (const Group& group : store.groups()) {
    stored.insert(stored.end(), group.epochs.begin(), group.epochs.end());
  }
  EXPECT_EQ(stored, epochs_between(1, 200));
}

TEST(CommitQueueTest, DestructionOfAnIdleQueueReturns) {
  FakeStore store;
  { Owner owner(store, Durability::kGroup); }
  EXPECT_EQ(store.calls(), 0u);
}

TEST(CommitQueueTest, CountsTheTimeInTheStore) {
  FakeStore store;
  Owner owner(store, Durability::kGroup);
  EXPECT_EQ(owner.queue().store_time_ns(), 0u);
  owner.submit(1, 1);
  owner.take_all();
  EXPECT_GT(owner.queue().store_time_ns(), 0u);
}

TEST(CommitQueueTest, TakeDoneAppends) {
  FakeStore store;
  Owner owner(store, Durability::kGroup);
  owner.submit(1, 1);
  auto done = owner.take_all();
  owner.queue().take_done(done);
  EXPECT_EQ(epochs_of(done), epochs_between(1, 1));
}

}  // namespace
}  // namespace retinue::worker
