// CommittedFile: a file that grows by appends and whose good length is committed elsewhere.
//
//   examine(committed position)    finds out whether the file is as it was committed
//   restore()                      takes back what a crash left beyond it
//   append(bytes); sync()          then commit position() together with what the bytes came from
//
// So the file holds every committed byte exactly once. The sinks write through it, and the engine
// the dead-letter file of a source (SourceChunk::dead_letters).
//
// Invariants: no byte is taken back but from the file that the position was committed for; nothing
// is appended to a file that holds bytes which were never committed. Commit the position that
// restore() leaves before the first append; otherwise a crash in between leaves a file that the
// next examine() refuses.
//
// Threads: one at a time. Owns: the open file, and a lock on it, which keeps other workers out.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "protocol/base/result.h"
#include "worker/sink/file_position.h"

namespace retinue::worker {

class CommittedFile {
 public:
  explicit CommittedFile(std::string path) : path_(std::move(path)) {}
  ~CommittedFile();
  CommittedFile(const CommittedFile&) = delete;
  CommittedFile& operator=(const CommittedFile&) = delete;

  // Opens and locks the file if there is one. Changes nothing. `committed` is nullopt when nothing
  // was; one of another path begins a new file. Errors: kInvalidArgument for a new file that has
  // content, and for anything but a regular file; kDataCorrupted when the file is gone or shorter;
  // kIoError, also for a file that somebody else has locked.
  Result<void> examine(const std::optional<FilePosition>& committed);
  // Creates the file, or cuts it to the committed length. Precondition: examined. Errors also:
  // kInvalidArgument for a missing folder.
  Result<void> restore();
  // What it adds is not on disk before sync(). After an error the length is the old one.
  // Precondition: restored. Errors: kOutOfSpace; kDataCorrupted when the file was removed, replaced
  // or cut meanwhile; kIoError.
  Result<void> append(std::string_view bytes);
  // Puts every append on disk. Errors: as append.
  Result<void> sync();

  // Precondition: restored.
  FilePosition position() const { return {.path = real_path_, .length = length_}; }
  // The file of another path that what was committed before stays in. Precondition: examined.
  const std::optional<FilePosition>& left_behind() const { return left_behind_; }
  const std::string& path() const { return path_; }

 private:
  // False: there is none.
  Result<bool> open(int more_flags);
  Result<void> lock() const;
  Result<uint64_t> size() const;
  Result<void> create();
  Result<void> check_unchanged() const;
  Result<void> sync_folder() const;
  Error io_error(std::string_view what, int error_number) const;
  Error lost(std::string_view what) const;
  Error not_empty() const;

  const std::string path_;
  std::string real_path_;
  std::optional<FilePosition> left_behind_;
  bool is_own_ = false;  // what it holds is the pipeline's
  int fd_ = -1;
  dev_t device_ = 0;
  ino_t inode_ = 0;
  uint64_t length_ = 0;
  bool is_dirty_ = false;
};

}  // namespace retinue::worker
