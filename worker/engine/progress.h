// Progress: how far one partition has come, as committed with every one of its epochs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "protocol/base/ids.h"
#include "protocol/base/result.h"
#include "worker/sink/file_position.h"
#include "worker/store/store.h"
#include "worker/stream/inbox.h"

namespace retinue::worker {

struct Progress {
  Epoch epoch;
  // Of a partition that reads an inbox.
  InboxPosition inbox;
  // Of a source: Source::seek's position, empty before the first chunk, and what is committed of
  // its dead-letter file.
  std::string source_position;
  std::optional<FilePosition> dead_letters;
  // Of a source whose chunk was cut: by source partition, how many rows behind the position are
  // done.
  std::map<std::string, uint64_t> source_rows_done;
  // Of a sink: Sink::examine's position.
  std::string sink_position;
  // What the store keeps of dead letters of this partition.
  uint64_t dead_letters_kept = 0;
  uint64_t dead_letter_bytes_kept = 0;
  // Since the data directory was made.
  uint64_t messages_in = 0;
  uint64_t messages_out = 0;
  uint64_t lines_skipped = 0;
};

// A YSON map, on disk: fields are only ever added.
std::string encode_progress(const Progress& progress);
// Errors: kDataCorrupted.
Result<Progress> decode_progress(std::string_view record);
// As last committed; of a partition that never was, a fresh one. Errors also: those of the store.
Result<Progress> load_progress(const Store& store, PartitionRef partition);

}  // namespace retinue::worker
