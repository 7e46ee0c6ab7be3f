// Where companions find the worker: the socket's path and the token, in the data directory.
//
//   DIR/companion.sock   the socket, or nothing when that path is too long for one; it is then in a
//                        folder of its own under the system's folder for temporary files
//   DIR/companion.env    RETINUE_SOCKET=… and RETINUE_TOKEN=…, for companions started by hand; only
//                        the worker's user may read it
#pragma once

#include <filesystem>
#include <string>

#include "protocol/base/result.h"

namespace retinue::worker {

// Owns: the files; they are removed with it.
class CompanionSocket {
 public:
  // Makes a new token, and the file. Errors: kIoError, kOutOfSpace.
  static Result<CompanionSocket> create(const std::filesystem::path& data_dir);
  ~CompanionSocket();
  CompanionSocket(CompanionSocket&& other) noexcept;
  CompanionSocket& operator=(CompanionSocket&&) = delete;

  const std::filesystem::path& path() const { return path_; }
  const std::filesystem::path& env_file() const { return env_file_; }
  const std::string& token() const { return token_; }

 private:
  CompanionSocket() = default;

  std::filesystem::path path_;
  std::filesystem::path env_file_;
  std::filesystem::path temporary_folder_;  // empty: none
  std::string token_;
};

}  // namespace retinue::worker
