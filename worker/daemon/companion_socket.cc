#include "worker/daemon/companion_socket.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "worker/runtime/listening_socket.h"

namespace retinue::worker {
namespace {

Error io_error(const std::filesystem::path& path, std::string_view what) {
  return Error{errno == ENOSPC ? ErrorCode::kOutOfSpace : ErrorCode::kIoError,
               fmt::format("{}: cannot {}: {}", path.string(), what, std::strerror(errno))};
}

Result<std::string> random_token() {
  std::array<unsigned char, 16> bytes;
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    return io_error("/dev/urandom", "read");
  }
  std::string token;
  for (const unsigned char byte : bytes) {
    token += fmt::format("{:02x}", byte);
  }
  return token;
}

Result<void> write_private_file(const std::filesystem::path& path, std::string_view text) {
  unlink(path.c_str());
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) {
    return io_error(path, "create");
  }
  const bool is_written = write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  auto result = is_written ? Result<void>() : Result<void>(io_error(path, "write"));
  close(fd);
  return result;
}

}  // namespace

Result<CompanionSocket> CompanionSocket::create(const std::filesystem::path& data_dir) {
  CompanionSocket socket;
  RETINUE_ASSIGN(socket.token_, random_token());
  std::error_code failure;
  const std::filesystem::path folder = std::filesystem::absolute(data_dir, failure);
  socket.path_ = folder / "companion.sock";
  if (socket.path_.string().size() > kSocketPathBytesMax) {
    std::string pattern =
        (std::filesystem::temp_directory_path(failure) / "retinue-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) {
      return io_error(pattern, "create the folder");
    }
    socket.temporary_folder_ = pattern;
    socket.path_ = socket.temporary_folder_ / "companion.sock";
  }
  socket.env_file_ = folder / "companion.env";
  RETINUE_TRY(write_private_file(
      socket.env_file_,
      fmt::format("RETINUE_SOCKET={}\nRETINUE_TOKEN={}\n", socket.path_.string(), socket.token_)));
  return socket;
}

CompanionSocket::CompanionSocket(CompanionSocket&& other) noexcept
    : path_(std::move(other.path_)),
      env_file_(std::exchange(other.env_file_, {})),
      temporary_folder_(std::exchange(other.temporary_folder_, {})),
      token_(std::move(other.token_)) {}

CompanionSocket::~CompanionSocket() {
  std::error_code ignored;
  if (!env_file_.empty()) {
    std::filesystem::remove(env_file_, ignored);
  }
  if (!temporary_folder_.empty()) {
    std::filesystem::remove_all(temporary_folder_, ignored);
  }
}

}  // namespace retinue::worker
