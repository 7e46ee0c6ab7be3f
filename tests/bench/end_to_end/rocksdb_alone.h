// RocksDB alone: for every 1,000 messages, one look-up of their keys and one write of their counts.
#pragma once

#include <cstdint>
#include <filesystem>

#include "tests/bench/end_to_end/input.h"
#include "tests/bench/end_to_end/measurement.h"

namespace retinue::bench {

// Reads and writes every key's row in every batch, through Store, without a cache, a queue or a
// source. Throws std::runtime_error.
Measurement run_rocksdb_alone(const InputOptions& options, const std::filesystem::path& data_dir);

}  // namespace retinue::bench
