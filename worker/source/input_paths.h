// The files that a source's paths name.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "protocol/base/result.h"

namespace retinue::worker {

struct InputPath {
  std::string path;
  std::optional<uint64_t> size_bytes;  // on disk; nullopt: a pipe or the like
  bool is_gone = false;                // it was read before, up to size_bytes
};

// How much of a file was read before; nullopt: nothing.
using BytesRead = std::function<std::optional<uint64_t>(const std::string& path)>;

// The paths in the order given, each pattern (*, ?, [...]) replaced by its files in byte order. A
// path with such characters that exists as it is, is that file. A file named twice is listed once,
// where it first stands; one that has several names too, and symbolic links give way to the name
// that they lead to. Errors: kNotFound for a missing file of which nothing was read and for a
// pattern without files, kInvalidArgument for a directory, and for "-" with other paths;
// kLimitExceeded past limits::kSourceFilesLimit; kIoError.
Result<std::vector<InputPath>> expand_input_paths(const std::vector<std::string>& paths,
                                                  const BytesRead& bytes_read);

}  // namespace retinue::worker
