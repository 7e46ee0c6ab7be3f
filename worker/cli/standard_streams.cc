#include "worker/cli/standard_streams.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "protocol/base/io_error_code.h"

namespace retinue::worker {

void occupy_standard_descriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) < 0 && errno == EBADF) {
      // The lowest free number is this one. The wrong direction makes its use fail.
      ::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    }
  }
}

Result<void> Output::write(std::string_view text) {
  return outcome(std::fwrite(text.data(), 1, text.size(), file_) == text.size());
}

Result<void> Output::finish() {
  return outcome(std::fflush(file_) == 0);
}

Result<void> Output::outcome(bool is_done) {
  if (!is_done && !error_) {
    error_ = Error{io_error_code(errno),
                   fmt::format("cannot write to standard {}: {}",
                               file_ == stderr ? "error" : "output", std::strerror(errno))};
  }
  return error_ ? Result<void>(*error_) : Result<void>();
}

}  // namespace retinue::worker
