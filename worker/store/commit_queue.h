// CommitQueue: hands epoch commits to the store on a thread of its own, in order, many to one sync.
//
// Threads: the owner's; `wake` is called from the queue's thread whenever something is done.
// Owns: the thread. Borrows: the store.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>
#include <vector>

#include "protocol/base/result.h"
#include "worker/store/store.h"

namespace retinue::worker {

enum class Durability : uint8_t {
  kGroup,  // whatever waits is written together and shares one sync
  kEach,   // one sync an epoch
  kOs,     // the operating system syncs when it likes; still exactly once, for the log is one
};
std::optional<Durability> durability_from_name(std::string_view name);  // "group", "each", "os"
std::string_view durability_name(Durability durability);

// The way from the engine to the store; a test stores without a thread.
// Threads: the owner's.
class Commits {
 public:
  struct Done {
    std::unique_ptr<EpochCommit> commit;
    Result<void> result;
  };

  virtual ~Commits() = default;

  virtual void submit(std::unique_ptr<EpochCommit> commit) = 0;
  // Moves the finished commits, in the order submitted, to the end of `done`. After the first
  // failure every later commit fails too, unwritten, with the same error: what is stored stays a
  // prefix.
  virtual void take_done(std::vector<Done>& done) = 0;
  // Busy nanoseconds in the store, for the stage costs.
  virtual uint64_t store_time_ns() const = 0;
};

class CommitQueue final : public Commits {
 public:
  CommitQueue(Store& store, Durability durability, std::function<void()> wake);
  // Finishes what was submitted, then joins the thread.
  ~CommitQueue() override;
  CommitQueue(const CommitQueue&) = delete;
  CommitQueue& operator=(const CommitQueue&) = delete;

  void submit(std::unique_ptr<EpochCommit> commit) override;
  void take_done(std::vector<Done>& done) override;
  // Commits that were submitted and not yet taken.
  size_t in_flight() const;
  uint64_t store_time_ns() const override;

 private:
  using Group = std::vector<std::unique_ptr<EpochCommit>>;

  void run();
  // What the next write takes of pending_. Precondition: the mutex is held, something is pending.
  Group take_group();
  Result<void> write(const Group& group);

  Store& store_;
  const Durability durability_;
  const std::function<void()> wake_;
  mutable std::mutex mutex_;
  std::condition_variable work_;
  std::deque<std::unique_ptr<EpochCommit>> pending_;
  std::deque<Done> done_;
  size_t in_flight_ = 0;
  uint64_t store_time_ns_ = 0;
  bool stopping_ = false;
  Result<void> failure_;  // of the first commit that failed; the queue's thread only
  std::thread thread_;
};

}  // namespace retinue::worker
