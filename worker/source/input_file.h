// InputFile: the bytes of one file or pipe as they lie, read so that waiting can be interrupted.
//
// Threads: one at a time. Owns: the descriptor, but not that of standard input.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "protocol/base/result.h"
#include "worker/source/interrupt.h"

namespace retinue::worker {

// The path that means standard input.
inline constexpr std::string_view kStandardInput = "-";

class InputFile {
 public:
  // Borrows `interrupt`. Errors: kNotFound, kInvalidArgument for a directory, kIoError.
  static Result<std::unique_ptr<InputFile>> open(const std::string& path,
                                                 const Interrupt& interrupt,
                                                 int stdin_fd = STDIN_FILENO);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  // Reads up to `size` bytes (> 0) and returns how many; 0 is the end. nullopt: a pipe has nothing
  // yet, only without `wait`. Errors: kIoError; kDraining once interrupted.
  Result<std::optional<size_t>> read(char* out, size_t size, bool wait);
  // Gives bytes that were just read back to the next read().
  void unread(std::string_view bytes);

  // A regular file opened by its path. Standard input counts as a stream even if it is a file.
  bool is_regular() const { return is_regular_; }
  // Bytes on disk now. Precondition: is_regular().
  Result<uint64_t> size() const;
  // Precondition: is_regular().
  Result<void> seek(uint64_t offset);
  // Where the next read() begins, in bytes from where reading began.
  uint64_t offset() const { return offset_; }
  const std::string& path() const { return path_; }

 private:
  InputFile(std::string path, int fd, bool owns_fd, bool is_regular, const Interrupt& interrupt);

  // False: nothing to read yet.
  Result<bool> wait_readable(bool wait);

  const std::string path_;
  const int fd_;
  const bool owns_fd_;
  const bool is_regular_;
  const Interrupt& interrupt_;
  std::string unread_;
  uint64_t offset_ = 0;
};

}  // namespace retinue::worker
