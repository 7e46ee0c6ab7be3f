#include "worker/engine/source_follower.h"

#include "worker/engine/new_file_log.h"
#include "worker/spec/part_check.h"

namespace retinue::worker {

Result<void> SourceFollower::open(SourceFeed::Options options, const Progress& progress) {
  RETINUE_ASSIGN(OpenedSource opened,
                 context_.dependencies().open_source({.spec = spec_,
                                                      .schema = schema_,
                                                      .position = progress.source_position,
                                                      .options = options}));
  for (const std::string& path : opened.paths) {
    RETINUE_TRY(context_.files().add_read(path, spec_path("paths")));
  }
  feed_ = std::move(opened.feed);
  total_bytes_ = opened.total_bytes;
  if (spec_.on_bad_line != BadLinePolicy::kDeadLetter) {
    return {};
  }
  const std::string path = spec_.dead_letter_path.string();
  RETINUE_TRY(context_.files().add_written(path, spec_path("dead_letter_path")));
  return dead_letters_.emplace(path).examine(progress.dead_letters);
}

Result<bool> SourceFollower::begin(Progress& progress) {
  if (!dead_letters_) {
    return false;
  }
  RETINUE_TRY(dead_letters_->restore());
  log_new_file(context_.dependencies().log, *dead_letters_, spec_path("dead_letter_path"));
  const bool is_new = progress.dead_letters != dead_letters_->position();
  progress.dead_letters = dead_letters_->position();
  return is_new;
}

std::string SourceFollower::spec_path(std::string_view field) const {
  return part_path("computations", computation_.value(), "source/" + std::string(field));
}

std::unique_ptr<SourceChunk> SourceFollower::take() {
  if (has_ended_) {
    return nullptr;
  }
  auto taken = feed_->take();
  if (!taken) {
    return nullptr;
  }
  if (!*taken) {
    error_ = std::move(*taken).error();
    has_ended_ = true;
    return nullptr;
  }
  std::unique_ptr<SourceChunk> chunk = std::move(*taken).value();
  has_ended_ = chunk->is_last;
  bytes_done_ = chunk->bytes_done;
  return chunk;
}

Result<void> SourceFollower::settle(const SourceChunk& chunk, uint32_t rows, Progress& progress) {
  if (!chunk.dead_letters.empty()) {
    RETINUE_TRY(dead_letters_->append(chunk.dead_letters));
    RETINUE_TRY(dead_letters_->sync());
    progress.dead_letters = dead_letters_->position();
  }
  progress.source_position = chunk.position;
  progress.messages_in += rows;
  progress.lines_skipped += chunk.lines_skipped;
  return {};
}

void SourceFollower::add_to(Summary& summary) const {
  summary.source_bytes_read += bytes_done_;
  if (total_bytes_ && summary.source_bytes_total) {
    *summary.source_bytes_total += *total_bytes_;
  } else {
    summary.source_bytes_total.reset();
  }
}

}  // namespace retinue::worker
