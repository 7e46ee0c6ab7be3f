// What the program says when it cannot go on.
#pragma once

#include "protocol/base/result.h"
#include "worker/spec/spec.h"

namespace retinue::worker {

// From here on an exception that nobody handles, on any thread, ends the program with status 1 and
// a line that says what was missing. Memory and threads run out like that, in libraries, too. What
// is committed stays, as after a crash.
void say_last_words();

// Errors: kIoError, when the limit on open files is too low for the pipeline.
Result<void> check_open_files_limit(const PipelineSpec& spec);

}  // namespace retinue::worker
