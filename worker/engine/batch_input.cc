#include "worker/engine/batch_input.h"

#include <algorithm>

#include "worker/engine/inbox_loading.h"
#include "worker/engine/stage_timer.h"

namespace retinue::worker {
namespace {

// A batch is cut in two above this, so that its frame stays within the wire's limit.
constexpr size_t kBatchBytesMax = limits::kFrameBytesLimit / 2;

// Moves the second half of the rows to the front of `set_aside`.
void halve(std::vector<InboxRun>& runs, uint32_t row_count, std::deque<InboxRun>& set_aside) {
  uint32_t to_move = row_count / 2;
  while (to_move > 0) {
    InboxRun& last = runs.back();
    const uint32_t moved = std::min(to_move, last.size());
    InboxRun tail = last;
    tail.begin = last.end - moved;
    last.end = tail.begin;
    set_aside.push_front(std::move(tail));
    if (last.size() == 0) {
      runs.pop_back();
    }
    to_move -= moved;
  }
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

std::vector<InboxRun> InboxInput::take_runs() {
  std::vector<InboxRun> runs;
  if (set_aside_.empty()) {
    inbox_.take(plan_.limits.max_rows_per_batch, plan_.limits.max_bytes_per_batch, runs);
  } else {
    runs.assign(set_aside_.begin(), set_aside_.end());
    set_aside_.clear();
  }
  return runs;
}

Result<std::unique_ptr<PreparedBatch>> InboxInput::take(BatchAssembler& assembler, bool only_full) {
  if (set_aside_.empty() && !is_due(only_full)) {
    return std::unique_ptr<PreparedBatch>();
  }
  return prepare(assembler, take_runs());
}

Result<std::unique_ptr<PreparedBatch>> InboxInput::cut(BatchAssembler& assembler,
                                                       std::unique_ptr<PreparedBatch> prepared) {
  const uint32_t row_count = prepared->batch->row_count;
  if (row_count == 1) {
    return std::unique_ptr<PreparedBatch>();
  }
  assembler.drop(std::move(prepared->batch));
  halve(prepared->runs, row_count, set_aside_);
  return prepare(assembler, std::move(prepared->runs));
}

Result<std::unique_ptr<PreparedBatch>> InboxInput::prepare(BatchAssembler& assembler,
                                                           std::vector<InboxRun> runs) {
  auto prepared = std::make_unique<PreparedBatch>();
  for (;;) {
    {
      const StageTimer timer(context_.costs().assemble);
      RETINUE_ASSIGN(prepared->batch, assembler.assemble(runs));
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
    halve(runs, row_count, set_aside_);
  }
  prepared->runs = std::move(runs);
  return prepared;
}

Result<void> InboxInput::settle(const PreparedBatch& prepared, Progress& progress) {
  progress.inbox = prepared.inbox_position();
  progress.messages_in += prepared.batch->row_count;
  return {};
}

bool InboxInput::is_exhausted() const {
  return input_ended_ && inbox_.is_empty() && set_aside_.empty();
}

SourceInput::SourceInput(const ComputationPlan& plan, const SourceSpec& spec,
                         PartitionContext& context)
    : plan_(plan), context_(context), follower_(plan.id, spec, plan.inputs[0].schema, context) {}

Result<void> SourceInput::open(const Progress& progress) {
  return follower_.open({.chunk_rows_limit = plan_.limits.max_rows_per_batch,
                         .chunk_bytes_limit = plan_.limits.max_bytes_per_batch,
                         .chunks_ahead = 4},
                        progress);
}

Result<std::unique_ptr<PreparedBatch>> SourceInput::take(BatchAssembler& assembler, bool) {
  std::unique_ptr<SourceChunk> chunk = context_.has_input_failed() ? nullptr : follower_.take();
  if (chunk == nullptr) {
    return std::unique_ptr<PreparedBatch>();
  }
  auto prepared = std::make_unique<PreparedBatch>();
  prepared->chunk = std::move(chunk);
  prepared->chunk_rows = prepared->chunk->rows.view();
  {
    const StageTimer timer(context_.costs().assemble);
    RETINUE_ASSIGN(prepared->batch,
                   assembler.assemble(prepared->chunk_rows, prepared->chunk->partition, MessageId(),
                                      context_.dependencies().clock.now()));
  }
  const StageTimer timer(context_.costs().preload);
  RETINUE_TRY(assembler.preload(*prepared->batch));
  return prepared;
}

Result<void> SourceInput::settle(const PreparedBatch& prepared, Progress& progress) {
  return follower_.settle(*prepared.chunk, progress);
}

void SourceInput::recycle(PreparedBatch& prepared) {
  follower_.recycle(std::move(prepared.chunk));
}

}  // namespace retinue::worker
