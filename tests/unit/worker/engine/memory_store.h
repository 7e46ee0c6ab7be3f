// MemoryStore: a store in memory that checks what every store relies on: epochs and blocks without
// gaps, consumed blocks that are there.
//
// Threads: one.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "protocol/values/key_codec.h"
#include "worker/store/store.h"

namespace retinue::worker::testing {

class MemoryStore final : public Store {
 public:
  // --- verbs
  void fail_next_load(Error error) { next_load_failure_ = std::move(error); }
  void fail_next_commit(Error error) { next_commit_failure_ = std::move(error); }

  uint64_t commit_count() const { return commit_count_; }
  size_t load_count() const { return load_count_; }  // calls
  const std::vector<std::string>& loaded_keys() const { return loaded_keys_; }
  size_t dead_letter_count() const { return dead_letters_.size(); }
  size_t loaded_block_count() const { return loaded_block_count_; }  // by load_blocks
  size_t block_count() const {
    size_t count = 0;
    for (const auto& [ref, blocks] : inboxes_) {
      count += blocks.size();
    }
    return count;
  }
  const std::map<std::string, std::string>& states() const { return states_; }
  void put_state(std::string_view row_key, std::string_view stored) {
    states_[std::string(row_key)] = stored;
  }
  void put_progress(PartitionRef partition, std::string record) {
    progress_[partition] = std::move(record);
  }
  void put_record(const std::string& name, std::string value) { records_[name] = std::move(value); }

  // --- Store
  Result<uint32_t> intern(NameKind kind, std::string_view name) override {
    const auto next = static_cast<uint32_t>(names_.size() + 1);
    return names_.emplace(std::pair(kind, std::string(name)), next).first->second;
  }
  Result<std::optional<uint32_t>> find_name(NameKind kind, std::string_view name) const override {
    const auto found = names_.find({kind, std::string(name)});
    return found == names_.end() ? std::nullopt : std::optional(found->second);
  }
  Result<std::optional<std::string>> load_record(std::string_view name) const override {
    return lookup(records_, std::string(name));
  }
  Result<void> save_record(std::string_view name, std::string_view value) override {
    records_[std::string(name)] = value;
    return {};
  }
  Result<void> load_states(std::span<const std::string_view> keys,
                           std::vector<std::optional<std::string>>& values) const override {
    if (next_load_failure_) {
      return *std::exchange(next_load_failure_, std::nullopt);
    }
    ++load_count_;
    values.clear();
    for (const std::string_view key : keys) {
      loaded_keys_.emplace_back(key);
      values.push_back(lookup(states_, std::string(key)));
    }
    return {};
  }
  Result<void> scan_states(OwnerNumber owner, std::string_view from,
                           const std::function<bool(const StateRow&)>& visit) const override {
    std::string begin;
    append_big_endian(begin, owner.value());
    const std::string prefix = begin;
    for (auto at = states_.lower_bound(std::max(begin, std::string(from))); at != states_.end();
         ++at) {
      const std::string_view key = at->first;
      if (!key.starts_with(prefix) ||
          !visit({.hash = KeyHash(read_big_endian64(key.data() + 4)),
                  .key = key.substr(12, key.size() - 16),
                  .state = StateNumber(read_big_endian32(key.data() + key.size() - 4)),
                  .value = at->second})) {
        break;
      }
    }
    return {};
  }
  Result<std::optional<std::string>> load_progress(PartitionRef partition) const override {
    return lookup(progress_, partition);
  }
  Result<std::vector<StoredBlock>> load_inbox(PartitionRef inbox) const override {
    std::vector<StoredBlock> blocks;
    if (const auto found = inboxes_.find(inbox); found != inboxes_.end()) {
      for (const auto& [sequence, block] : found->second) {
        blocks.push_back({sequence, block});
      }
    }
    return blocks;
  }
  Result<std::vector<StoredBlock>> load_blocks(PartitionRef inbox, BlockSequence begin,
                                               BlockSequence end,
                                               size_t bytes_limit) const override {
    std::vector<StoredBlock> blocks;
    size_t bytes = 0;
    if (const auto found = inboxes_.find(inbox); found != inboxes_.end()) {
      for (auto at = found->second.lower_bound(begin);
           at != found->second.end() && at->first < end && (blocks.empty() || bytes < bytes_limit);
           ++at) {
        blocks.push_back({at->first, at->second});
        bytes += at->second.size();
      }
    }
    loaded_block_count_ += blocks.size();
    return blocks;
  }
  Result<std::optional<BlockSequence>> last_block(PartitionRef inbox) const override {
    const auto found = inboxes_.find(inbox);
    return found == inboxes_.end() || found->second.empty()
               ? std::nullopt
               : std::optional(found->second.rbegin()->first);
  }
  Result<void> scan_dead_letters(
      OwnerNumber owner,
      const std::function<bool(PartitionIndex, DeadLetterNumber, std::string_view record)>& visit)
      const override {
    const auto letters = dead_letters_;  // `visit` may commit
    for (const auto& [key, record] : letters) {
      if (key.first.owner == owner && !visit(key.first.partition, key.second, record)) {
        break;
      }
    }
    return {};
  }
  Result<void> commit(std::span<const EpochCommit* const> commits, bool) override {
    if (next_commit_failure_) {
      return *std::exchange(next_commit_failure_, std::nullopt);
    }
    for (const EpochCommit* one : commits) {
      apply(*one);
    }
    return {};
  }
  Result<void> sync() override { return {}; }

 private:
  template <typename Key>
  static std::optional<std::string> lookup(const std::map<Key, std::string>& map, const Key& key) {
    const auto found = map.find(key);
    return found == map.end() ? std::nullopt : std::optional(found->second);
  }

  void apply(const EpochCommit& commit) {
    ++commit_count_;
    uint64_t& epoch = epochs_[commit.partition];
    EXPECT_EQ(commit.epoch.value(), epoch + 1) << "an epoch is missing or doubled";
    epoch = commit.epoch.value();
    EXPECT_EQ(commit.state_owner, commit.partition.owner);
    progress_[commit.partition] = commit.progress;
    std::string last_key;
    for (size_t i = 0; i < commit.states.size(); ++i) {
      const StateChanges::Row row = commit.states.row(i);
      if (row.cleared) {
        EXPECT_EQ(states_.erase(std::string(row.key)), 1u) << "a clear of what is not there";
      } else {
        states_[std::string(row.key)] = row.value;
      }
    }
    auto& own = inboxes_[commit.partition];
    EXPECT_LE(commit.consumed_begin, commit.consumed_end);
    for (BlockSequence at = commit.consumed_begin; at < commit.consumed_end; at = at.next()) {
      EXPECT_EQ(own.erase(at), 1u) << "a consumed block that is not there";
    }
    if (!own.empty()) {
      EXPECT_GE(own.begin()->first, commit.consumed_end) << "a block was left behind";
    }
    for (const StoredDeadLetter& letter : commit.dead_letters) {
      EXPECT_TRUE(
          dead_letters_.emplace(std::pair(commit.partition, letter.number), letter.record).second)
          << "a dead letter is written over";
    }
    for (const DeadLetterNumber number : commit.settled_dead_letters) {
      EXPECT_EQ(dead_letters_.erase(std::pair(commit.partition, number)), 1u);
    }
    for (const InboxAppend& append : commit.appends) {
      uint64_t& last = last_blocks_[append.inbox];
      EXPECT_EQ(append.sequence.value(), last + 1) << "a gap in an inbox";
      last = append.sequence.value();
      inboxes_[append.inbox][append.sequence] = append.block;
    }
  }

  std::map<std::pair<NameKind, std::string>, uint32_t> names_;
  std::map<std::string, std::string> records_;
  std::map<std::string, std::string> states_;
  std::map<PartitionRef, std::string> progress_;
  std::map<PartitionRef, std::map<BlockSequence, std::string>> inboxes_;
  std::map<PartitionRef, uint64_t> epochs_;
  std::map<PartitionRef, uint64_t> last_blocks_;
  std::map<std::pair<PartitionRef, DeadLetterNumber>, std::string> dead_letters_;
  uint64_t commit_count_ = 0;
  mutable size_t loaded_block_count_ = 0;
  mutable size_t load_count_ = 0;
  mutable std::vector<std::string> loaded_keys_;
  mutable std::optional<Error> next_load_failure_;
  std::optional<Error> next_commit_failure_;
};

}  // namespace retinue::worker::testing
