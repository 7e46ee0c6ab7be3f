// PipelineFiles: the files that a pipeline reads and writes as they are when it starts, so that it
// does not read what it writes itself.
//
// Threads: one at a time.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "protocol/base/result.h"

namespace retinue::worker {

class PipelineFiles {
 public:
  // `spec_path` is where the spec names the file, "/sinks/out/path"; a file is compared by what it
  // is, not by its path. What is not there, and what is no regular file, is nobody's.
  // Errors: kInvalidSpec when the file is read and written; names both places.
  Result<void> add_read(const std::string& path, const std::string& spec_path);
  Result<void> add_written(const std::string& path, const std::string& spec_path);

 private:
  using Identity = std::pair<uint64_t, uint64_t>;  // device and inode
  // The spec paths of who uses it; empty: nobody.
  struct File {
    std::string reader;
    std::string writer;
  };

  Result<void> add(const std::string& path, const std::string& spec_path, std::string File::*user);

  std::map<Identity, File> files_;
};

}  // namespace retinue::worker
