#include "worker/store/rocksdb/rocksdb_options.h"

#include <rocksdb/convenience.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/table.h>

#include <algorithm>
#include <vector>

namespace retinue::worker {
namespace {

constexpr size_t kMebibyte = size_t{1} << 20;
constexpr double kBloomBitsPerKey = 10;
constexpr size_t kOwnerBytes = 4;  // what a state row key begins with

rocksdb::CompressionType fast_compression() {
  const std::vector<rocksdb::CompressionType> built_in = rocksdb::GetSupportedCompressions();
  const bool has_lz4 =
      std::find(built_in.begin(), built_in.end(), rocksdb::kLZ4Compression) != built_in.end();
  return has_lz4 ? rocksdb::kLZ4Compression : rocksdb::kNoCompression;
}

}  // namespace

rocksdb::DBOptions database_options(bool read_only) {
  rocksdb::DBOptions options;
  options.create_if_missing = !read_only;
  options.create_missing_column_families = !read_only;
  options.max_background_jobs = 2;
  // A reader keeps every file open, so that the writer may delete them under it.
  options.max_open_files = read_only ? -1 : 512;
  options.max_total_wal_size = 512 * kMebibyte;
  // Log files are not recycled: an old record in one could not be told from a torn one.
  options.recycle_log_file_num = 0;
  // A failed write is final for this process, see RocksDbStore.
  options.max_bgerror_resume_count = 0;
  options.bytes_per_sync = kMebibyte;
  options.info_log_level = rocksdb::InfoLogLevel::WARN_LEVEL;
  options.keep_log_file_num = 4;
  options.max_log_file_size = 4 * kMebibyte;
  options.stats_dump_period_sec = 0;
  options.stats_persist_period_sec = 0;
  options.skip_stats_update_on_db_open = true;
  return options;
}

rocksdb::ColumnFamilyOptions dead_letters_family_options() {
  rocksdb::ColumnFamilyOptions options;
  options.write_buffer_size = 8 * kMebibyte;
  options.compression = fast_compression();
  return options;
}

rocksdb::ColumnFamilyOptions records_family_options() {
  rocksdb::ColumnFamilyOptions options;
  options.write_buffer_size = 8 * kMebibyte;
  options.compression = rocksdb::kNoCompression;
  return options;
}

rocksdb::ColumnFamilyOptions states_family_options(const std::shared_ptr<rocksdb::Cache>& cache) {
  rocksdb::BlockBasedTableOptions table;
  table.block_cache = cache;
  // Filters and indexes count against the cache, so that memory stays bounded as states grow.
  table.cache_index_and_filter_blocks = true;
  table.cache_index_and_filter_blocks_with_high_priority = true;
  table.pin_l0_filter_and_index_blocks_in_cache = true;
  table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(kBloomBitsPerKey));
  table.whole_key_filtering = true;
  table.data_block_index_type = rocksdb::BlockBasedTableOptions::kDataBlockBinaryAndHash;
  table.format_version = 5;

  rocksdb::ColumnFamilyOptions options;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  options.write_buffer_size = 64 * kMebibyte;
  options.max_write_buffer_number = 3;
  // Costs a write 0.3 us and saves the look-up of a key that is not there 4 us a memtable.
  options.memtable_whole_key_filtering = true;
  options.memtable_prefix_bloom_size_ratio = 0.02;
  // Each row is inserted from the place of the one before it: an epoch comes in key order.
  options.memtable_insert_with_hint_prefix_extractor.reset(
      rocksdb::NewFixedPrefixTransform(kOwnerBytes));
  options.level_compaction_dynamic_level_bytes = true;
  options.compression = fast_compression();
  return options;
}

rocksdb::ColumnFamilyOptions messages_family_options() {
  rocksdb::BlockBasedTableOptions table;
  table.no_block_cache = true;
  table.format_version = 5;

  rocksdb::ColumnFamilyOptions options;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  // Two memtables are flushed as one: a block whose deletion stands in the second is gone before it
  // reaches a file.
  options.write_buffer_size = 64 * kMebibyte;
  options.min_write_buffer_number_to_merge = 2;
  options.max_write_buffer_number = 4;
  options.compression = rocksdb::kNoCompression;
  return options;
}

}  // namespace retinue::worker
