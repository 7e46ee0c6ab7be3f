#include "worker/engine/companion_partition.h"

#include <fmt/format.h>

#include "protocol/frame/guard.h"
#include "worker/engine/stage_timer.h"

namespace retinue::worker {
namespace {

Duration batch_timeout(const PipelineSpec& spec, const ComputationPlan& plan) {
  return spec.companions.at(spec.computations.at(plan.id).companion).batch_timeout;
}

}  // namespace

CompanionPartition::CompanionPartition(const ComputationPlan& plan, PartitionIndex partition,
                                       size_t cache_bytes_limit, std::unique_ptr<BatchInput> input,
                                       PartitionContext& context)
    : Partition({plan.owner, partition}, context),
      plan_(plan),
      batch_timeout_(batch_timeout(context.dependencies().spec, plan)),
      cache_(plan.states.size(), cache_bytes_limit),
      assembler_(plan, cache_, context.dependencies().store),
      writer_(plan),
      input_(std::move(input)) {}

void CompanionPartition::register_job() {
  slot_ = context_.dependencies().companions.add_job(plan_.id, ref_.partition, *this);
}

Result<void> CompanionPartition::begin() {
  RETINUE_ASSIGN(const bool must_commit, input_->begin(progress_));
  if (must_commit) {
    submit_of_batch(begin_commit(), cache_.begin_batch());
  }
  return {};
}

// --- turns

Result<void> CompanionPartition::turn() {
  if (error_) {
    return *error_;
  }
  if (context_.is_stopping()) {
    drop_work();
    return {};
  }
  if (out_ != nullptr && out_needs_shipping_ && job_) {
    if (!retry_at_ || *retry_at_ <= context_.dependencies().clock.monotonic()) {
      ship_out();
    }
  }
  RETINUE_TRY(prepare_next());
  RETINUE_TRY(ship_next());
  return out_ != nullptr ? prepare_next() : Result<void>();
}

std::optional<Duration> CompanionPartition::next_wakeup() const {
  // What cannot be done when its time comes waits for what makes it possible instead.
  if (context_.is_stopping() || (retry_at_ && !job_)) {
    return std::nullopt;
  }
  return retry_at_ ? retry_at_ : input_->next_wakeup();
}

Result<void> CompanionPartition::prepare_next() {
  if (next_ == nullptr && has_begun()) {
    RETINUE_ASSIGN(next_, input_->take(assembler_, /*only_full=*/out_ != nullptr));
  }
  return {};
}

Result<void> CompanionPartition::ship_next() {
  while (next_ != nullptr && out_ == nullptr && may_commit() && context_.has_room(plan_.outputs)) {
    if (next_->batch->row_count == 0) {
      // The end of a source: a position to commit, and nothing to process.
      std::unique_ptr<PreparedBatch> done = std::move(next_);
      RETINUE_TRY(finish(*done, Answer(), begin_commit()));
      RETINUE_ASSIGN(next_, input_->take(assembler_, false));
      continue;
    }
    if (!job_) {
      break;
    }
    out_ = std::move(next_);
    Batch& batch = *out_->batch;
    batch.epoch = next_epoch();
    if (out_->chunk != nullptr) {
      batch.runs[0].first_id = {
          .sequence = message_sequence(ref_.owner, ref_.partition, batch.epoch), .index = 0};
    }
    trial_.begin(out_->suspicion, batch.row_count);
    trusts_names_ |= !out_->suspicion.is_suspect;
    ship_out();
  }
  return {};
}

void CompanionPartition::ship_out() {
  Companions& companions = context_.dependencies().companions;
  Batch& batch = *out_->batch;
  ++batch.attempt;
  batch.now = context_.dependencies().clock.now();
  out_needs_shipping_ = false;
  retry_at_.reset();
  std::unique_ptr<FrameWriter> frame = companions.take_writer();
  {
    const StageTimer timer(context_.costs().encode);
    writer_.write(batch, *job_, batch.now + batch_timeout_, frame->begin().initBatch());
  }
  if (frame->byte_size() > limits::kFrameBytesLimit) {
    keep_error(cut_too_large(frame->byte_size()));
    return;
  }
  shipped_at_ = std::chrono::steady_clock::now();
  companions.ship(slot_, std::move(frame));
}

Result<void> CompanionPartition::cut_too_large(size_t frame_bytes) {
  const uint32_t row_count = out_->batch->row_count;
  if (row_count == 1) {
    return Error{
        ErrorCode::kLimitExceeded,
        fmt::format("computation \"{}\": {} needs a batch of {} bytes with its states, "
                    "the limit of a frame is {}; make the states smaller",
                    plan_.id.value(), describe_input(plan_, *out_->batch, OrderPosition(0)),
                    frame_bytes, limits::kFrameBytesLimit)};
  }
  const Suspicion suspicion = out_->suspicion;
  const BatchCut halves[] = {{.rows = row_count - row_count / 2, .suspicion = suspicion},
                             {.rows = row_count / 2, .suspicion = suspicion}};
  put_out_back(halves);
  return {};
}

void CompanionPartition::put_out_back(std::span<const BatchCut> cuts) {
  if (next_ != nullptr) {
    input_->put_back(assembler_, std::move(next_));
  }
  input_->cut(assembler_, std::move(out_), cuts);
  context_.dependencies().wake();
}

void CompanionPartition::drop_work() {
  const auto drop = [&](std::unique_ptr<PreparedBatch>& prepared) {
    assembler_.drop(std::move(prepared->batch));
    prepared.reset();
    has_dropped_work_ = true;
  };
  if (next_ != nullptr) {
    drop(next_);
  }
  if (out_ != nullptr && out_needs_shipping_) {
    drop(out_);
    retry_at_.reset();
  }
}

// --- what the companion says

void CompanionPartition::on_job_ready(JobId job) {
  job_ = job;
  context_.dependencies().wake();
}

void CompanionPartition::on_job_lost(const Error& reason, bool is_suspect) {
  job_.reset();
  const bool was_out = out_ != nullptr && !out_needs_shipping_;
  out_needs_shipping_ = out_ != nullptr;
  const bool is_to_blame = std::exchange(is_answer_rejected_, false) || is_suspect;
  if (was_out && is_to_blame && !error_ && !context_.is_stopping()) {
    keep_error(handle_failure(
        {.error = reason, .order = {}, .input = {}, .exception_type = {}, .trace = {}},
        BatchTrial::Kind::kCrash));
  }
}

Result<Answer> CompanionPartition::read(const Frame& frame) const {
  if (out_ == nullptr || out_needs_shipping_) {
    return Error{ErrorCode::kProtocolViolation,
                 fmt::format("it answers a batch of computation \"{}\", partition {}, which has "
                             "none out",
                             plan_.id.value(), ref_.partition.value())};
  }
  return decode_guarded(
      [&] { return read_answer(plan_, *out_->batch, frame.envelope().getBatchDone()); });
}

void CompanionPartition::on_batch_done(Frame frame) {
  if (error_) {
    return;  // an earlier epoch may be missing, and nothing is committed after a gap
  }
  Companions& companions = context_.dependencies().companions;
  auto answer = [&] {
    const StageTimer timer(context_.costs().apply);
    return read(frame);
  }();
  if (!answer) {
    reject(answer.error());
    return;
  }
  companions.note_progress(slot_);
  context_.costs().wait += static_cast<uint64_t>(
      std::chrono::nanoseconds(std::chrono::steady_clock::now() - shipped_at_).count());
  context_.costs().companion_cpu += answer->cpu_time_ns;

  std::unique_ptr<PreparedBatch> done = std::move(out_);
  trusts_names_ &= !done->suspicion.is_named;
  std::unique_ptr<EpochCommit> commit = begin_commit();
  {
    const StageTimer timer(context_.costs().apply);
    apply_states(plan_, *done->batch, *answer, cache_, commit->states);
  }
  if (next_ != nullptr && next_->batch->row_count > 0 && !context_.is_stopping()) {
    keep_error(ship_next());
  }
  keep_error(finish(*done, *answer, std::move(commit)));
}

Result<void> CompanionPartition::finish(PreparedBatch& done, const Answer& answer,
                                        std::unique_ptr<EpochCommit> commit) {
  Batch& batch = *done.batch;
  if (done.chunk == nullptr) {
    commit->consumed_end = done.inbox_position().block;
  }
  RETINUE_TRY(input_->settle(done, progress_));
  {
    const StageTimer timer(context_.costs().scatter);
    scatter_.begin({.owner = ref_.owner,
                    .partition = ref_.partition,
                    .epoch = commit->epoch,
                    .now = batch.now,
                    .first_index = done.chunk == nullptr ? 0 : batch.row_count});
    for (const AnsweredOutput& output : answer.outputs) {
      scatter_.scatter(plan_.outputs[output.output], output.rows, output.event_timestamps,
                       commit->appends);
      progress_.messages_out += output.rows.row_count();
    }
  }
  ++epochs_;
  state_changes_ += commit->states.size();
  submit_of_batch(std::move(commit), batch.stamp);
  assembler_.recycle(std::move(done.batch));
  if (done.chunk != nullptr) {
    input_->recycle(done);
  }
  return {};
}

void CompanionPartition::on_batch_failed(Frame frame) {
  if (error_) {
    return;
  }
  auto failure = [&]() -> Result<BatchFailure> {
    if (out_ == nullptr || out_needs_shipping_) {
      return Error{ErrorCode::kProtocolViolation, "it fails a batch that is not out"};
    }
    return decode_guarded(
        [&] { return read_failure(plan_, *out_->batch, frame.envelope().getBatchFailed()); });
  }();
  if (!failure) {
    reject(failure.error());
    return;
  }
  ++failed_batches_;
  keep_error(handle_failure(*failure, BatchTrial::Kind::kUserCode));
}

void CompanionPartition::reject(const Error& violation) {
  is_answer_rejected_ = true;
  context_.dependencies().companions.reject_answer(slot_, violation);
  is_answer_rejected_ = false;
}

// --- commits

void CompanionPartition::submit_of_batch(std::unique_ptr<EpochCommit> commit, BatchStamp stamp) {
  committing_.push_back(stamp);
  submit(std::move(commit));
}

void CompanionPartition::release_committed() {
  cache_.end_batch(committing_.front());
  committing_.pop_front();
  cache_.evict();
}

void CompanionPartition::keep_error(Result<void> result) {
  if (!result && !error_) {
    error_ = std::move(result).error();
    context_.dependencies().wake();
  }
}

void CompanionPartition::add_to(Summary& summary) const {
  for (ComputationSummary& one : summary.computations) {
    if (one.computation == plan_.id.value()) {
      one.messages_in += progress_.messages_in - restored_.messages_in;
      one.messages_out += progress_.messages_out - restored_.messages_out;
      one.epochs += epochs_;
      one.failed_batches += failed_batches_;
      one.state_changes += state_changes_;
      one.dead_letters += dead_letters_;
      one.keys_cached += cache_.size();
      one.queued_messages += input_->queued_messages();
      one.inbox_bytes += input_->inbox_bytes();
    }
  }
  summary.messages_processed += progress_.messages_in - restored_.messages_in;
  if (plan_.kind == ComputationKind::kOrderedSource) {
    input_->add_to(summary);
    summary.messages_in += progress_.messages_in - restored_.messages_in;
    summary.messages_in_total += progress_.messages_in;
    summary.lines_skipped += progress_.lines_skipped - restored_.lines_skipped;
  }
}

}  // namespace retinue::worker
