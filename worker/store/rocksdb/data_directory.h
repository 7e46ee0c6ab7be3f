// DataDirectory: what stands in a data directory beside the database: its format and its lock.
//
// Owns: the writer's lock, until destroyed.
#pragma once

#include <filesystem>

#include "protocol/base/result.h"

namespace retinue::worker {

class DataDirectory {
 public:
  // Creates the directory if it is missing, takes the lock, then checks the format, or writes it
  // into a new directory. What it creates only the worker's user may enter.
  // Errors: kInvalidArgument for no name, a file, or a directory that holds something else;
  // kDirectoryInUse with the holder's pid, kNewerDataFormat, kDataCorrupted, kOutOfSpace, kIoError.
  static Result<DataDirectory> open_for_writing(const std::filesystem::path& path);
  // Takes no lock and creates nothing. Errors: kNotFound when no data is there, and as above.
  static Result<DataDirectory> open_for_reading(const std::filesystem::path& path);

  DataDirectory(DataDirectory&& other) noexcept;
  DataDirectory& operator=(DataDirectory&&) = delete;
  ~DataDirectory();

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path database() const { return path_ / "db"; }

 private:
  DataDirectory(std::filesystem::path path, int lock_fd);

  std::filesystem::path path_;
  int lock_fd_;  // -1: not held
};

}  // namespace retinue::worker
