#include "worker/engine/kept_dead_letters.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "worker/engine/progress.h"
#include "worker/stream/message_block.h"

namespace retinue::worker {
namespace {

// What one commit settles.
constexpr size_t kLettersPerCommit = 1000;
constexpr size_t kBytesPerCommit = size_t{32} << 20;

using Place = std::pair<PartitionIndex, DeadLetterNumber>;

std::optional<uint64_t> parse_number(std::string_view text, uint64_t highest) {
  uint64_t number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  return parsed.ec == std::errc() && parsed.ptr == text.data() + text.size() && number <= highest
             ? std::optional(number)
             : std::nullopt;
}

Result<void> check_computation(const PipelineRecord& record, const ComputationId& id) {
  if (record.computations.contains(id)) {
    return {};
  }
  std::vector<std::string> names;
  for (const auto& [name, computation] : record.computations) {
    names.push_back(name.value());
  }
  return Error{ErrorCode::kNotFound,
               fmt::format("pipeline \"{}\" has no computation \"{}\"; it has: {}", record.name,
                           id.value(), fmt::join(names, ", "))};
}

// Of one computation, those in `wanted`; all if it is empty.
Result<void> visit_computation(
    const Store& store, const ComputationId& id, std::set<Place> wanted,
    const std::function<Result<void>(const DeadLetterId&, const DeadLetter&)>& visit) {
  const bool wants_all = wanted.empty();
  RETINUE_ASSIGN(const std::optional<uint32_t> owner,
                 store.find_name(NameKind::kComputation, id.value()));
  Result<void> result;
  if (owner) {
    RETINUE_TRY(store.scan_dead_letters(
        OwnerNumber(*owner),
        [&](PartitionIndex partition, DeadLetterNumber number, std::string_view stored) {
          if (!wants_all && wanted.erase({partition, number}) == 0) {
            return true;
          }
          auto letter = decode_dead_letter(stored);
          result = letter ? visit({id, partition, number}, *letter) : letter.error();
          return result.ok();
        }));
  }
  RETINUE_TRY(std::move(result));
  if (!wanted.empty()) {
    const DeadLetterId missing{id, wanted.begin()->first, wanted.begin()->second};
    return Error{ErrorCode::kNotFound,
                 fmt::format("there is no dead letter {}", missing.to_string())};
  }
  return {};
}

Error cannot_retry(ErrorCode code, const DeadLetterId& id, std::string_view why) {
  return Error{code, fmt::format("dead letter {} cannot be tried again: {}", id.to_string(), why)};
}

Result<void> check_retry(const PipelineRecord& record, const DeadLetterId& id,
                         const DeadLetter& letter) {
  const RecordedComputation& computation = record.computations.at(id.computation);
  if (computation.is_gone || id.partition.value() >= computation.partition_count) {
    return cannot_retry(ErrorCode::kNotFound, id, "the pipeline no longer has its partition");
  }
  if (computation.kind != ComputationKind::kTransform || letter.kind != kDeadMessage) {
    return cannot_retry(ErrorCode::kNotSupported, id,
                        "only messages that a transform failed on can; what a source read has no "
                        "queue to go back to");
  }
  RETINUE_ASSIGN(const auto block, MessageBlock::open(letter.block));
  const auto stream = record.streams.find(StreamId(std::string(block->stream())));
  if (stream == record.streams.end()) {
    return cannot_retry(ErrorCode::kSchemaMismatch, id, "the pipeline no longer has its stream");
  }
  if (const auto checked = block->rows().check_schema(stream->second); !checked) {
    return cannot_retry(ErrorCode::kSchemaMismatch, id, checked.error().message);
  }
  return {};
}

// Settles dead letters of one partition after the other.
class Settlement {
 public:
  Settlement(Store& store, DeadLetterSettling settling) : store_(store), settling_(settling) {}

  Result<void> add(PartitionRef partition, DeadLetterNumber number, const DeadLetter& letter) {
    if (commit_.partition != partition || commit_.settled_dead_letters.empty()) {
      RETINUE_TRY(finish());
      RETINUE_TRY(begin(partition));
    }
    if (settling_ == DeadLetterSettling::kRetry) {
      commit_.appends.push_back(
          {.inbox = partition, .sequence = next_block_, .block = letter.block});
      next_block_ = next_block_.next();
    }
    commit_.settled_dead_letters.push_back(number);
    const uint64_t bytes = encode_dead_letter(letter).size();
    progress_.dead_letter_bytes_kept -= std::min(bytes, progress_.dead_letter_bytes_kept);
    progress_.dead_letters_kept -= std::min<uint64_t>(1, progress_.dead_letters_kept);
    bytes_ += bytes;
    return commit_.settled_dead_letters.size() >= kLettersPerCommit || bytes_ >= kBytesPerCommit
               ? finish()
               : Result<void>();
  }

  // An epoch of the partition like any other.
  Result<void> finish() {
    if (commit_.settled_dead_letters.empty()) {
      return {};
    }
    progress_.epoch = progress_.epoch.next();
    commit_.epoch = progress_.epoch;
    commit_.progress = encode_progress(progress_);
    const EpochCommit* const commits[] = {&commit_};
    RETINUE_TRY(store_.commit(commits, /*sync=*/true));
    settled_ += commit_.settled_dead_letters.size();
    commit_.clear();
    return {};
  }

  uint64_t settled() const { return settled_; }

 private:
  Result<void> begin(PartitionRef partition) {
    RETINUE_ASSIGN(progress_, load_progress(store_, partition));
    RETINUE_ASSIGN(const std::optional<BlockSequence> last, store_.last_block(partition));
    next_block_ = last ? last->next() : progress_.inbox.block;
    commit_.partition = partition;
    commit_.state_owner = partition.owner;
    commit_.consumed_begin = progress_.inbox.block;
    commit_.consumed_end = progress_.inbox.block;
    bytes_ = 0;
    return {};
  }

  Store& store_;
  const DeadLetterSettling settling_;
  EpochCommit commit_;
  Progress progress_;
  BlockSequence next_block_;
  uint64_t bytes_ = 0;
  uint64_t settled_ = 0;
};

}  // namespace

std::string DeadLetterId::to_string() const {
  return fmt::format("{}/{}/{}", computation.value(), partition.value(), number.value());
}

Result<DeadLetterId> DeadLetterId::parse(std::string_view text) {
  const size_t second = text.rfind('/');
  const size_t first = second == 0 || second == std::string_view::npos
                           ? std::string_view::npos
                           : text.rfind('/', second - 1);
  if (first != std::string_view::npos && first > 0) {
    const auto partition = parse_number(text.substr(first + 1, second - first - 1), UINT32_MAX);
    const auto number = parse_number(text.substr(second + 1), UINT64_MAX);
    if (partition && number) {
      return DeadLetterId{.computation = ComputationId(std::string(text.substr(0, first))),
                          .partition = PartitionIndex(static_cast<uint32_t>(*partition)),
                          .number = DeadLetterNumber(*number)};
    }
  }
  return Error{ErrorCode::kInvalidArgument,
               fmt::format("expected a dead letter's id, such as count/0/17, found \"{}\"", text)};
}

Result<void> visit_dead_letters(
    const Store& store, const PipelineRecord& record, const DeadLetterSelection& selection,
    const std::function<Result<void>(const DeadLetterId&, const DeadLetter&)>& visit) {
  if (selection.computation) {
    RETINUE_TRY(check_computation(record, *selection.computation));
  }
  std::map<ComputationId, std::set<Place>> wanted;
  for (const DeadLetterId& id : selection.ids) {
    RETINUE_TRY(check_computation(record, id.computation));
    if (selection.computation && id.computation != *selection.computation) {
      return Error{ErrorCode::kInvalidArgument,
                   fmt::format("dead letter {} is not of computation \"{}\"", id.to_string(),
                               selection.computation->value())};
    }
    wanted[id.computation].emplace(id.partition, id.number);
  }
  for (const auto& [id, computation] : record.computations) {
    const auto found = wanted.find(id);
    if ((selection.computation && id != *selection.computation) ||
        (!selection.ids.empty() && found == wanted.end())) {
      continue;
    }
    RETINUE_TRY(visit_computation(
        store, id, found == wanted.end() ? std::set<Place>() : found->second, visit));
  }
  return {};
}

Result<uint64_t> settle_dead_letters(Store& store, const PipelineRecord& record,
                                     const DeadLetterSelection& selection,
                                     DeadLetterSettling settling) {
  RETINUE_TRY(visit_dead_letters(
      store, record, selection, [&](const DeadLetterId& id, const DeadLetter& letter) {
        return settling == DeadLetterSettling::kRetry ? check_retry(record, id, letter)
                                                      : Result<void>();
      }));
  Settlement settlement(store, settling);
  std::map<ComputationId, OwnerNumber> owners;
  RETINUE_TRY(visit_dead_letters(
      store, record, selection,
      [&](const DeadLetterId& id, const DeadLetter& letter) -> Result<void> {
        auto owner = owners.find(id.computation);
        if (owner == owners.end()) {
          RETINUE_ASSIGN(const auto number,
                         store.find_name(NameKind::kComputation, id.computation.value()));
          owner = owners.emplace(id.computation, OwnerNumber(number.value_or(0))).first;
        }
        return settlement.add({owner->second, id.partition}, id.number, letter);
      }));
  RETINUE_TRY(settlement.finish());
  return settlement.settled();
}

}  // namespace retinue::worker
