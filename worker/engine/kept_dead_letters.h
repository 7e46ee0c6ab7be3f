// The dead letters that a data directory keeps: listed, tried again, dropped.
//
// To list them the store may be another process's, open for reading; to settle them it is this
// one's, and no pipeline runs on it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/base/ids.h"
#include "protocol/base/result.h"
#include "worker/engine/dead_letter.h"
#include "worker/engine/pipeline_record.h"
#include "worker/store/store.h"

namespace retinue::worker {

// A dead letter's place; as text `count/3/17`.
struct DeadLetterId {
  ComputationId computation;
  PartitionIndex partition;
  DeadLetterNumber number;

  std::string to_string() const;
  // Errors: kInvalidArgument.
  static Result<DeadLetterId> parse(std::string_view text);
};

struct DeadLetterSelection {
  std::optional<ComputationId> computation;  // nullopt: of all
  std::vector<DeadLetterId> ids;             // empty: all
};

// Calls `visit` for those that are selected, by computation, partition and number, until it fails.
// Errors: kNotFound for a computation or a dead letter that is not there, kDataCorrupted, those of
// the store and of `visit`.
Result<void> visit_dead_letters(
    const Store& store, const PipelineRecord& record, const DeadLetterSelection& selection,
    const std::function<Result<void>(const DeadLetterId&, const DeadLetter&)>& visit);

enum class DeadLetterSettling : uint8_t {
  kRetry,  // the message goes to the end of its partition's inbox, as it was
  kDrop,
};

// Settles those that are selected, a few in a commit, and returns how many. What cannot be tried
// again is found before anything is changed. Errors: as visit_dead_letters, and kNotSupported for a
// row of a source, kSchemaMismatch for a message of columns that its stream no longer has.
Result<uint64_t> settle_dead_letters(Store& store, const PipelineRecord& record,
                                     const DeadLetterSelection& selection,
                                     DeadLetterSettling settling);

}  // namespace retinue::worker
