#include "worker/epoch/assemble.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "protocol/values/farm_hash.h"
#include "protocol/values/key_codec.h"
#include "worker/state/state_value.h"

namespace retinue::worker {
namespace {

// How many keys are hashed, and their cache entries fetched, ahead of the look-ups.
constexpr uint32_t kLookAhead = 16;

// A state that has to be loaded.
struct Missing {
  KeyEntry* entry;
  size_t state;
  size_t key_begin;
  size_t key_end;
};

bool is_unloaded(const StateSlot& slot) {
  return slot.presence == StateSlot::Presence::kNotLoaded;
}

}  // namespace

BatchAssembler::BatchAssembler(const ComputationPlan& plan, StateCache& cache, const Store& store)
    : plan_(plan), cache_(cache), store_(store) {}

std::unique_ptr<Batch> BatchAssembler::take_batch() {
  std::unique_ptr<Batch> batch;
  if (free_.empty()) {
    batch = std::make_unique<Batch>();
    batch->key_rows = RowBatchBuilder(plan_.key_schema);
  } else {
    batch = std::move(free_.back());
    free_.pop_back();
  }
  batch->stamp = cache_.begin_batch();
  return batch;
}

void BatchAssembler::recycle(std::unique_ptr<Batch> batch) {
  batch->runs.clear();
  batch->key_indexes.clear();
  batch->keys.clear();
  batch->key_rows.clear();
  batch->unloaded_keys.clear();
  batch->row_count = 0;
  batch->attempt = 0;
  free_.push_back(std::move(batch));
}

void BatchAssembler::drop(std::unique_ptr<Batch> batch) {
  cache_.end_batch(batch->stamp);
  recycle(std::move(batch));
}

template <typename AppendRow>
uint32_t BatchAssembler::key_index(Batch& batch, KeyHash hash, AppendRow&& append_row) {
  KeyEntry& entry = cache_.find_or_insert(hash, key_);
  if (entry.batch_stamp != batch.stamp) {
    entry.batch_stamp = batch.stamp;
    entry.batch_index = KeyIndex(static_cast<uint32_t>(batch.keys.size()));
    batch.keys.push_back(&entry);
    append_row();
    if (std::ranges::any_of(entry.states(), is_unloaded)) {
      batch.unloaded_keys.push_back(entry.batch_index.value());
    }
  }
  return entry.batch_index.value();
}

Result<void> BatchAssembler::add_run(Batch& batch, MessageRun run) {
  const InputPlan& input = plan_.inputs[run.input];
  const RowBatchView& rows = run.rows();
  std::array<KeyHash, kLookAhead> hashes;
  for (uint32_t row = run.begin; row < run.end; ++row) {
    const uint32_t ahead = (row - run.begin) % kLookAhead;
    if (ahead == 0) {
      const uint32_t count = std::min(kLookAhead, run.end - row);
      for (uint32_t i = 0; i < count; ++i) {
        hashes[i] = input.key->hash(rows, row + i);
      }
      cache_.prefetch(std::span(hashes).first(count));
    }
    const KeyHash hash = hashes[ahead];
    key_.clear();
    if (auto encoded = input.key->append_key(key_, hash, rows, row); !encoded) {
      return std::move(encoded).error().with_context(fmt::format(
          "computation \"{}\": key of message {:x}:{} of stream \"{}\"", plan_.id.value(),
          run.first_id.sequence, run.first_id.index + (row - run.begin), input.stream.value()));
    }
    batch.key_indexes.push_back(key_index(
        batch, hash, [&] { input.key->append_key_row(batch.key_rows, hash, rows, row); }));
  }
  batch.row_count += run.size();
  batch.runs.push_back(std::move(run));
  return {};
}

Result<std::unique_ptr<Batch>> BatchAssembler::assemble(std::span<const InboxRun> runs) {
  std::unique_ptr<Batch> batch = take_batch();
  uint32_t input = 0;
  for (const InboxRun& taken : runs) {
    const BlockHeader& header = taken.block->header();
    if (plan_.inputs[input].stream.value() != header.stream) {
      input = 0;
      while (input < plan_.inputs.size() && plan_.inputs[input].stream.value() != header.stream) {
        ++input;
      }
      if (input == plan_.inputs.size()) {
        return Error{ErrorCode::kInvalidSpec,
                     fmt::format("computation \"{}\" has queued messages of stream \"{}\", which "
                                 "is not among its input_stream_ids any more; add it again, or "
                                 "use a new data directory",
                                 plan_.id.value(), header.stream)};
      }
    }
    RETINUE_TRY(
        add_run(*batch, MessageRun{.input = input,
                                   .block = taken.block,
                                   .source_rows = nullptr,
                                   .begin = taken.begin,
                                   .end = taken.end,
                                   .first_id = {.sequence = header.first_id.sequence,
                                                .index = header.first_id.index + taken.begin},
                                   .system_timestamp = header.system_timestamp}));
  }
  return batch;
}

Result<std::unique_ptr<Batch>> BatchAssembler::assemble(const SourceRows& source,
                                                        MessageId first_id, Timestamp now) {
  std::unique_ptr<Batch> batch = take_batch();
  FarmHasher hasher;
  hasher.add_string(source.partition);
  const KeyHash hash = hasher.finish();
  key_.clear();
  append_big_endian(key_, hash.value());
  append_key_string(key_, source.partition);
  const uint32_t index = key_index(*batch, hash, [&] {
    batch->key_rows.set_bytes(ColumnIndex(0), source.partition);
    batch->key_rows.finish_row();
  });
  batch->row_count = source.end - source.begin;
  batch->key_indexes.assign(batch->row_count, index);
  batch->runs.push_back(MessageRun{.input = 0,
                                   .block = nullptr,
                                   .source_rows = &source.rows,
                                   .begin = source.begin,
                                   .end = source.end,
                                   .first_id = first_id,
                                   .system_timestamp = now});
  return batch;
}

Result<void> BatchAssembler::preload(Batch& batch) {
  std::string row_keys;
  std::vector<Missing> missing;
  for (const uint32_t index : batch.unloaded_keys) {
    KeyEntry& entry = *batch.keys[index];
    for (size_t i = 0; i < plan_.states.size(); ++i) {
      if (is_unloaded(entry.states()[i])) {
        const size_t begin = row_keys.size();
        append_state_row_key(row_keys, plan_.owner, entry.key(), plan_.states[i].number);
        missing.push_back(
            {.entry = &entry, .state = i, .key_begin = begin, .key_end = row_keys.size()});
      }
    }
  }
  if (missing.empty()) {
    return {};
  }
  std::vector<std::string_view> keys;
  keys.reserve(missing.size());
  for (const Missing& one : missing) {
    keys.push_back(std::string_view(row_keys).substr(one.key_begin, one.key_end - one.key_begin));
  }
  std::vector<std::optional<std::string>> values;
  RETINUE_TRY(store_.load_states(keys, values));
  for (size_t i = 0; i < missing.size(); ++i) {
    if (!values[i]) {
      cache_.set_absent(*missing[i].entry, missing[i].state);
      continue;
    }
    RETINUE_ASSIGN(const std::string_view value, decode_state_value(*values[i], value_));
    cache_.set(*missing[i].entry, missing[i].state, value);
  }
  return {};
}

}  // namespace retinue::worker
