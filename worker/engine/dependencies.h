// EngineDependencies: what the engine is given from outside; tests give it fakes.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "protocol/base/clock.h"
#include "worker/log/log.h"
#include "worker/session/companions.h"
#include "worker/sink/sink.h"
#include "worker/source/source_feed.h"
#include "worker/spec/spec.h"
#include "worker/store/commit_queue.h"
#include "worker/store/store.h"

namespace retinue::worker {

struct SourceOpening {
  const SourceSpec& spec;
  const TableSchema& schema;
  std::string position;  // Source::seek's; empty: from the beginning
  SourceFeed::Options options;
};

struct OpenedSource {
  std::unique_ptr<ChunkFeed> feed;
  std::optional<uint64_t> total_bytes;
  std::vector<std::string> paths;  // of its files
};

struct EngineDependencies {
  const PipelineSpec& spec;
  Store& store;
  Companions& companions;
  const Clock& clock;
  LogSink& log;
  Durability durability = Durability::kGroup;
  // Makes Engine::turn run soon, from any thread.
  std::function<void()> wake;
  // Runs `work` on another thread, then `done` on the engine's.
  std::function<void(std::function<void()> work, std::function<void()> done)> run_blocking;
  std::function<Result<OpenedSource>(const SourceOpening&)> open_source;
  std::function<Result<std::unique_ptr<Sink>>(const SinkSpec&, PartitionIndex)> open_sink;
  // Empty: commits go through a CommitQueue on `store`.
  std::function<std::unique_ptr<Commits>()> open_commits = {};
};

}  // namespace retinue::worker
