#include "companion_sdk/core/state_deltas.h"

#include <algorithm>
#include <cstring>

#include "protocol/frame/wire_values.h"

namespace retinue::companion {

void StateDeltas::begin(const BatchView& batch) {
  batch_ = &batch;
  entries_.clear();
  entry_of_key_.assign(batch.keys().row_count(), 0);
  bytes_.clear();
}

StateDeltas::Entry& StateDeltas::entry(KeyIndex key) {
  uint32_t& place = entry_of_key_[key.value()];
  if (place == 0) {
    entries_.push_back({.key = key.value()});
    place = static_cast<uint32_t>(entries_.size());
  }
  return entries_[place - 1];
}

void StateDeltas::set(KeyIndex key, std::string_view bytes) {
  Entry& e = entry(key);
  e.is_clear = false;
  e.offset = bytes_.size();
  e.size = bytes.size();
  bytes_.append(bytes);
}

void StateDeltas::clear(KeyIndex key) {
  Entry& e = entry(key);
  e.is_clear = true;
  e.size = 0;
}

bool StateDeltas::changes_something(const Entry& entry) const {
  const StateValue loaded = batch_->state(state_, KeyIndex(entry.key));
  if (entry.is_clear) {
    return loaded.presence != StatePresence::kAbsent;
  }
  return loaded.presence != StatePresence::kPresent || loaded.bytes != bytes(entry);
}

void StateDeltas::settle() {
  std::erase_if(entries_, [this](const Entry& entry) { return !changes_something(entry); });
  std::sort(entries_.begin(), entries_.end(),
            [](const Entry& a, const Entry& b) { return a.key < b.key; });
}

size_t StateDeltas::byte_size() const {
  size_t size = 0;
  for (const Entry& entry : entries_) {
    size += entry.size + 2 * sizeof(uint32_t);
  }
  return size;
}

size_t StateDeltas::longest_value() const {
  size_t longest = 0;
  for (const Entry& entry : entries_) {
    longest = std::max(longest, entry.size);
  }
  return longest;
}

void StateDeltas::write(const InternalStateSpec& spec,
                        wire::InternalStateDelta::Builder out) const {
  const auto count = static_cast<uint32_t>(entries_.size());
  size_t total = 0;
  bool has_clears = false;
  for (const Entry& entry : entries_) {
    total += entry.size;
    has_clears = has_clears || entry.is_clear;
  }
  out.setName(as_text(spec.name));
  auto keys = out.initKeyIndexes(count * sizeof(uint32_t));
  auto column = out.initValues();
  column.setType(wire::ColumnType::STRING);
  auto values = column.initValues(static_cast<uint32_t>(total));
  auto offsets = column.initOffsets((count + 1) * sizeof(uint32_t));
  kj::byte* const validity =
      has_clears ? column.initValidity(static_cast<uint32_t>(bitmap_bytes(count))).begin()
                 : nullptr;
  uint32_t end = 0;
  std::memcpy(offsets.begin(), &end, sizeof end);
  for (uint32_t i = 0; i < count; ++i) {
    const Entry& entry = entries_[i];
    std::memcpy(keys.begin() + i * sizeof(uint32_t), &entry.key, sizeof entry.key);
    std::memcpy(values.begin() + end, bytes_.data() + entry.offset, entry.size);
    end += static_cast<uint32_t>(entry.size);
    std::memcpy(offsets.begin() + (i + 1) * sizeof(uint32_t), &end, sizeof end);
    if (validity != nullptr && !entry.is_clear) {
      validity[i / 8] = static_cast<kj::byte>(validity[i / 8] | (1U << (i % 8)));
    }
  }
}

}  // namespace retinue::companion
