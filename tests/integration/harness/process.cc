#include "tests/integration/harness/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <stdexcept>

extern char** environ;

namespace retinue::testing {
namespace {

constexpr std::chrono::minutes kPatience(3);

std::vector<std::string> merged_environment(const std::map<std::string, std::string>& added) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    if (!added.contains(std::string(text.substr(0, text.find('='))))) {
      all.emplace_back(text);
    }
  }
  for (const auto& [name, value] : added) {
    all.push_back(name + "=" + value);
  }
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> result;
  for (std::string& string : strings) {
    result.push_back(string.data());
  }
  result.push_back(nullptr);
  return result;
}

std::string required_environment(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr) {
    throw std::runtime_error(fmt::format("{} is not set; run the test through ctest", name));
  }
  return value;
}

}  // namespace

Process::Process(const ProcessOptions& options) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, options.stdin_file.c_str(), O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, 1, (folder_ / "stdout").c_str(), O_WRONLY | O_CREAT,
                                   0600);
  posix_spawn_file_actions_addopen(&files, 2, (folder_ / "stderr").c_str(), O_WRONLY | O_CREAT,
                                   0600);
  std::vector<std::string> command = options.command;
  std::vector<std::string> environment = merged_environment(options.environment);
  const int failure = posix_spawn(&pid_, command.at(0).c_str(), &files, nullptr,
                                  pointers(command).data(), pointers(environment).data());
  posix_spawn_file_actions_destroy(&files);
  if (failure != 0) {
    throw std::runtime_error(
        fmt::format("cannot start {}: {}", command.at(0), std::strerror(failure)));
  }
  pidfd_ = static_cast<int>(syscall(SYS_pidfd_open, pid_, 0));
}

Process::~Process() {
  if (!status_) {
    signal(SIGKILL);
    wait_for(std::chrono::milliseconds(kPatience));
  }
  close(pidfd_);
}

void Process::signal(int number) const {
  if (!status_) {
    kill(pid_, number);
  }
}

std::optional<int> Process::wait_for(std::chrono::milliseconds limit) {
  if (status_) {
    return status_;
  }
  pollfd ended{.fd = pidfd_, .events = POLLIN, .revents = 0};
  if (poll(&ended, 1, static_cast<int>(limit.count())) <= 0) {
    return std::nullopt;
  }
  int status = 0;
  waitpid(pid_, &status, 0);
  status_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return status_;
}

int Process::wait() {
  if (const auto status = wait_for(kPatience)) {
    return *status;
  }
  signal(SIGKILL);
  throw std::runtime_error("the process does not end; it printed:\n" + errors());
}

std::vector<int> Process::children() const {
  std::vector<int> pids;
  try {
    std::istringstream text(read_file(fmt::format("/proc/{0}/task/{0}/children", pid_)));
    for (int pid = 0; text >> pid;) {
      pids.push_back(pid);
    }
  } catch (const std::runtime_error&) {
    // It is gone.
  }
  return pids;
}

bool Process::wait_until(const std::function<bool()>& holds) {
  const auto give_up = std::chrono::steady_clock::now() + kPatience;
  while (std::chrono::steady_clock::now() < give_up) {
    const bool has_ended = wait_for(std::chrono::milliseconds(2)).has_value();
    if (holds()) {
      return true;
    }
    if (has_ended) {
      return false;
    }
  }
  return false;
}

bool Process::wait_for_error_text(std::string_view text) {
  return wait_until([&] { return errors().find(text) != std::string::npos; });
}

Finished run(const ProcessOptions& options) {
  Process process(options);
  const int exit_code = process.wait();
  return {.exit_code = exit_code, .output = process.output(), .errors = process.errors()};
}

std::string program(std::string_view name) {
  return fmt::format("{}/bin/{}", required_environment("RETINUE_BINARY_DIR"), name);
}

std::string source_file(std::string_view path) {
  return fmt::format("{}/{}", required_environment("RETINUE_SOURCE_DIR"), path);
}

}  // namespace retinue::testing
