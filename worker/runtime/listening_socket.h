// Binds the worker's Unix-domain socket.
#pragma once

#include <filesystem>

#include "protocol/base/result.h"

namespace retinue::worker {

// Longest path that an address of a Unix-domain socket holds.
inline constexpr size_t kSocketPathBytesMax = 107;

// A non-blocking socket bound at `path`, not yet listening; only the worker's user may connect. A
// socket that nobody answers on, left by a worker that was killed, is replaced.
// Errors: kInvalidArgument for a path that is too long, kDirectoryInUse when another worker answers
// on it, kIoError.
Result<int> bind_unix_socket(const std::filesystem::path& path);

}  // namespace retinue::worker
