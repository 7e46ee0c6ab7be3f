// Store: where states, inboxes and progress last. One data directory, one writer.
//
// An EpochCommit is all that one epoch changes; a store applies it whole or not at all, and applies
// commits in the order given, so what survives a crash is always a prefix of them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/base/ids.h"
#include "protocol/base/result.h"
#include "worker/store/state_changes.h"

namespace retinue::worker {

// Numbers that stand for names in stored keys; given out once and kept for ever.
using OwnerNumber = StrongNumber<struct OwnerNumberTag, uint32_t>;  // a computation or a sink
using StateNumber = StrongNumber<struct StateNumberTag, uint32_t>;  // one state of one computation
// A dead letter's place among those of its partition, in the order of time.
using DeadLetterNumber = StrongNumber<struct DeadLetterNumberTag, uint64_t>;
// A block's place in its inbox; the first is 1.
using BlockSequence = StrongNumber<struct BlockSequenceTag, uint64_t>;

// One partition of a computation or a sink: it has an inbox and a progress record.
struct PartitionRef {
  OwnerNumber owner;
  PartitionIndex partition;

  friend auto operator<=>(const PartitionRef&, const PartitionRef&) = default;
};

struct InboxAppend {
  PartitionRef inbox;
  BlockSequence sequence;
  std::string block;  // an encoded message block (worker/stream/message_block.h)
};

struct StoredDeadLetter {
  DeadLetterNumber number;
  std::string record;  // an encoded dead letter (worker/engine/dead_letter.h)
};

struct EpochCommit {
  PartitionRef partition;
  Epoch epoch;
  OwnerNumber state_owner;  // whose states `states` are: partition.owner
  StateChanges states;
  std::vector<InboxAppend> appends;
  // Blocks [consumed_begin, consumed_end) of the partition's own inbox are done with.
  BlockSequence consumed_begin;
  BlockSequence consumed_end;
  // Of the partition: those that come, and those that go.
  std::vector<StoredDeadLetter> dead_letters;
  std::vector<DeadLetterNumber> settled_dead_letters;
  std::string progress;  // replaces the partition's progress record

  // Empties it, keeping its buffers.
  void clear();
};

struct StoredBlock {
  BlockSequence sequence;
  std::string block;
};

enum class NameKind : uint8_t { kComputation = 1, kSink = 2, kState = 3 };

// One state of one key, as a scan or a look-up gives it.
struct StateRow {
  KeyHash hash;
  std::string_view key;  // encoded key columns, without the hash
  StateNumber state;
  std::string_view value;
};

// Threads: reads from any thread; commit and sync from one at a time.
// Errors of every call: kIoError, kOutOfSpace, kDataCorrupted.
class Store {
 public:
  virtual ~Store() = default;

  // --- names and small records of the pipeline
  // The number of a name, given out if new. State names are "<computation>/<state>".
  virtual Result<uint32_t> intern(NameKind kind, std::string_view name) = 0;
  virtual Result<std::optional<uint32_t>> find_name(NameKind kind, std::string_view name) const = 0;
  virtual Result<std::optional<std::string>> load_record(std::string_view name) const = 0;
  virtual Result<void> save_record(std::string_view name, std::string_view value) = 0;

  // --- states
  // Looks up many at once. `keys` are state row keys (state_row_key); values[i] answers keys[i].
  virtual Result<void> load_states(std::span<const std::string_view> keys,
                                   std::vector<std::optional<std::string>>& values) const = 0;
  // Calls `visit` for the rows of one computation in key order, beginning at the first row whose
  // row key is >= `from` (empty: the computation's first), until it returns false.
  virtual Result<void> scan_states(OwnerNumber owner, std::string_view from,
                                   const std::function<bool(const StateRow&)>& visit) const = 0;

  // --- partitions
  virtual Result<std::optional<std::string>> load_progress(PartitionRef partition) const = 0;
  // Every block of an inbox, in order.
  virtual Result<std::vector<StoredBlock>> load_inbox(PartitionRef inbox) const = 0;
  // The blocks of [begin, end) that are there, in order, until they have `bytes_limit` bytes; at
  // least one if there is any.
  virtual Result<std::vector<StoredBlock>> load_blocks(PartitionRef inbox, BlockSequence begin,
                                                       BlockSequence end,
                                                       size_t bytes_limit) const = 0;
  // The last block of an inbox; nullopt: it is empty.
  virtual Result<std::optional<BlockSequence>> last_block(PartitionRef inbox) const = 0;
  // Calls `visit` for the dead letters of a computation, by partition and number, until it returns
  // false.
  virtual Result<void> scan_dead_letters(
      OwnerNumber owner,
      const std::function<bool(PartitionIndex, DeadLetterNumber, std::string_view record)>& visit)
      const = 0;

  // Applies the commits atomically, in order. With `sync` they are on disk when it returns.
  virtual Result<void> commit(std::span<const EpochCommit* const> commits, bool sync) = 0;
  // Puts every earlier commit on disk.
  virtual Result<void> sync() = 0;
};

// owner (4 bytes, big-endian) · key hash (8, big-endian) · encoded key columns · state (4,
// big-endian). All states of a key lie together, and a range of hashes is one range of rows.
void append_state_row_key(std::string& out, OwnerNumber owner, std::string_view hash_and_key,
                          StateNumber state);

}  // namespace retinue::worker
