// Makes the source that a spec describes.
#pragma once

#include <unistd.h>

#include <memory>
#include <string_view>

#include "protocol/base/result.h"
#include "protocol/values/schema.h"
#include "worker/source/source.h"
#include "worker/spec/spec.h"

namespace retinue::worker {

// Finds the files, so that later ones are not read, and reads nothing yet. `position` is the one
// that it will seek, if any: what was read by then may be gone. `stdin_fd` is borrowed.
// Errors: kNotFound, kInvalidArgument and kIoError for the paths (input_paths.h); kSchemaMismatch
// when the stream's columns do not fit the source; kDataCorrupted for a garbled position.
Result<std::unique_ptr<Source>> make_source(const SourceSpec& spec,
                                            const TableSchema& stream_schema,
                                            std::string_view position = {},
                                            int stdin_fd = STDIN_FILENO);

}  // namespace retinue::worker
