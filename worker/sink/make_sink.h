// Makes the sink that a spec describes.
#pragma once

#include <unistd.h>

#include <memory>
#include <string>

#include "protocol/base/ids.h"
#include "protocol/base/result.h"
#include "worker/sink/sink.h"
#include "worker/spec/spec.h"

namespace retinue::worker {

// The file of one partition: `path` with every "{partition}" replaced by its number.
std::string sink_file_path(const std::string& path, PartitionIndex partition);

// Touches no file: Sink::examine() and restore() do. `stdout_fd` is borrowed, and the process must
// ignore SIGPIPE for a closed standard output to become an error. Errors: kInvalidSpec without a
// path.
Result<std::unique_ptr<Sink>> make_sink(const SinkSpec& spec, PartitionIndex partition,
                                        int stdout_fd = STDOUT_FILENO);

}  // namespace retinue::worker
