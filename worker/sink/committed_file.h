// CommittedFile: a file that grows by appends and whose good length is committed elsewhere.
//
//   restore(committed length)      takes back what a crash left beyond it
//   length = append(bytes); sync() then commit `length` together with what the bytes came from
//
// So the file holds every committed byte exactly once. The sinks write through it, and the engine
// the dead-letter file of a source (SourceChunk::dead_letters).
//
// Invariant: nothing is appended to a file that holds bytes which were never committed. Commit the
// length 0 that restore(nullopt) leaves before the first append; otherwise a crash in between
// leaves a file that the next restore(nullopt) refuses.
//
// Threads: one at a time. Owns: the open file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "protocol/base/result.h"

namespace retinue::worker {

class CommittedFile {
 public:
  explicit CommittedFile(std::string path) : path_(std::move(path)) {}
  ~CommittedFile();
  CommittedFile(const CommittedFile&) = delete;
  CommittedFile& operator=(const CommittedFile&) = delete;

  // Opens the file, or creates it when nothing was committed to it (nullopt or 0), and cuts it to
  // the committed length. Errors: kInvalidArgument for a file with content and no committed length,
  // for anything but a regular file and for a missing folder; kDataCorrupted when the file is gone
  // or shorter; kIoError.
  Result<void> restore(std::optional<uint64_t> committed_length);
  // Returns the new length, which is not on disk before sync(). After an error the length is the
  // old one. Precondition: restored. Errors: kOutOfSpace, kIoError.
  Result<uint64_t> append(std::string_view bytes);
  // Puts every append on disk.
  Result<void> sync();

  uint64_t length() const { return length_; }
  const std::string& path() const { return path_; }

 private:
  Result<void> open_or_create(bool may_create);
  Result<void> sync_folder() const;
  Error io_error(std::string_view what, int error_number) const;

  const std::string path_;
  int fd_ = -1;
  uint64_t length_ = 0;
  bool is_dirty_ = false;
};

}  // namespace retinue::worker
