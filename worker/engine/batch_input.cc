#include "worker/engine/batch_input.h"

#include <algorithm>
#include <iterator>

#include "worker/engine/inbox_loading.h"
#include "worker/engine/stage_timer.h"

namespace retinue::worker {
namespace {

// A batch is cut in two above this, so that its frame stays within the wire's limit.
constexpr size_t kBatchBytesMax = limits::kFrameBytesLimit / 2;

// Leaves the first `rows` rows in `runs`, and returns the others.
std::vector<InboxRun> cut_behind(std::vector<InboxRun>& runs, uint32_t rows) {
  std::vector<InboxRun> rest;
  size_t kept = 0;
  for (InboxRun& run : runs) {
    const uint32_t here = std::min(rows, run.size());
    rows -= here;
    if (here < run.size()) {
      InboxRun tail = run;
      tail.begin = run.begin + here;
      run.end = tail.begin;
      rest.push_back(std::move(tail));
    }
    kept += here > 0 ? 1 : 0;
  }
  runs.resize(kept);
  return rest;
}

}  // namespace

InboxInput::InboxInput(const ComputationPlan& plan, PartitionRef ref, PartitionContext& context)
    : plan_(plan), ref_(ref), context_(context), inbox_(context.inbox(ref)) {}

Result<void> InboxInput::open(const Progress& progress) {
  return load_inbox(context_.dependencies().store, ref_, progress.inbox, inbox_);
}

bool InboxInput::is_due(bool only_full) {
  const bool is_full = inbox_.rows_ready() >= plan_.limits.max_rows_per_batch ||
                       inbox_.byte_size() >= plan_.limits.max_bytes_per_batch || inbox_.is_full();
  if (inbox_.rows_ready() == 0 || (only_full && !is_full)) {
    return false;
  }
  if (is_full || input_ended_ || plan_.limits.batch_duration == Duration()) {
    wait_until_.reset();
    return true;
  }
  const Duration now = context_.dependencies().clock.monotonic();
  if (!wait_until_) {
    wait_until_ = now + plan_.limits.batch_duration;
  }
  if (now < *wait_until_) {
    return false;
  }
  wait_until_.reset();
  return true;
}

Result<std::unique_ptr<PreparedBatch>> InboxInput::take(BatchAssembler& assembler, bool only_full) {
  RETINUE_TRY(refill_inbox(context_.dependencies().store, ref_, inbox_));
  Part part;
  if (!set_aside_.empty()) {
    part = std::move(set_aside_.front());
    set_aside_.pop_front();
  } else if (is_due(only_full)) {
    inbox_.take(plan_.limits.max_rows_per_batch, plan_.limits.max_bytes_per_batch, part.runs);
  } else {
    return std::unique_ptr<PreparedBatch>();
  }
  return prepare(assembler, std::move(part));
}

void InboxInput::cut(BatchAssembler& assembler, std::unique_ptr<PreparedBatch> prepared,
                     std::span<const BatchCut> cuts) {
  assembler.drop(std::move(prepared->batch));
  auto at = set_aside_.begin();
  for (const BatchCut& cut : cuts) {
    std::vector<InboxRun> rest = cut_behind(prepared->runs, cut.rows);
    at = std::next(
        set_aside_.insert(at, {.runs = std::move(prepared->runs), .suspicion = cut.suspicion}));
    prepared->runs = std::move(rest);
  }
  RETINUE_CHECK(prepared->runs.empty(), "the cuts cover the batch");
}

Result<std::unique_ptr<PreparedBatch>> InboxInput::prepare(BatchAssembler& assembler, Part part) {
  auto prepared = std::make_unique<PreparedBatch>();
  prepared->suspicion = part.suspicion;
  for (;;) {
    {
      const StageTimer timer(context_.costs().assemble);
      RETINUE_ASSIGN(prepared->batch, assembler.assemble(part.runs));
    }
    {
      const StageTimer timer(context_.costs().preload);
      RETINUE_TRY(assembler.preload(*prepared->batch));
    }
    const uint32_t row_count = prepared->batch->row_count;
    if (row_count == 1 || prepared->batch->byte_size() <= kBatchBytesMax) {
      break;
    }
    assembler.drop(std::move(prepared->batch));
    set_aside_.push_front(
        {.runs = cut_behind(part.runs, row_count - row_count / 2), .suspicion = part.suspicion});
  }
  prepared->runs = std::move(part.runs);
  return prepared;
}

Result<void> InboxInput::settle(const PreparedBatch& prepared, Progress& progress) {
  progress.inbox = prepared.inbox_position();
  progress.messages_in += prepared.batch->row_count;
  return {};
}

bool InboxInput::is_exhausted() const {
  return input_ended_ && !has_queue();
}

SourceInput::SourceInput(const ComputationPlan& plan, const SourceSpec& spec,
                         PartitionContext& context)
    : plan_(plan), context_(context), follower_(plan.id, spec, plan.inputs[0].schema, context) {}

Result<void> SourceInput::open(const Progress& progress) {
  rows_done_ = progress.source_rows_done;
  return follower_.open({.chunk_rows_limit = plan_.limits.max_rows_per_batch,
                         .chunk_bytes_limit = plan_.limits.max_bytes_per_batch,
                         .chunks_ahead = 4},
                        progress);
}

std::optional<SourceInput::Part> SourceInput::take_chunk() {
  std::unique_ptr<SourceChunk> chunk = context_.has_input_failed() ? nullptr : follower_.take();
  if (chunk == nullptr) {
    return std::nullopt;
  }
  Part part{.chunk = std::make_shared<HeldChunk>(), .begin = 0, .end = 0, .suspicion = {}};
  part.end = chunk->rows.row_count();
  if (const auto done = rows_done_.find(chunk->partition); done != rows_done_.end()) {
    part.begin = static_cast<uint32_t>(std::min<uint64_t>(done->second, part.end));
    part.chunk->rows_done_behind = done->second -= part.begin;
    if (done->second == 0) {
      rows_done_.erase(done);
    }
  }
  part.chunk->rows = chunk->rows.view();
  part.chunk->chunk = std::move(chunk);
  return part;
}

Result<std::unique_ptr<PreparedBatch>> SourceInput::take(BatchAssembler& assembler, bool) {
  std::optional<Part> part;
  if (!set_aside_.empty()) {
    part = std::move(set_aside_.front());
    set_aside_.pop_front();
  } else {
    part = take_chunk();
  }
  if (!part) {
    return std::unique_ptr<PreparedBatch>();
  }
  auto prepared = std::make_unique<PreparedBatch>();
  prepared->chunk = std::move(part->chunk);
  prepared->chunk_begin = part->begin;
  prepared->chunk_end = part->end;
  prepared->suspicion = part->suspicion;
  {
    const StageTimer timer(context_.costs().assemble);
    const SourceRows rows{.rows = prepared->chunk->rows,
                          .begin = part->begin,
                          .end = part->end,
                          .partition = prepared->chunk->chunk->partition};
    RETINUE_ASSIGN(prepared->batch,
                   assembler.assemble(rows, MessageId(), context_.dependencies().clock.now()));
  }
  const StageTimer timer(context_.costs().preload);
  RETINUE_TRY(assembler.preload(*prepared->batch));
  return prepared;
}

void SourceInput::cut(BatchAssembler& assembler, std::unique_ptr<PreparedBatch> prepared,
                      std::span<const BatchCut> cuts) {
  assembler.drop(std::move(prepared->batch));
  auto at = set_aside_.begin();
  uint32_t begin = prepared->chunk_begin;
  for (const BatchCut& cut : cuts) {
    at = std::next(set_aside_.insert(at, {.chunk = prepared->chunk,
                                          .begin = begin,
                                          .end = begin + cut.rows,
                                          .suspicion = cut.suspicion}));
    begin += cut.rows;
  }
  RETINUE_CHECK(begin == prepared->chunk_end, "the cuts cover the batch");
}

Result<void> SourceInput::settle(const PreparedBatch& prepared, Progress& progress) {
  const HeldChunk& held = *prepared.chunk;
  const uint32_t rows = prepared.chunk_end - prepared.chunk_begin;
  const std::string& partition = held.chunk->partition;
  if (prepared.chunk_end < held.rows.row_count()) {
    // The position behind the chunk comes with its last rows.
    progress.source_rows_done[partition] = prepared.chunk_end;
    progress.messages_in += rows;
    return {};
  }
  if (held.rows_done_behind > 0) {
    progress.source_rows_done[partition] = held.rows_done_behind;
  } else {
    progress.source_rows_done.erase(partition);
  }
  return follower_.settle(*held.chunk, rows, progress);
}

void SourceInput::recycle(PreparedBatch& prepared) {
  if (prepared.chunk.use_count() == 1) {
    follower_.recycle(std::move(prepared.chunk->chunk));
  }
  prepared.chunk.reset();
}

}  // namespace retinue::worker
