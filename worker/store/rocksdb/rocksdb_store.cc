#include "worker/store/rocksdb/rocksdb_store.h"

#include <fmt/format.h>
#include <rocksdb/write_batch.h>

#include <algorithm>
#include <limits>
#include <mutex>
#include <utility>

#include "protocol/base/check.h"
#include "worker/store/rocksdb/data_directory.h"
#include "worker/store/rocksdb/database.h"
#include "worker/store/rocksdb/key_layout.h"
#include "worker/store/rocksdb/rocksdb_status.h"

namespace retinue::worker {
namespace {

rocksdb::Slice slice(std::string_view bytes) {
  return {bytes.data(), bytes.size()};
}

std::string_view view(const rocksdb::Slice& bytes) {
  return {bytes.data(), bytes.size()};
}

}  // namespace

struct RocksDbStore::Impl {
  Impl(DataDirectory directory_in, std::unique_ptr<Database> database_in, bool read_only_in)
      : directory(std::move(directory_in)),
        database(std::move(database_in)),
        read_only(read_only_in) {}

  void add(const EpochCommit& commit);
  // Writes `batch`. Precondition: write_mutex is held.
  Result<void> write(rocksdb::WriteBatch& batch, bool sync);
  // Precondition: write_mutex is held.
  Result<void> check_writable() const;
  Result<void> fail(const rocksdb::Status& status);
  // The value of a key of the default family.
  Result<std::optional<std::string>> get(std::string_view key) const;
  Error read_error(const rocksdb::Status& status) const {
    return rocksdb_error(status, "read", directory.path());
  }
  Error corrupted(std::string_view what) const {
    return rocksdb_error(rocksdb::Status::Corruption(slice(what)), "read", directory.path());
  }

  const DataDirectory directory;
  const std::unique_ptr<Database> database;
  const bool read_only;

  std::mutex write_mutex;
  Result<void> failure;  // of the first write that failed
  rocksdb::WriteBatch batch;
  std::string key;
};

void RocksDbStore::Impl::add(const EpochCommit& commit) {
  RETINUE_CHECK(commit.consumed_begin <= commit.consumed_end);
  // The statuses below can only be of a batch with a limit on its size.
  for (size_t i = 0; i < commit.states.size(); ++i) {
    const StateChanges::Row row = commit.states.row(i);
    if (row.cleared) {
      batch.Delete(database->states(), slice(row.key)).PermitUncheckedError();
    } else {
      batch.Put(database->states(), slice(row.key), slice(row.value)).PermitUncheckedError();
    }
  }
  for (const InboxAppend& append : commit.appends) {
    key.clear();
    key_layout::append_block_key(key, append.inbox, append.sequence);
    batch.Put(database->messages(), key, append.block).PermitUncheckedError();
  }
  for (BlockSequence at = commit.consumed_begin; at < commit.consumed_end; at = at.next()) {
    key.clear();
    key_layout::append_block_key(key, commit.partition, at);
    // A block is written once in its life, so one deletion meets one block and both vanish.
    batch.SingleDelete(database->messages(), key).PermitUncheckedError();
  }
  for (const StoredDeadLetter& letter : commit.dead_letters) {
    batch
        .Put(database->dead_letters(), key_layout::dead_letter_key(commit.partition, letter.number),
             letter.record)
        .PermitUncheckedError();
  }
  for (const DeadLetterNumber number : commit.settled_dead_letters) {
    batch.Delete(database->dead_letters(), key_layout::dead_letter_key(commit.partition, number))
        .PermitUncheckedError();
  }
  batch.Put(database->records(), key_layout::progress_key(commit.partition), commit.progress)
      .PermitUncheckedError();
}

Result<void> RocksDbStore::Impl::check_writable() const {
  if (read_only) {
    return Error{.code = ErrorCode::kNotSupported,
                 .message = fmt::format("{} is open for reading only", directory.path().string())};
  }
  return failure;
}

Result<void> RocksDbStore::Impl::write(rocksdb::WriteBatch& to_write, bool sync) {
  rocksdb::WriteOptions options;
  options.sync = sync;
  return fail(database->db().Write(options, &to_write));
}

Result<void> RocksDbStore::Impl::fail(const rocksdb::Status& status) {
  if (!status.ok()) {
    failure = rocksdb_error(status, "write to", directory.path());
  }
  return failure;
}

Result<std::optional<std::string>> RocksDbStore::Impl::get(std::string_view record) const {
  std::string value;
  const rocksdb::Status status = database->db().Get({}, database->records(), slice(record), &value);
  if (status.IsNotFound()) {
    return std::optional<std::string>();
  }
  if (!status.ok()) {
    return read_error(status);
  }
  return std::optional<std::string>(std::move(value));
}

RocksDbStore::RocksDbStore(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
RocksDbStore::~RocksDbStore() = default;

Result<std::unique_ptr<RocksDbStore>> RocksDbStore::open(const OpenOptions& options) {
  RETINUE_ASSIGN(DataDirectory directory, options.read_only
                                              ? DataDirectory::open_for_reading(options.directory)
                                              : DataDirectory::open_for_writing(options.directory));
  RETINUE_ASSIGN(auto database, Database::open({.path = directory.database(),
                                                .read_only = options.read_only,
                                                .unsynced_log = options.unsynced_log,
                                                .block_cache_bytes = options.block_cache_bytes}));
  auto impl = std::make_unique<Impl>(std::move(directory), std::move(database), options.read_only);
  return std::unique_ptr<RocksDbStore>(new RocksDbStore(std::move(impl)));
}

Result<uint32_t> RocksDbStore::intern(NameKind kind, std::string_view name) {
  const std::lock_guard lock(impl_->write_mutex);
  RETINUE_ASSIGN(const std::optional<uint32_t> known, find_name(kind, name));
  if (known) {
    return *known;
  }
  RETINUE_TRY(impl_->check_writable());
  RETINUE_ASSIGN(const std::optional<std::string> next, impl_->get(key_layout::next_number_key()));
  const std::optional<uint32_t> number = next ? key_layout::parse_number_value(*next) : 1;
  if (!number) {
    return impl_->corrupted("the next name's number is malformed");
  }
  rocksdb::WriteBatch batch;
  batch
      .Put(impl_->database->records(), key_layout::name_key(kind, name),
           key_layout::number_value(*number))
      .PermitUncheckedError();
  batch
      .Put(impl_->database->records(), key_layout::next_number_key(),
           key_layout::number_value(*number + 1))
      .PermitUncheckedError();
  RETINUE_TRY(impl_->write(batch, true));
  return *number;
}

Result<std::optional<uint32_t>> RocksDbStore::find_name(NameKind kind,
                                                        std::string_view name) const {
  RETINUE_ASSIGN(const std::optional<std::string> value,
                 impl_->get(key_layout::name_key(kind, name)));
  if (!value) {
    return std::optional<uint32_t>();
  }
  const std::optional<uint32_t> number = key_layout::parse_number_value(*value);
  if (!number) {
    return impl_->corrupted(fmt::format("the number of name {} is malformed", name));
  }
  return number;
}

Result<std::optional<std::string>> RocksDbStore::load_record(std::string_view name) const {
  return impl_->get(key_layout::record_key(name));
}

Result<void> RocksDbStore::save_record(std::string_view name, std::string_view value) {
  const std::lock_guard lock(impl_->write_mutex);
  RETINUE_TRY(impl_->check_writable());
  rocksdb::WriteBatch batch;
  batch.Put(impl_->database->records(), key_layout::record_key(name), slice(value))
      .PermitUncheckedError();
  return impl_->write(batch, true);
}

Result<void> RocksDbStore::load_states(std::span<const std::string_view> keys,
                                       std::vector<std::optional<std::string>>& values) const {
  values.resize(keys.size());
  std::vector<rocksdb::Slice> slices;
  std::vector<rocksdb::PinnableSlice> found;
  std::vector<rocksdb::Status> statuses(keys.size());
  slices.reserve(keys.size());
  found.reserve(keys.size());
  for (size_t i = 0; i < keys.size(); ++i) {
    slices.push_back(slice(keys[i]));
    // RocksDB fills the value in place unless it can lend the bytes of a cached block.
    found.emplace_back(&values[i].emplace());
  }
  impl_->database->db().MultiGet({}, impl_->database->states(), keys.size(), slices.data(),
                                 found.data(), statuses.data());
  for (size_t i = 0; i < keys.size(); ++i) {
    if (statuses[i].IsNotFound()) {
      values[i].reset();
    } else if (!statuses[i].ok()) {
      return impl_->read_error(statuses[i]);
    } else if (found[i].IsPinned()) {
      values[i]->assign(found[i].data(), found[i].size());
    }
  }
  return {};
}

Result<void> RocksDbStore::scan_states(OwnerNumber owner, std::string_view from,
                                       const std::function<bool(const StateRow&)>& visit) const {
  const std::string begin = key_layout::states_begin(owner);
  const std::string end = key_layout::states_end(owner);
  const rocksdb::Slice upper_bound(end);
  rocksdb::ReadOptions options;
  if (!end.empty()) {
    options.iterate_upper_bound = &upper_bound;
  }
  const std::unique_ptr<rocksdb::Iterator> rows(
      impl_->database->db().NewIterator(options, impl_->database->states()));
  for (rows->Seek(slice(std::max<std::string_view>(from, begin))); rows->Valid(); rows->Next()) {
    std::optional<StateRow> row = key_layout::parse_state_row_key(view(rows->key()));
    if (!row) {
      return impl_->corrupted("a state row's key is malformed");
    }
    row->value = view(rows->value());
    if (!visit(*row)) {
      return {};
    }
  }
  if (!rows->status().ok()) {
    return impl_->read_error(rows->status());
  }
  return {};
}

Result<std::optional<std::string>> RocksDbStore::load_progress(PartitionRef partition) const {
  return impl_->get(key_layout::progress_key(partition));
}

Result<std::vector<StoredBlock>> RocksDbStore::load_inbox(PartitionRef inbox) const {
  return load_blocks(inbox, BlockSequence(0), BlockSequence(~uint64_t{0}),
                     std::numeric_limits<size_t>::max());
}

Result<std::vector<StoredBlock>> RocksDbStore::load_blocks(PartitionRef inbox, BlockSequence begin,
                                                           BlockSequence end,
                                                           size_t bytes_limit) const {
  std::string first;
  std::string last;
  key_layout::append_block_key(first, inbox, begin);
  key_layout::append_block_key(last, inbox, end);
  const rocksdb::Slice upper_bound(last);
  rocksdb::ReadOptions options;
  options.iterate_upper_bound = &upper_bound;
  std::vector<StoredBlock> blocks;
  size_t bytes = 0;
  const std::unique_ptr<rocksdb::Iterator> rows(
      impl_->database->db().NewIterator(options, impl_->database->messages()));
  for (rows->Seek(first); rows->Valid() && (blocks.empty() || bytes < bytes_limit); rows->Next()) {
    const std::optional<BlockSequence> sequence = key_layout::parse_block_key(view(rows->key()));
    if (!sequence) {
      return impl_->corrupted("an inbox block's key is malformed");
    }
    blocks.push_back({.sequence = *sequence, .block = rows->value().ToString()});
    bytes += blocks.back().block.size();
  }
  if (!rows->status().ok()) {
    return impl_->read_error(rows->status());
  }
  return blocks;
}

Result<std::optional<BlockSequence>> RocksDbStore::last_block(PartitionRef inbox) const {
  std::string first;
  std::string last;
  key_layout::append_block_key(first, inbox, BlockSequence(0));
  key_layout::append_block_key(last, inbox, BlockSequence(~uint64_t{0}));
  const std::unique_ptr<rocksdb::Iterator> rows(
      impl_->database->db().NewIterator({}, impl_->database->messages()));
  rows->SeekForPrev(last);
  if (!rows->status().ok()) {
    return impl_->read_error(rows->status());
  }
  if (!rows->Valid() || rows->key().compare(first) < 0) {
    return std::optional<BlockSequence>();
  }
  const std::optional<BlockSequence> sequence = key_layout::parse_block_key(view(rows->key()));
  if (!sequence) {
    return impl_->corrupted("an inbox block's key is malformed");
  }
  return sequence;
}

Result<void> RocksDbStore::scan_dead_letters(
    OwnerNumber owner,
    const std::function<bool(PartitionIndex, DeadLetterNumber, std::string_view record)>& visit)
    const {
  if (impl_->database->dead_letters() == nullptr) {
    return {};
  }
  const std::string begin = key_layout::number_value(owner.value());
  const std::unique_ptr<rocksdb::Iterator> rows(
      impl_->database->db().NewIterator({}, impl_->database->dead_letters()));
  for (rows->Seek(begin); rows->Valid(); rows->Next()) {
    const auto key = key_layout::parse_dead_letter_key(view(rows->key()));
    if (!key) {
      return impl_->corrupted("a dead letter's key is malformed");
    }
    if (key->partition.owner != owner ||
        !visit(key->partition.partition, key->number, view(rows->value()))) {
      return {};
    }
  }
  if (!rows->status().ok()) {
    return impl_->read_error(rows->status());
  }
  return {};
}

Result<void> RocksDbStore::commit(std::span<const EpochCommit* const> commits, bool sync) {
  const std::lock_guard lock(impl_->write_mutex);
  RETINUE_TRY(impl_->check_writable());
  impl_->batch.Clear();
  for (const EpochCommit* commit : commits) {
    impl_->add(*commit);
  }
  return impl_->write(impl_->batch, sync);
}

Result<void> RocksDbStore::sync() {
  const std::lock_guard lock(impl_->write_mutex);
  RETINUE_TRY(impl_->check_writable());
  return impl_->fail(impl_->database->db().SyncWAL());
}

}  // namespace retinue::worker
