#include "worker/sink/committed_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <system_error>

#include "protocol/base/check.h"
#include "protocol/base/io_error_code.h"

namespace retinue::worker {
namespace {

std::string folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path();
  return folder.empty() ? "." : folder;
}

std::string canonical_path(const std::string& path) {
  std::error_code failure;
  const std::filesystem::path canonical = std::filesystem::weakly_canonical(path, failure);
  return failure ? path : canonical.string();
}

}  // namespace

CommittedFile::~CommittedFile() {
  if (fd_ >= 0) {
    ::close(fd_);
  }
}

Error CommittedFile::io_error(std::string_view what, int error_number) const {
  return Error{io_error_code(error_number),
               fmt::format("{}: cannot {}: {}", path_, what, std::strerror(error_number))};
}

Result<void> CommittedFile::sync_folder() const {
  const int folder = ::open(folder_of(path_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) {
    return io_error("open its folder", errno);
  }
  const int error_number = ::fsync(folder) == 0 ? 0 : errno;
  ::close(folder);
  // Some file systems have no sync for folders, and say so.
  if (error_number != 0 && error_number != EINVAL) {
    return io_error("put its folder on disk", error_number);
  }
  return {};
}

Error CommittedFile::lost(std::string_view what) const {
  return Error{ErrorCode::kDataCorrupted,
               fmt::format("{}: {}; put the file back, or start the pipeline from the beginning "
                           "with a new data directory",
                           path_, what)};
}

Error CommittedFile::not_empty() const {
  std::string message = fmt::format("{}: exists and is not empty, and ", path_);
  if (left_behind_) {
    fmt::format_to(std::back_inserter(message), "the output so far went to {}; name that file",
                   left_behind_->path);
  } else {
    message += "no output was committed to it yet; move it away";
  }
  return Error{ErrorCode::kInvalidArgument, message + ", or name a new file"};
}

Result<uint64_t> CommittedFile::size() const {
  struct stat status;
  if (::fstat(fd_, &status) != 0) {
    return io_error("look at it", errno);
  }
  return static_cast<uint64_t>(status.st_size);
}

Result<void> CommittedFile::lock() const {
  if (::flock(fd_, LOCK_EX | LOCK_NB) == 0) {
    return {};
  }
  if (errno == EWOULDBLOCK) {
    return Error{ErrorCode::kIoError,
                 fmt::format("{}: is being written by another worker, or by another sink or "
                             "dead_letter_path of this pipeline; stop that worker, or name "
                             "another file",
                             path_)};
  }
  // Some file systems have no locks, and say so.
  const bool has_none = errno == ENOLCK || errno == ENOSYS || errno == EOPNOTSUPP;
  return has_none ? Result<void>() : Result<void>(io_error("lock it", errno));
}

Result<bool> CommittedFile::open(int more_flags) {
  // O_NONBLOCK: a pipe under that name must not hang the open; it is refused below.
  fd_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK | more_flags, 0666);
  if (fd_ < 0) {
    if (errno == ENOENT) {
      return false;
    }
    if (errno == EISDIR || errno == ENXIO) {
      return Error{ErrorCode::kInvalidArgument, fmt::format("{}: is not a regular file", path_)};
    }
    return io_error("open it for writing", errno);
  }
  struct stat status;
  if (::fstat(fd_, &status) != 0) {
    return io_error("look at it", errno);
  }
  if (!S_ISREG(status.st_mode)) {
    return Error{ErrorCode::kInvalidArgument, fmt::format("{}: is not a regular file", path_)};
  }
  device_ = status.st_dev;
  inode_ = status.st_ino;
  RETINUE_TRY(lock());
  return true;
}

Result<void> CommittedFile::examine(const std::optional<FilePosition>& committed) {
  RETINUE_CHECK(fd_ < 0 && real_path_.empty(), "examined twice");
  RETINUE_ASSIGN(const bool exists, open(0));
  real_path_ = canonical_path(path_);
  is_own_ = committed && (committed->path.empty() || committed->path == real_path_);
  if (is_own_) {
    length_ = committed->length;
  } else {
    left_behind_ = committed;
  }
  if (!exists) {
    return length_ == 0
               ? Result<void>()
               : lost(fmt::format("is gone, though {} bytes were committed to it", length_));
  }
  RETINUE_ASSIGN(const uint64_t bytes, size());
  if (!is_own_ && bytes > 0) {
    return not_empty();
  }
  if (bytes < length_) {
    return lost(fmt::format("has {} bytes, but {} were committed to it", bytes, length_));
  }
  return {};
}

Result<void> CommittedFile::create() {
  RETINUE_ASSIGN(const bool is_open, open(O_CREAT));
  if (!is_open) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("{}: there is no folder {}; create it", path_, folder_of(path_))};
  }
  // A link without a target has one now.
  real_path_ = canonical_path(path_);
  RETINUE_ASSIGN(const uint64_t bytes, size());
  return bytes > 0 ? Result<void>(not_empty()) : sync_folder();
}

Result<void> CommittedFile::restore() {
  RETINUE_CHECK(!real_path_.empty(), "restore before examine");
  if (fd_ < 0) {
    return create();
  }
  RETINUE_ASSIGN(const uint64_t bytes, size());
  if (!is_own_ && bytes > 0) {
    return not_empty();
  }
  if (bytes > length_) {
    if (::ftruncate(fd_, static_cast<off_t>(length_)) != 0) {
      return io_error("take back what was not committed", errno);
    }
    is_dirty_ = true;
  }
  return {};
}

Result<void> CommittedFile::check_unchanged() const {
  struct stat status;
  if (::stat(path_.c_str(), &status) != 0) {
    return errno == ENOENT || errno == ENOTDIR ? lost("was removed while it was written")
                                               : io_error("look at it", errno);
  }
  if (status.st_dev != device_ || status.st_ino != inode_) {
    return lost("was replaced by another file while it was written");
  }
  const auto bytes = static_cast<uint64_t>(status.st_size);
  if (bytes < length_) {
    return lost(
        fmt::format("was cut to {} bytes while it was written, and had {}", bytes, length_));
  }
  return {};
}

Result<void> CommittedFile::append(std::string_view bytes) {
  RETINUE_CHECK(fd_ >= 0, "append before restore");
  // Now, too: writing behind the end of a file that was cut makes it long again.
  RETINUE_TRY(check_unchanged());
  size_t written = 0;
  while (written < bytes.size()) {
    const ssize_t count = ::pwrite(fd_, bytes.data() + written, bytes.size() - written,
                                   static_cast<off_t>(length_ + written));
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count <= 0) {
      Error error = io_error("write to it", count < 0 ? errno : ENOSPC);
      // Best effort: restore() cuts the file again in any case.
      if (written > 0 && ::ftruncate(fd_, static_cast<off_t>(length_)) != 0) {
        error.message += "; and what was half written stays until the next start";
      }
      return error;
    }
    is_dirty_ = true;
    written += static_cast<size_t>(count);
  }
  length_ += bytes.size();
  return {};
}

Result<void> CommittedFile::sync() {
  if (is_dirty_ && ::fdatasync(fd_) != 0) {
    return io_error("put it on disk", errno);
  }
  is_dirty_ = false;
  return check_unchanged();
}

}  // namespace retinue::worker
