#include "worker/daemon/last_words.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <exception>
#include <new>
#include <string_view>
#include <system_error>

namespace retinue::worker {
namespace {

// Database, event loop, sockets and the pipeline's own files.
constexpr uint64_t kOpenFiles = 64;
// Its connection, its two outputs, and the pipe that uv_spawn waits on.
constexpr uint64_t kOpenFilesOfProcess = 4;

// No allocation: there may be no memory.
void say(std::string_view code, std::string_view what, std::string_view remedy = {}) {
  std::array<char, 512> line;
  char* end =
      fmt::format_to_n(line.data(), line.size() - 1, "retinue: {}: {}{}", code, what, remedy).out;
  *end++ = '\n';
  [[maybe_unused]] const ssize_t ignored =
      ::write(STDERR_FILENO, line.data(), static_cast<size_t>(end - line.data()));
}

[[noreturn]] void end_with_last_words() {
  try {
    std::rethrow_exception(std::current_exception());
  } catch (const std::bad_alloc&) {
    say("io-error", "out of memory",
        "; raise the limit (ulimit -v, or the container's), or lower the spec's "
        "state_cache_bytes_limit and inbox_bytes_limit");
  } catch (const std::system_error& error) {
    const bool is_limit = error.code() == std::errc::resource_unavailable_try_again;
    say("io-error", error.what(),
        is_limit ? ": no thread can be started; raise the limits on processes and memory "
                   "(ulimit -u, ulimit -v)"
                 : "");
  } catch (const std::exception& error) {
    say("internal", error.what());
  } catch (...) {
    say("internal", "an unknown exception");
  }
  ::_exit(1);
}

}  // namespace

void say_last_words() {
  std::set_terminate([] {
    if (std::current_exception()) {
      end_with_last_words();
    }
    std::abort();
  });
}

Result<void> check_open_files_limit(const PipelineSpec& spec) {
  uint64_t needed = kOpenFiles;
  for (const auto& [name, companion] : spec.companions) {
    needed += kOpenFilesOfProcess * companion.processes;
  }
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= needed) {
    return {};
  }
  return Error{ErrorCode::kIoError,
               fmt::format("the limit on open files is {}, and pipeline \"{}\" needs at least {}; "
                           "raise it (ulimit -n)",
                           limit.rlim_cur, spec.name, needed)};
}

}  // namespace retinue::worker
