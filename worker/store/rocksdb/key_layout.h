// Keys as they lie in the database. Numbers are big-endian, so that order is by number.
//
//   default    kName       kind (1 byte), name          -> number (4 bytes)
//              kNextNumber                              -> the next number to give out (4 bytes)
//              kRecord     name                         -> the record
//              kProgress   owner (4), partition (4)     -> the progress record
//   states     owner (4), key hash (8), encoded key columns, state (4) -> the stored value
//   messages   owner (4), partition (4), sequence (8)   -> the block
//   dead_letters  owner (4), partition (4), number (8)  -> the dead letter
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "worker/store/store.h"

namespace retinue::worker::key_layout {

inline constexpr char kStatesFamily[] = "states";
inline constexpr char kMessagesFamily[] = "messages";
inline constexpr char kDeadLettersFamily[] = "dead_letters";

// The first byte of every key of the default family. On disk: never renumber, never reuse.
enum class RecordKind : uint8_t {
  kName = 1,
  kNextNumber = 2,
  kRecord = 3,
  kProgress = 4,
};

std::string name_key(NameKind kind, std::string_view name);
std::string next_number_key();
std::string record_key(std::string_view name);
std::string progress_key(PartitionRef partition);

std::string number_value(uint32_t number);
std::optional<uint32_t> parse_number_value(std::string_view value);

// What every state row key of an owner begins with.
std::string states_begin(OwnerNumber owner);
// The first possible key behind all of an owner's; empty when there can be none.
std::string states_end(OwnerNumber owner);
// Everything of a StateRow but its value. nullopt when the bytes are no state row key.
std::optional<StateRow> parse_state_row_key(std::string_view key);

void append_block_key(std::string& out, PartitionRef inbox, BlockSequence sequence);
std::optional<BlockSequence> parse_block_key(std::string_view key);

struct DeadLetterKey {
  PartitionRef partition;
  DeadLetterNumber number;
};
std::string dead_letter_key(PartitionRef partition, DeadLetterNumber number);
std::optional<DeadLetterKey> parse_dead_letter_key(std::string_view key);

}  // namespace retinue::worker::key_layout
