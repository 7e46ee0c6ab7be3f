#include "worker/runtime/listening_socket.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace retinue::worker {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) {
      ::close(number_);
    }
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int get() const { return number_; }
  int release() { return std::exchange(number_, -1); }

 private:
  int number_;
};

Error system_error(std::string_view what, const std::string& path) {
  return {ErrorCode::kIoError, fmt::format("cannot {} {}: {}", what, path, std::strerror(errno))};
}

Descriptor open_socket() {
  return Descriptor(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

Result<void> remove_stale_socket(const std::string& path, const sockaddr_un& address) {
  struct stat status = {};
  if (::lstat(path.c_str(), &status) != 0) {
    return errno == ENOENT ? Result<void>() : system_error("look at", path);
  }
  if (!S_ISSOCK(status.st_mode)) {
    return Error{ErrorCode::kIoError,
                 fmt::format("{} exists and is no socket; remove it or choose another path", path)};
  }
  const Descriptor probe = open_socket();
  if (probe.get() < 0) {
    return system_error("open a socket for", path);
  }
  const int outcome =
      ::connect(probe.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
  if (outcome == 0 || errno != ECONNREFUSED) {
    return Error{ErrorCode::kDirectoryInUse,
                 fmt::format("another worker listens on {}; stop it or choose another path", path)};
  }
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) {
    return system_error("remove the stale socket", path);
  }
  return {};
}

}  // namespace

Result<int> bind_unix_socket(const std::filesystem::path& path) {
  const std::string& name = path.native();
  if (name.empty() || name.size() > kSocketPathBytesMax) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("the socket path {} has {} bytes; a Unix-domain socket takes 1 to {}: "
                             "choose a shorter one",
                             name, name.size(), kSocketPathBytesMax)};
  }
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, name.data(), name.size());
  RETINUE_TRY(remove_stale_socket(name, address));

  Descriptor listener = open_socket();
  if (listener.get() < 0) {
    return system_error("open a socket for", name);
  }
  // The file gets the descriptor's mode: there is no moment at which others may connect.
  if (::fchmod(listener.get(), S_IRUSR | S_IWUSR) != 0 ||
      ::bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    return system_error("bind a socket at", name);
  }
  return listener.release();
}

}  // namespace retinue::worker
