#include "worker/store/rocksdb/key_layout.h"

#include <limits>

#include "protocol/values/key_codec.h"

namespace retinue::worker::key_layout {
namespace {

constexpr size_t kOwnerBytes = 4;
constexpr size_t kHashBytes = 8;
constexpr size_t kStateBytes = 4;
constexpr size_t kBlockKeyBytes = 16;
constexpr size_t kDeadLetterKeyBytes = 16;

std::string begin_record(RecordKind kind) {
  return std::string(1, static_cast<char>(kind));
}

}  // namespace

std::string name_key(NameKind kind, std::string_view name) {
  std::string key = begin_record(RecordKind::kName);
  key.push_back(static_cast<char>(kind));
  key.append(name);
  return key;
}

std::string next_number_key() {
  return begin_record(RecordKind::kNextNumber);
}

std::string record_key(std::string_view name) {
  std::string key = begin_record(RecordKind::kRecord);
  key.append(name);
  return key;
}

std::string progress_key(PartitionRef partition) {
  std::string key = begin_record(RecordKind::kProgress);
  append_big_endian(key, partition.owner.value());
  append_big_endian(key, partition.partition.value());
  return key;
}

std::string number_value(uint32_t number) {
  std::string value;
  append_big_endian(value, number);
  return value;
}

std::optional<uint32_t> parse_number_value(std::string_view value) {
  if (value.size() != sizeof(uint32_t)) {
    return std::nullopt;
  }
  return read_big_endian32(value.data());
}

std::string states_begin(OwnerNumber owner) {
  return number_value(owner.value());
}

std::string states_end(OwnerNumber owner) {
  if (owner.value() == std::numeric_limits<uint32_t>::max()) {
    return {};
  }
  return states_begin(owner.next());
}

std::optional<StateRow> parse_state_row_key(std::string_view key) {
  if (key.size() < kOwnerBytes + kHashBytes + kStateBytes) {
    return std::nullopt;
  }
  const size_t columns_begin = kOwnerBytes + kHashBytes;
  const size_t state_begin = key.size() - kStateBytes;
  return StateRow{.hash = KeyHash(read_big_endian64(key.data() + kOwnerBytes)),
                  .key = key.substr(columns_begin, state_begin - columns_begin),
                  .state = StateNumber(read_big_endian32(key.data() + state_begin)),
                  .value = {}};
}

void append_block_key(std::string& out, PartitionRef inbox, BlockSequence sequence) {
  append_big_endian(out, inbox.owner.value());
  append_big_endian(out, inbox.partition.value());
  append_big_endian(out, sequence.value());
}

std::optional<BlockSequence> parse_block_key(std::string_view key) {
  if (key.size() != kBlockKeyBytes) {
    return std::nullopt;
  }
  return BlockSequence(read_big_endian64(key.data() + kOwnerBytes + 4));
}

std::string dead_letter_key(PartitionRef partition, DeadLetterNumber number) {
  std::string key;
  append_big_endian(key, partition.owner.value());
  append_big_endian(key, partition.partition.value());
  append_big_endian(key, number.value());
  return key;
}

std::optional<DeadLetterKey> parse_dead_letter_key(std::string_view key) {
  if (key.size() != kDeadLetterKeyBytes) {
    return std::nullopt;
  }
  return DeadLetterKey{
      .partition = {.owner = OwnerNumber(read_big_endian32(key.data())),
                    .partition = PartitionIndex(read_big_endian32(key.data() + kOwnerBytes))},
      .number = DeadLetterNumber(read_big_endian64(key.data() + kOwnerBytes + 4))};
}

}  // namespace retinue::worker::key_layout
