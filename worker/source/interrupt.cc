#include "worker/source/interrupt.h"

#include <fmt/format.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "protocol/base/check.h"

namespace retinue::worker {

Result<std::unique_ptr<Interrupt>> Interrupt::create() {
  const int fd = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (fd < 0) {
    return Error{ErrorCode::kIoError,
                 fmt::format("cannot make an eventfd: {}", std::strerror(errno))};
  }
  return std::unique_ptr<Interrupt>(new Interrupt(fd));
}

Interrupt::~Interrupt() {
  ::close(fd_);
}

void Interrupt::raise() {
  raised_.store(true, std::memory_order_release);
  const uint64_t one = 1;
  RETINUE_CHECK(::write(fd_, &one, sizeof one) == sizeof one || errno == EAGAIN);
}

}  // namespace retinue::worker
