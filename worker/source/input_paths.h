// The files that a source's paths name.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "protocol/base/result.h"

namespace retinue::worker {

struct InputPath {
  std::string path;
  std::optional<uint64_t> size_bytes;  // on disk; nullopt: a pipe or the like
};

// The paths in the order given, each pattern (*, ?, [...]) replaced by its files in byte order; a
// file named twice is listed once, where it first stands. A path with such characters that exists
// as it is, is that file. Errors: kNotFound for a missing file or a pattern without files,
// kInvalidArgument for a directory, and for "-" with other paths; kLimitExceeded past
// limits::kSourceFilesLimit; kIoError.
Result<std::vector<InputPath>> expand_input_paths(const std::vector<std::string>& paths);

}  // namespace retinue::worker
