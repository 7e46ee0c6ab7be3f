#include "worker/store/rocksdb/data_directory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "protocol/base/io_error_code.h"

namespace retinue::worker {
namespace {

namespace fs = std::filesystem;

constexpr uint32_t kFormatVersion = 1;
constexpr std::string_view kFormatPrefix = "retinue-data ";
constexpr size_t kSmallFileBytesLimit = 256;

class FileDescriptor {
 public:
  FileDescriptor(const fs::path& path, int flags) : fd_(::open(path.c_str(), flags, 0600)) {}
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor() {
    if (fd_ >= 0) {
      ::close(fd_);
    }
  }

  bool is_open() const { return fd_ >= 0; }
  int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

Error system_error(int number, std::string_view what, const fs::path& path) {
  return {.code = io_error_code(number),
          .message = fmt::format("cannot {} {}: {}", what, path.string(),
                                 std::generic_category().message(number))};
}

// At most kSmallFileBytesLimit bytes from the beginning.
Result<std::string> read_small_file(int fd, const fs::path& path) {
  std::string bytes(kSmallFileBytesLimit, '\0');
  const ssize_t size = ::pread(fd, bytes.data(), bytes.size(), 0);
  if (size < 0) {
    return system_error(errno, "read", path);
  }
  bytes.resize(static_cast<size_t>(size));
  return bytes;
}

Result<void> write_all(int fd, std::string_view bytes, const fs::path& path) {
  const ssize_t size = ::pwrite(fd, bytes.data(), bytes.size(), 0);
  if (size < 0) {
    return system_error(errno, "write", path);
  }
  if (static_cast<size_t>(size) != bytes.size()) {
    return system_error(ENOSPC, "write", path);
  }
  return {};
}

Result<void> sync_directory(const fs::path& path) {
  const FileDescriptor directory(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (!directory.is_open() || ::fsync(directory.get()) != 0) {
    return system_error(errno, "sync", path);
  }
  return {};
}

// After a crash the file is whole or absent.
Result<void> write_format(const fs::path& directory) {
  const fs::path path = directory / "FORMAT";
  const fs::path temporary = directory / "FORMAT.new";
  {
    const FileDescriptor file(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC);
    if (!file.is_open()) {
      return system_error(errno, "create", temporary);
    }
    RETINUE_TRY(
        write_all(file.get(), fmt::format("{}{}\n", kFormatPrefix, kFormatVersion), temporary));
    if (::fsync(file.get()) != 0) {
      return system_error(errno, "sync", temporary);
    }
  }
  if (::rename(temporary.c_str(), path.c_str()) != 0) {
    return system_error(errno, "create", path);
  }
  return sync_directory(directory);
}

Result<void> check_format(std::string_view text, const fs::path& path) {
  uint32_t version = 0;
  const bool framed = text.starts_with(kFormatPrefix) && text.ends_with('\n');
  if (framed) {
    const std::string_view digits =
        text.substr(kFormatPrefix.size(), text.size() - kFormatPrefix.size() - 1);
    const char* end = digits.data() + digits.size();
    const auto parsed = std::from_chars(digits.data(), end, version);
    if (parsed.ec != std::errc{} || parsed.ptr != end) {
      version = 0;
    }
  }
  if (version == 0) {
    return Error{.code = ErrorCode::kDataCorrupted,
                 .message = fmt::format("{} does not hold a data format; restore the directory "
                                        "from a backup, or name another one",
                                        path.string())};
  }
  if (version > kFormatVersion) {
    return Error{.code = ErrorCode::kNewerDataFormat,
                 .message = fmt::format("{} has data format {}, and this release reads up to "
                                        "format {}; run the release that wrote it, or a newer one",
                                        path.parent_path().string(), version, kFormatVersion)};
  }
  return {};
}

// True when there is a format and it is this release's; false when there is none.
Result<bool> find_format(const fs::path& directory) {
  const fs::path path = directory / "FORMAT";
  const FileDescriptor file(path, O_RDONLY | O_CLOEXEC);
  if (!file.is_open()) {
    if (errno != ENOENT && errno != ENOTDIR) {
      return system_error(errno, "open", path);
    }
    return false;
  }
  RETINUE_ASSIGN(const std::string text, read_small_file(file.get(), path));
  RETINUE_TRY(check_format(text, path));
  return true;
}

// What an interrupted creation may leave, and what a file system puts into its root.
bool may_stand_in_new_directory(const fs::path& name) {
  return name == "FORMAT" || name == "FORMAT.new" || name == "LOCK" || name == "db" ||
         name == "lost+found";
}

Result<void> check_name(const fs::path& directory) {
  if (directory.empty()) {
    return Error{.code = ErrorCode::kInvalidArgument,
                 .message = "the data directory's name is empty; name one with --data-dir"};
  }
  std::error_code failed;
  if (fs::exists(directory, failed) && !fs::is_directory(directory, failed)) {
    return Error{.code = ErrorCode::kInvalidArgument,
                 .message = fmt::format("{} is not a directory; name one with --data-dir",
                                        directory.string())};
  }
  return {};
}

// Somebody else's files must not end up beside a database.
Result<void> check_not_foreign(const fs::path& directory) {
  std::error_code failed;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory, failed)) {
    const fs::path name = entry.path().filename();
    if (!may_stand_in_new_directory(name)) {
      return Error{.code = ErrorCode::kInvalidArgument,
                   .message = fmt::format("{} is not a data directory, and not empty: it has "
                                          "\"{}\"; name an empty directory or a new one with "
                                          "--data-dir",
                                          directory.string(), name.string())};
    }
  }
  return {};
}

// States are as private as what they were made of: only the worker's user may enter.
Result<void> make_private_directory(const fs::path& path) {
  std::error_code failed;
  fs::path whole = fs::absolute(path, failed);
  if (!whole.has_filename()) {
    whole = whole.parent_path();  // "data/" is "data"
  }
  fs::create_directories(whole.parent_path(), failed);
  if (failed) {
    return system_error(failed.value(), "create", path);
  }
  if (::mkdir(whole.c_str(), 0700) != 0 && errno != EEXIST) {
    return system_error(errno, "create", path);
  }
  return {};
}

Error in_use_error(const fs::path& directory, std::string_view pid_text) {
  while (!pid_text.empty() && pid_text.back() == '\n') {
    pid_text.remove_suffix(1);
  }
  return {.code = ErrorCode::kDirectoryInUse,
          .message = fmt::format("{} is in use by process {}; stop that worker first, or name "
                                 "another directory",
                                 directory.string(), pid_text.empty() ? "?" : pid_text)};
}

// The descriptor that holds the lock.
Result<int> take_lock(const fs::path& directory) {
  const fs::path path = directory / "LOCK";
  FileDescriptor file(path, O_RDWR | O_CREAT | O_CLOEXEC);
  if (!file.is_open()) {
    return system_error(errno, "open", path);
  }
  if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) {
      return system_error(errno, "lock", path);
    }
    RETINUE_ASSIGN(const std::string holder, read_small_file(file.get(), path));
    return in_use_error(directory, holder);
  }
  if (::ftruncate(file.get(), 0) != 0) {
    return system_error(errno, "write", path);
  }
  RETINUE_TRY(write_all(file.get(), fmt::format("{}\n", ::getpid()), path));
  return file.release();
}

}  // namespace

DataDirectory::DataDirectory(fs::path path, int lock_fd)
    : path_(std::move(path)), lock_fd_(lock_fd) {}

DataDirectory::DataDirectory(DataDirectory&& other) noexcept
    : path_(std::move(other.path_)), lock_fd_(std::exchange(other.lock_fd_, -1)) {}

DataDirectory::~DataDirectory() {
  if (lock_fd_ >= 0) {
    ::close(lock_fd_);
  }
}

Result<DataDirectory> DataDirectory::open_for_writing(const fs::path& path) {
  RETINUE_TRY(check_name(path));
  RETINUE_TRY(make_private_directory(path));
  // A newer release's directory, or somebody else's, is refused before anything in it is touched.
  RETINUE_ASSIGN(bool has_format, find_format(path));
  if (!has_format) {
    RETINUE_TRY(check_not_foreign(path));
  }
  RETINUE_ASSIGN(const int lock_fd, take_lock(path));
  DataDirectory directory(path, lock_fd);
  if (!has_format) {
    RETINUE_ASSIGN(has_format, find_format(path));
  }
  if (!has_format) {
    std::error_code failed;
    if (fs::exists(directory.database(), failed)) {
      return Error{.code = ErrorCode::kDataCorrupted,
                   .message = fmt::format("{} has a database and no FORMAT file; restore it from "
                                          "a backup, or name another directory",
                                          path.string())};
    }
    RETINUE_TRY(write_format(path));
  }
  RETINUE_TRY(make_private_directory(directory.database()));
  return directory;
}

Result<DataDirectory> DataDirectory::open_for_reading(const fs::path& path) {
  RETINUE_TRY(check_name(path));
  RETINUE_ASSIGN(const bool has_format, find_format(path));
  std::error_code failed;
  DataDirectory directory(path, -1);
  if (!has_format || !fs::exists(directory.database() / "CURRENT", failed)) {
    return Error{.code = ErrorCode::kNotFound,
                 .message = fmt::format("{} holds no pipeline's data", path.string())};
  }
  return directory;
}

}  // namespace retinue::worker
