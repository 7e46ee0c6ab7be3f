// Prints the dead letters of a data directory: `retinue dead-letters list`.
#pragma once

#include <string>

#include "protocol/base/result.h"
#include "worker/engine/kept_dead_letters.h"
#include "worker/engine/pipeline_record.h"

namespace retinue::worker {

// One line, without its end: for people the id, the time, the attempts, the error, the stream and
// the message, separated by tabs; or JSON.
// Errors: kDataCorrupted.
Result<std::string> dead_letter_line(const PipelineRecord& record, const DeadLetterId& id,
                                     const DeadLetter& letter, bool json);

}  // namespace retinue::worker
