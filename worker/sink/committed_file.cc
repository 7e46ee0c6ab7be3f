#include "worker/sink/committed_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "protocol/base/check.h"

namespace retinue::worker {
namespace {

std::string folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path();
  return folder.empty() ? "." : folder;
}

}  // namespace

CommittedFile::~CommittedFile() {
  if (fd_ >= 0) {
    ::close(fd_);
  }
}

Error CommittedFile::io_error(std::string_view what, int error_number) const {
  const bool is_full = error_number == ENOSPC || error_number == EDQUOT;
  return Error{is_full ? ErrorCode::kOutOfSpace : ErrorCode::kIoError,
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

Result<void> CommittedFile::open_or_create(bool may_create) {
  // O_NONBLOCK: a pipe under that name must not hang the open; it is refused below.
  fd_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd_ >= 0) {
    return {};
  }
  if (errno == EISDIR || errno == ENXIO) {
    return Error{ErrorCode::kInvalidArgument, fmt::format("{}: is not a regular file", path_)};
  }
  if (errno != ENOENT) {
    return io_error("open it for writing", errno);
  }
  if (!may_create) {
    return Error{
        ErrorCode::kDataCorrupted,
        fmt::format("{}: is gone, though output was committed to it; put it back, or start the "
                    "pipeline from the beginning with a new data directory",
                    path_)};
  }
  fd_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd_ >= 0) {
    return sync_folder();
  }
  if (errno == ENOENT) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("{}: there is no folder {}; create it", path_, folder_of(path_))};
  }
  return io_error("create it", errno);
}

Result<void> CommittedFile::restore(std::optional<uint64_t> committed_length) {
  RETINUE_CHECK(fd_ < 0, "restored twice");
  const uint64_t wanted = committed_length.value_or(0);
  RETINUE_TRY(open_or_create(wanted == 0));
  struct stat status;
  if (::fstat(fd_, &status) != 0) {
    return io_error("look at it", errno);
  }
  if (!S_ISREG(status.st_mode)) {
    return Error{ErrorCode::kInvalidArgument, fmt::format("{}: is not a regular file", path_)};
  }
  const auto size = static_cast<uint64_t>(status.st_size);
  if (!committed_length && size > 0) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("{}: exists and is not empty, and this pipeline has written nothing "
                             "to it yet; move it away or name another file",
                             path_)};
  }
  if (size < wanted) {
    return Error{
        ErrorCode::kDataCorrupted,
        fmt::format("{}: has {} bytes, but {} were committed to it; put the file back, or start "
                    "the pipeline from the beginning with a new data directory",
                    path_, size, wanted)};
  }
  if (size > wanted) {
    if (::ftruncate(fd_, static_cast<off_t>(wanted)) != 0) {
      return io_error("take back what was not committed", errno);
    }
    is_dirty_ = true;
  }
  length_ = wanted;
  return {};
}

Result<uint64_t> CommittedFile::append(std::string_view bytes) {
  RETINUE_CHECK(fd_ >= 0, "append before restore");
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
  return length_;
}

Result<void> CommittedFile::sync() {
  if (is_dirty_ && ::fdatasync(fd_) != 0) {
    return io_error("put it on disk", errno);
  }
  is_dirty_ = false;
  return {};
}

}  // namespace retinue::worker
