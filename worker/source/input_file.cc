#include "worker/source/input_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace retinue::worker {
namespace {

Error io_error(std::string_view path, std::string_view what, int error_number) {
  const bool is_missing = error_number == ENOENT || error_number == ENOTDIR;
  return Error{is_missing ? ErrorCode::kNotFound : ErrorCode::kIoError,
               fmt::format("{}: cannot {}: {}", path, what, std::strerror(error_number))};
}

}  // namespace

InputFile::InputFile(std::string path, int fd, bool owns_fd, bool is_regular,
                     const Interrupt& interrupt)
    : path_(std::move(path)),
      fd_(fd),
      owns_fd_(owns_fd),
      is_regular_(is_regular),
      interrupt_(interrupt) {}

InputFile::~InputFile() {
  if (owns_fd_) {
    ::close(fd_);
  }
}

Result<std::unique_ptr<InputFile>> InputFile::open(const std::string& path,
                                                   const Interrupt& interrupt, int stdin_fd) {
  const bool is_stdin = path == kStandardInput;
  // O_NONBLOCK: opening a named pipe must not wait for its writer; read() does, interruptibly.
  const int fd = is_stdin ? stdin_fd : ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) {
    return io_error(path, "open it", errno);
  }
  std::unique_ptr<InputFile> file;
  struct stat status;
  const int failed = ::fstat(fd, &status);
  const int error_number = errno;
  const bool is_regular = failed == 0 && !is_stdin && S_ISREG(status.st_mode);
  file.reset(new InputFile(path, fd, !is_stdin, is_regular, interrupt));
  if (failed != 0) {
    return io_error(path, "open it", error_number);
  }
  if (S_ISDIR(status.st_mode)) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("{}: is a directory; name its files, or a pattern like {}/*", path,
                             is_stdin ? "DIR" : path)};
  }
  return file;
}

Result<bool> InputFile::wait_readable(bool wait) {
  pollfd polled[2] = {{fd_, POLLIN, 0}, {interrupt_.fd(), POLLIN, 0}};
  while (!interrupt_.raised()) {
    const int ready = ::poll(polled, 2, wait ? -1 : 0);
    if (ready < 0 && errno != EINTR) {
      return io_error(path_, "wait for it", errno);
    }
    if (ready > 0 && polled[0].revents != 0) {
      return true;
    }
    if (ready == 0) {
      return false;
    }
  }
  return Error{ErrorCode::kDraining, fmt::format("{}: reading was interrupted", path_)};
}

Result<std::optional<size_t>> InputFile::read(char* out, size_t size, bool wait) {
  if (!unread_.empty()) {
    const size_t count = std::min(size, unread_.size());
    std::memcpy(out, unread_.data(), count);
    unread_.erase(0, count);
    offset_ += count;
    return std::optional(count);
  }
  for (;;) {
    if (is_regular_) {
      if (interrupt_.raised()) {
        return Error{ErrorCode::kDraining, fmt::format("{}: reading was interrupted", path_)};
      }
    } else {
      RETINUE_ASSIGN(const bool is_readable, wait_readable(wait));
      if (!is_readable) {
        return std::optional<size_t>();
      }
    }
    const ssize_t count = ::read(fd_, out, size);
    if (count >= 0) {
      offset_ += static_cast<size_t>(count);
      return std::optional(static_cast<size_t>(count));
    }
    // EAGAIN: another reader of the same pipe was faster.
    if (errno != EINTR && errno != EAGAIN) {
      return io_error(path_, "read it", errno);
    }
  }
}

void InputFile::unread(std::string_view bytes) {
  unread_.insert(0, bytes);
  offset_ -= bytes.size();
}

Result<uint64_t> InputFile::size() const {
  struct stat status;
  if (::fstat(fd_, &status) != 0) {
    return io_error(path_, "look at it", errno);
  }
  return static_cast<uint64_t>(status.st_size);
}

Result<void> InputFile::seek(uint64_t offset) {
  if (::lseek(fd_, static_cast<off_t>(offset), SEEK_SET) < 0) {
    return io_error(path_, "go to its position", errno);
  }
  unread_.clear();
  offset_ = offset;
  return {};
}

}  // namespace retinue::worker
