// From RocksDB's statuses to errors that name the directory and what to do about it.
#pragma once

#include <rocksdb/status.h>

#include <filesystem>
#include <string_view>

#include "protocol/base/result.h"

namespace retinue::worker {

// Precondition: !status.ok().
Error rocksdb_error(const rocksdb::Status& status, std::string_view what,
                    const std::filesystem::path& directory);

}  // namespace retinue::worker
