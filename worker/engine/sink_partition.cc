#include "worker/engine/sink_partition.h"

#include <fmt/format.h>

#include "worker/engine/inbox_loading.h"
#include "worker/engine/new_file_log.h"
#include "worker/spec/part_check.h"

namespace retinue::worker {
namespace {

// Bounds of one write: enough that its sync is cheap beside it.
constexpr uint32_t kWriteRowsMax = 1 << 16;
constexpr size_t kWriteBytesMax = size_t{8} << 20;

}  // namespace

SinkPartition::SinkPartition(const SinkPlan& plan, const SinkSpec& spec, PartitionIndex partition,
                             PartitionContext& context)
    : Partition({plan.owner, partition}, context),
      plan_(plan),
      spec_(spec),
      inbox_(context.inbox(ref_)) {}

Result<void> SinkPartition::open() {
  const EngineDependencies& dependencies = context_.dependencies();
  RETINUE_TRY(load_inbox(dependencies.store, ref_, progress_.inbox, inbox_));
  RETINUE_ASSIGN(sink_, dependencies.open_sink(spec_, ref_.partition));
  if (const CommittedFile* const file = sink_->file()) {
    RETINUE_TRY(context_.files().add_written(file->path(), spec_path("path")));
  } else if (spec_.type == SinkType::kStdout) {
    RETINUE_TRY(context_.files().add_written("/dev/stdout", spec_path("type")));
  }
  return sink_->examine(progress_.sink_position);
}

Result<void> SinkPartition::begin() {
  RETINUE_TRY(sink_->restore());
  if (const CommittedFile* const file = sink_->file()) {
    log_new_file(context_.dependencies().log, *file, spec_path("path"));
  }
  RETINUE_ASSIGN(std::string position, sink_->flush());
  if (position != progress_.sink_position) {
    // Before anything is written: that the file was empty, so that a crash can be told from a file
    // of somebody else's.
    progress_.sink_position = std::move(position);
    submit(begin_commit());
  }
  return {};
}

std::string SinkPartition::spec_path(std::string_view field) const {
  return part_path("sinks", plan_.name.value(), field);
}

Result<void> SinkPartition::turn() {
  if (error_) {
    return *error_;
  }
  if (write_ != nullptr) {
    return {};
  }
  RETINUE_TRY(refill_inbox(context_.dependencies().store, ref_, inbox_));
  if (inbox_.rows_ready() == 0 || context_.is_stopping() || !has_begun() || !may_commit()) {
    return {};
  }
  write_ = std::make_unique<Write>();
  inbox_.take(kWriteRowsMax, kWriteBytesMax, write_->runs);
  context_.dependencies().run_blocking([this] { write_->position = perform(*write_); },
                                       [this] { on_written(); });
  return {};
}

Result<std::string> SinkPartition::perform(const Write& write) {
  if (context_.dependencies().durability == Durability::kOs) {
    // What leaves the worker waits until what it came from is on disk.
    RETINUE_TRY(context_.dependencies().store.sync());
  }
  for (const InboxRun& run : write.runs) {
    const SinkPlan::Input* input = nullptr;
    for (const SinkPlan::Input& one : plan_.inputs) {
      if (one.stream.value() == run.block->stream()) {
        input = &one;
      }
    }
    if (input == nullptr) {
      return Error{ErrorCode::kInvalidSpec,
                   fmt::format("it has queued messages of stream \"{}\", which is not among its "
                               "input_stream_ids any more; add it again, or use a new data "
                               "directory",
                               run.block->stream())};
    }
    RETINUE_TRY(
        sink_->append(run.block->stream(), input->schema, run.block->rows(), run.begin, run.end));
  }
  return sink_->flush();
}

void SinkPartition::on_written() {
  const std::unique_ptr<Write> written = std::move(write_);
  if (!written->position) {
    error_ = std::move(written->position)
                 .error()
                 .with_context(fmt::format("sink \"{}\"", plan_.name.value()));
    context_.dependencies().wake();
    return;
  }
  std::unique_ptr<EpochCommit> commit = begin_commit();
  progress_.inbox = written->runs.back().end_position();
  commit->consumed_end = progress_.inbox.block;
  progress_.sink_position = std::move(*written->position);
  for (const InboxRun& run : written->runs) {
    progress_.messages_in += run.size();
  }
  progress_.messages_out = progress_.messages_in;
  submit(std::move(commit));
}

void SinkPartition::add_to(Summary& summary) const {
  summary.messages_out += progress_.messages_out - restored_.messages_out;
  summary.messages_out_total += progress_.messages_out;
}

}  // namespace retinue::worker
