// SourceFollower: a source's side of its partition: the chunks in order, its position, and the
// dead-letter file.
//
// Threads: the engine's one. Owns: the feed and the dead-letter file. Borrows: all it is made of.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "protocol/base/result.h"
#include "worker/engine/partition.h"
#include "worker/engine/progress.h"
#include "worker/engine/summary.h"
#include "worker/sink/committed_file.h"
#include "worker/source/source_feed.h"

namespace retinue::worker {

class SourceFollower {
 public:
  SourceFollower(const ComputationId& computation, const SourceSpec& spec,
                 const TableSchema& schema, PartitionContext& context)
      : computation_(computation), spec_(spec), schema_(schema), context_(context) {}

  // Opens source and dead-letter file where `progress` says; changes nothing.
  Result<void> open(SourceFeed::Options options, const Progress& progress);
  // Takes back what was written to the dead-letter file after `progress`. True when progress has
  // changed and must be committed before anything else: the dead-letter file is new.
  Result<bool> begin(Progress& progress);
  // The next chunk; nullptr when there is none yet, or none any more (has_ended). What the source
  // cannot read ends it, too: error().
  std::unique_ptr<SourceChunk> take();
  // Makes the chunk part of `progress`, with its last `rows` rows, the others being there already;
  // its bad lines go to the dead-letter file, on disk.
  Result<void> settle(const SourceChunk& chunk, uint32_t rows, Progress& progress);
  void recycle(std::unique_ptr<SourceChunk> chunk) { feed_->recycle(std::move(chunk)); }

  bool has_ended() const { return has_ended_; }
  const Error* error() const { return error_ ? &*error_ : nullptr; }
  void add_to(Summary& summary) const;

 private:
  // Where the spec has a field of the source.
  std::string spec_path(std::string_view field) const;

  const ComputationId& computation_;
  const SourceSpec& spec_;
  const TableSchema& schema_;
  PartitionContext& context_;
  std::unique_ptr<ChunkFeed> feed_;
  std::optional<CommittedFile> dead_letters_;
  std::optional<uint64_t> total_bytes_;
  uint64_t bytes_done_ = 0;  // as SourceChunk::bytes_done
  bool has_ended_ = false;
  std::optional<Error> error_;
};

}  // namespace retinue::worker
