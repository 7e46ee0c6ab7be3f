// How the database is tuned: each family for what it holds.
#pragma once

#include <rocksdb/cache.h>
#include <rocksdb/options.h>

#include <cstddef>
#include <memory>

namespace retinue::worker {

rocksdb::DBOptions database_options(bool read_only);
// Few small records, overwritten again and again.
rocksdb::ColumnFamilyOptions records_family_options();
// Many small rows, read by key, most often in batches, and often absent.
rocksdb::ColumnFamilyOptions states_family_options(const std::shared_ptr<rocksdb::Cache>& cache);
// A queue: large blocks, written once, never read while the worker runs, deleted soon.
rocksdb::ColumnFamilyOptions messages_family_options();
rocksdb::ColumnFamilyOptions dead_letters_family_options();

}  // namespace retinue::worker
