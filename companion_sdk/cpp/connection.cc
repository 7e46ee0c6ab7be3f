#include "companion_sdk/cpp/connection.h"

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

namespace retinue::companion {
namespace {

constexpr size_t kPiecesPerSend = 64;

Error unavailable(std::string_view address, int error) {
  return Error{ErrorCode::kUnavailable,
               fmt::format("cannot connect to {}: {}", address, std::strerror(error))};
}

Result<int> connect_unix(std::string_view path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("socket path of {} bytes, the system allows {}: {}", path.size(),
                             sizeof address.sun_path - 1, path)};
  }
  std::copy(path.begin(), path.end(), address.sun_path);
  const int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) {
    return unavailable(path, errno);
  }
  if (connect(descriptor, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    const int error = errno;
    close(descriptor);
    return unavailable(path, error);
  }
  return descriptor;
}

// Notices a worker whose machine is gone, and sends small answers at once.
void set_tcp_options(int descriptor) {
  const int on = 1;
  (void)setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  (void)setsockopt(descriptor, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
}

Result<int> connect_tcp(std::string_view address) {
  const size_t colon = address.rfind(':');
  if (colon == std::string_view::npos || colon == 0 || colon + 1 == address.size()) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("\"{}\" is neither a path nor host:port", address)};
  }
  std::string host(address.substr(0, colon));
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  }
  const std::string port(address.substr(colon + 1));
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int error = getaddrinfo(host.c_str(), port.c_str(), &hints, &found); error != 0) {
    return Error{ErrorCode::kUnavailable,
                 fmt::format("cannot resolve {}: {}", address, gai_strerror(error))};
  }
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> list(found, freeaddrinfo);
  int last_error = ENOENT;
  for (const addrinfo* each = list.get(); each != nullptr; each = each->ai_next) {
    const int descriptor =
        socket(each->ai_family, each->ai_socktype | SOCK_CLOEXEC, each->ai_protocol);
    if (descriptor >= 0 && connect(descriptor, each->ai_addr, each->ai_addrlen) == 0) {
      set_tcp_options(descriptor);
      return descriptor;
    }
    last_error = errno;
    if (descriptor >= 0) {
      close(descriptor);
    }
  }
  return unavailable(address, last_error);
}

}  // namespace

Connection::~Connection() {
  close(descriptor_);
}

Result<void> Connection::send(FrameWriter& message) {
  const std::lock_guard lock(mutex_);
  pieces_.clear();
  for (const std::span<const std::byte> piece : message.pieces()) {
    pieces_.push_back({.iov_base = const_cast<std::byte*>(piece.data()), .iov_len = piece.size()});
  }
  return send_all(pieces_);
}

Result<void> Connection::send_all(std::span<iovec> pieces) {
  while (!pieces.empty()) {
    msghdr header{};
    header.msg_iov = pieces.data();
    header.msg_iovlen = std::min(pieces.size(), kPiecesPerSend);
    const ssize_t sent = sendmsg(descriptor_, &header, MSG_NOSIGNAL);
    if (sent < 0) {
      if (errno == EINTR) {
        continue;
      }
      return Error{ErrorCode::kConnectionClosed,
                   fmt::format("cannot send to the worker: {}", std::strerror(errno))};
    }
    auto left = static_cast<size_t>(sent);
    while (!pieces.empty() && left >= pieces.front().iov_len) {
      left -= pieces.front().iov_len;
      pieces = pieces.subspan(1);
    }
    if (left > 0) {
      iovec& first = pieces.front();
      first = {.iov_base = static_cast<std::byte*>(first.iov_base) + left,
               .iov_len = first.iov_len - left};
    }
  }
  return {};
}

Result<size_t> Connection::receive(std::span<std::byte> into) {
  for (;;) {
    const ssize_t got = recv(descriptor_, into.data(), into.size(), 0);
    if (got >= 0) {
      return static_cast<size_t>(got);
    }
    if (errno != EINTR) {
      return Error{ErrorCode::kConnectionClosed,
                   fmt::format("cannot read from the worker: {}", std::strerror(errno))};
    }
  }
}

void Connection::finish_sending() {
  (void)shutdown(descriptor_, SHUT_WR);
}

Result<int> connect_to(std::string_view address) {
  constexpr std::string_view kUnix = "unix:";
  if (address.starts_with(kUnix)) {
    return connect_unix(address.substr(kUnix.size()));
  }
  if (address.find('/') != std::string_view::npos) {
    return connect_unix(address);
  }
  return connect_tcp(address);
}

}  // namespace retinue::companion
