#include "tests/bench/end_to_end/in_process.h"

#include <sys/resource.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <vector>

#include "protocol/yson/parser.h"
#include "protocol/yson/writer.h"
#include "worker/engine/progress.h"
#include "worker/engine/topology.h"
#include "worker/epoch/assemble.h"
#include "worker/epoch/scatter.h"
#include "worker/source/make_source.h"
#include "worker/source/source_feed.h"
#include "worker/spec/spec_loader.h"
#include "worker/state/state_value.h"
#include "worker/store/commit_queue.h"
#include "worker/store/rocksdb/rocksdb_store.h"

namespace retinue::bench {
namespace {

using namespace retinue::worker;

template <typename T>
T must(Result<T> result) {
  if (!result) {
    throw std::runtime_error(result.error().to_string());
  }
  if constexpr (!std::is_void_v<T>) {
    return std::move(result).value();
  }
}

// Lets the loop sleep until a thread has something for it.
class Bell {
 public:
  void ring() {
    const std::lock_guard lock(mutex_);
    rang_ = true;
    changed_.notify_one();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return rang_; });
    rang_ = false;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool rang_ = false;
};

struct CountPartition {
  CountPartition(const ComputationPlan& plan, const Store& store, size_t cache_bytes)
      : cache(plan.states.size(), cache_bytes), assembler(plan, cache, store) {}

  Inbox inbox{limits::kInboxBytesDefault};
  StateCache cache;
  BatchAssembler assembler;
  Progress progress;
  std::deque<BatchStamp> committing;
};

class InProcessJob {
 public:
  InProcessJob(const PipelineSpec& spec, const std::filesystem::path& data_dir)
      : store_(must(RocksDbStore::open({.directory = data_dir.string()}))),
        topology_(must(resolve_topology(spec, *store_))),
        source_(*topology_.computations[0]),
        count_(*topology_.computations[1]),
        commits_(*store_, Durability::kGroup, [this] { bell_.ring(); }),
        feed_(
            must(make_source(*spec.computations.at(source_.id).source, source_.outputs[0].schema)),
            "", {}, [this] { bell_.ring(); }) {
    for (uint32_t i = 0; i < count_.partition_count; ++i) {
      partitions_.push_back(std::make_unique<CountPartition>(
          count_, *store_, spec.dynamic_spec.state_cache_bytes_limit / count_.partition_count));
    }
  }

  uint64_t run() {
    while (!is_done()) {
      take_commits();
      const bool did_read = read();
      bool did_count = false;
      for (uint32_t i = 0; i < partitions_.size(); ++i) {
        did_count |= count(PartitionIndex(i));
      }
      if (!did_read && !did_count && !is_done()) {
        bell_.wait();
      }
    }
    return messages_;
  }

 private:
  bool is_done() const {
    if (!source_ended_ || commits_.in_flight() > 0) {
      return false;
    }
    for (const auto& partition : partitions_) {
      if (!partition->inbox.is_empty() || !partition->committing.empty()) {
        return false;
      }
    }
    return true;
  }

  void take_commits() {
    std::vector<CommitQueue::Done> done;
    commits_.take_done(done);
    for (CommitQueue::Done& one : done) {
      must(std::move(one.result));
      for (InboxAppend& append : one.commit->appends) {
        partitions_[append.inbox.partition.value()]->inbox.push(
            append.sequence, must(MessageBlock::open(std::move(append.block))));
      }
      if (one.commit->partition.owner == count_.owner) {
        CountPartition& partition = *partitions_[one.commit->partition.partition.value()];
        partition.cache.end_batch(partition.committing.front());
        partition.committing.pop_front();
        partition.cache.evict();
      }
    }
  }

  bool read() {
    for (const auto& partition : partitions_) {
      if (partition->inbox.is_full()) {
        return false;
      }
    }
    auto taken = feed_.take();
    if (!taken) {
      return false;
    }
    std::unique_ptr<SourceChunk> chunk = must(std::move(*taken));
    source_ended_ = chunk->is_last;
    auto commit = std::make_unique<EpochCommit>();
    source_progress_.epoch = source_progress_.epoch.next();
    source_progress_.source_position = chunk->position;
    commit->partition = {source_.owner, PartitionIndex(0)};
    commit->epoch = source_progress_.epoch;
    commit->progress = encode_progress(source_progress_);
    scatter_.begin({.owner = source_.owner,
                    .partition = PartitionIndex(0),
                    .epoch = commit->epoch,
                    .now = clock_.now()});
    scatter_.scatter(source_.outputs[0], chunk->rows.view(), {}, commit->appends);
    for (InboxAppend& append : commit->appends) {
      append.sequence =
          partitions_[append.inbox.partition.value()]->inbox.announce(append.block.size());
    }
    commits_.submit(std::move(commit));
    feed_.recycle(std::move(chunk));
    return true;
  }

  bool count(PartitionIndex index) {
    CountPartition& partition = *partitions_[index.value()];
    if (partition.inbox.rows_ready() == 0 || partition.committing.size() >= 4) {
      return false;
    }
    std::vector<InboxRun> runs;
    partition.inbox.take(count_.limits.max_rows_per_batch, count_.limits.max_bytes_per_batch, runs);
    std::unique_ptr<Batch> batch = must(partition.assembler.assemble(runs));
    must(partition.assembler.preload(*batch));
    auto commit = std::make_unique<EpochCommit>();
    count_in_place(*batch, partition.cache, commit->states);
    partition.progress.epoch = partition.progress.epoch.next();
    commit->partition = {count_.owner, index};
    commit->epoch = partition.progress.epoch;
    commit->state_owner = count_.owner;
    commit->consumed_begin = partition.progress.inbox.block;
    partition.progress.inbox = runs.back().end_position();
    commit->consumed_end = partition.progress.inbox.block;
    commit->progress = encode_progress(partition.progress);
    messages_ += batch->row_count;
    partition.committing.push_back(batch->stamp);
    commits_.submit(std::move(commit));
    partition.assembler.recycle(std::move(batch));
    return true;
  }

  // What the companion's function does, state codec and all.
  void count_in_place(const Batch& batch, StateCache& cache, StateChanges& changes) {
    std::vector<int64_t> added(batch.keys.size());
    for (const uint32_t key : batch.key_indexes) {
      ++added[key];
    }
    for (size_t i = 0; i < batch.keys.size(); ++i) {
      KeyEntry& entry = *batch.keys[i];
      const StateSlot& slot = entry.states()[0];
      int64_t total = added[i];
      if (slot.presence == StateSlot::Presence::kPresent) {
        total += must(yson::parse(slot.value)).find("count")->as_int64();
      }
      value_.clear();
      yson::Writer writer(value_);
      writer.begin_map();
      writer.key("count");
      writer.int64(total);
      writer.end_map();
      cache.set(entry, 0, value_);
      append_state_row_key(changes.begin_key(), count_.owner, entry.key(), count_.states[0].number);
      changes.set_with_prefix(kStoredPlain, value_);
    }
    changes.sort();
  }

  SystemClock clock_;
  Bell bell_;
  std::unique_ptr<RocksDbStore> store_;
  Topology topology_;
  const ComputationPlan& source_;
  const ComputationPlan& count_;
  std::vector<std::unique_ptr<CountPartition>> partitions_;
  OutputScatter scatter_;
  Progress source_progress_;
  CommitQueue commits_;
  SourceFeed feed_;
  std::string value_;  // scratch
  bool source_ended_ = false;
  uint64_t messages_ = 0;
};

}  // namespace

Measurement run_in_process(const std::string& spec, const std::filesystem::path& data_dir) {
  const PipelineSpec loaded = must(load_spec_text(spec, SpecFormat::kJson, data_dir));
  const auto begin = std::chrono::steady_clock::now();
  InProcessJob job(loaded, data_dir);
  Measurement measurement{.name = "one process, no companion"};
  measurement.messages = job.run();
  measurement.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return measurement;
}

}  // namespace retinue::bench
