// Says that output goes on in another file than before.
#pragma once

#include <fmt/format.h>

#include <string>

#include "worker/log/log.h"
#include "worker/sink/committed_file.h"

namespace retinue::worker {

// `spec_path` is where the spec names the file. Nothing is said of a file that is the one before.
inline void log_new_file(LogSink& log, const CommittedFile& file, const std::string& spec_path) {
  if (const auto& before = file.left_behind()) {
    log.info("output goes on in a new file, and the file before keeps what it has",
             {{"spec_path", spec_path},
              {"path", file.path()},
              {"path_before", before->path},
              {"bytes_before", fmt::to_string(before->length)}});
  }
}

}  // namespace retinue::worker
