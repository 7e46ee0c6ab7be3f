// What becomes of a batch that fails; see BatchTrial.
#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "worker/engine/companion_partition.h"

namespace retinue::worker {

std::string CompanionPartition::place_of_out(const BatchFailure& failure) const {
  const std::string input = out_->batch->row_count == 1
                                ? describe_input(plan_, *out_->batch, OrderPosition(0))
                                : failure.input;
  return fmt::format("computation \"{}\", partition {}{}{}", plan_.id.value(),
                     ref_.partition.value(), input.empty() ? "" : ", ", input);
}

Result<void> CompanionPartition::handle_failure(const BatchFailure& failure,
                                                BatchTrial::Kind kind) {
  if (kind == BatchTrial::Kind::kUserCode && failure.error.code == ErrorCode::kDraining) {
    // It says nothing of the batch.
    out_needs_shipping_ = true;
    retry_at_ = context_.dependencies().clock.monotonic() + plan_.limits.retry_delay;
    return {};
  }
  const BatchTrial::Verdict verdict = trial_.fail(kind, plan_.limits);
  if (verdict == BatchTrial::Verdict::kRetry) {
    retry_out(failure);
    if (kind == BatchTrial::Kind::kUserCode) {
      retry_at_ = context_.dependencies().clock.monotonic() + trial_.retry_delay(plan_.limits);
    }
    return {};
  }
  if (kind == BatchTrial::Kind::kCrash) {
    context_.dependencies().companions.note_suspect_cut(slot_);
  }
  if (verdict == BatchTrial::Verdict::kCut) {
    cut_failed(failure);
    return {};
  }
  return give_up(failure);
}

void CompanionPartition::retry_out(const BatchFailure& failure) {
  context_.dependencies().log.warning(
      "batch failed, will be tried again",
      {{"place", place_of_out(failure)},
       {"error", failure.error.to_string()},
       {"attempt", fmt::format("{} of {}", trial_.count(), trial_.count_max())},
       {"trace", failure.trace}});
  out_needs_shipping_ = true;
  context_.dependencies().wake();
}

void CompanionPartition::cut_failed(const BatchFailure& failure) {
  const uint32_t row_count = out_->batch->row_count;
  context_.dependencies().log.warning(
      "batch failed, will be cut to find the input that is to blame",
      {{"place", place_of_out(failure)},
       {"error", failure.error.to_string()},
       {"inputs", fmt::to_string(row_count)},
       {"trace", failure.trace}});
  const Suspicion suspect{.is_suspect = true, .is_named = false, .failures = trial_.failures()};
  std::vector<BatchCut> cuts;
  const auto add = [&](uint32_t rows, bool is_named) {
    if (rows > 0) {
      cuts.push_back({.rows = rows, .suspicion = suspect});
      cuts.back().suspicion.is_named = is_named;
    }
  };
  if (failure.order && trusts_names_) {
    add(failure.order->value(), false);
    add(1, true);
    add(row_count - failure.order->value() - 1, false);
  } else {
    add(row_count / 2, false);
    add(row_count - row_count / 2, false);
  }
  out_needs_shipping_ = false;
  put_out_back(cuts);
}

Result<void> CompanionPartition::give_up(const BatchFailure& failure) {
  const std::string place = place_of_out(failure);
  const std::string often = fmt::format("attempt {} of {}", trial_.count(), trial_.count_max());
  if (plan_.limits.on_failure == FailureAction::kStop) {
    return Error{failure.error.code,
                 fmt::format("{}: {} ({}; mend the function or the input, then run again, which "
                             "begins with this input: all before it is committed; or set "
                             "on_failure to dead_letter){}",
                             place, failure.error.message, often,
                             failure.trace.empty() ? "" : "\n" + failure.trace)};
  }
  context_.dependencies().log.error("input failed for good, it becomes a dead letter",
                                    {{"place", place},
                                     {"error", failure.error.to_string()},
                                     {"attempt", often},
                                     {"trace", failure.trace}});
  return dead_letter({.plan = plan_,
                      .batch = *out_->batch,
                      .order = OrderPosition(0),
                      .failure = failure,
                      .attempts = trial_.failures(),
                      .failed_at = context_.dependencies().clock.now()});
}

Result<void> CompanionPartition::dead_letter(const FailedInput& input) {
  Answer answer;
  RowBatchBuilder row;
  std::unique_ptr<EpochCommit> commit = begin_commit();
  if (plan_.dead_letter_output) {
    const OutputPlan& output = plan_.outputs[*plan_.dead_letter_output];
    RETINUE_ASSIGN(row, dead_letter_row(input, ref_.partition, output.schema));
    RETINUE_TRY(output.check_keys(row.view()));
    answer.outputs.push_back({.output = *plan_.dead_letter_output,
                              .rows = row.view(),
                              .event_timestamps = input.batch.event_timestamps()});
  } else {
    std::string record = encode_dead_letter(make_dead_letter(input));
    ++progress_.dead_letters_kept;
    progress_.dead_letter_bytes_kept += record.size();
    if (progress_.dead_letters_kept > limits::kDeadLettersLimit ||
        progress_.dead_letter_bytes_kept > limits::kDeadLetterBytesLimit) {
      return Error{ErrorCode::kLimitExceeded,
                   fmt::format("computation \"{}\", partition {} has as many dead letters as it "
                               "may keep, {} or {} bytes; try them again or drop them (retinue "
                               "dead-letters), then run again",
                               plan_.id.value(), ref_.partition.value(), limits::kDeadLettersLimit,
                               limits::kDeadLetterBytesLimit)};
    }
    // Every epoch has one at most.
    commit->dead_letters.push_back(
        {.number = DeadLetterNumber(commit->epoch.value()), .record = std::move(record)});
  }
  ++dead_letters_;
  out_needs_shipping_ = false;
  const std::unique_ptr<PreparedBatch> done = std::move(out_);
  done->batch->now = input.failed_at;
  RETINUE_TRY(finish(*done, answer, std::move(commit)));
  context_.dependencies().wake();
  return {};
}

}  // namespace retinue::worker
