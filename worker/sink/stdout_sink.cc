#include "worker/sink/stdout_sink.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace retinue::worker {
namespace {

Error write_error(int error_number) {
  if (error_number == EPIPE) {
    return Error{ErrorCode::kIoError, "standard output is closed"};
  }
  return Error{error_number == ENOSPC ? ErrorCode::kOutOfSpace : ErrorCode::kIoError,
               fmt::format("cannot write to standard output: {}", std::strerror(error_number))};
}

Result<void> write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(fd, bytes.data(), bytes.size());
    if (count >= 0) {
      bytes.remove_prefix(static_cast<size_t>(count));
    } else if (errno == EAGAIN) {
      // Another process that shares the terminal or pipe may have made it non-blocking.
      pollfd polled{fd, POLLOUT, 0};
      ::poll(&polled, 1, -1);
    } else if (errno != EINTR) {
      return write_error(errno);
    }
  }
  return {};
}

}  // namespace

StdoutSink::StdoutSink(int fd)
    : lines_([fd](std::string_view lines) { return write_all(fd, lines); }) {}

Result<void> StdoutSink::examine(std::string_view position) {
  position_ = position;
  return {};
}

Result<void> StdoutSink::append(std::string_view stream, const TableSchema& schema,
                                const RowBatchView& rows, uint32_t begin, uint32_t end) {
  return lines_.append(stream, schema, rows, begin, end);
}

Result<std::string> StdoutSink::flush() {
  RETINUE_TRY(lines_.flush());
  return position_;
}

}  // namespace retinue::worker
