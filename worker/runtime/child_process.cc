#include "worker/runtime/child_process.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <map>
#include <utility>
#include <vector>

namespace retinue::worker {
namespace {

// The worker's own environment with the request's additions.
std::vector<std::string> environment_of(const SpawnRequest& request) {
  std::map<std::string, std::string, std::less<>> variables;
  for (char** each = environ; *each != nullptr; ++each) {
    const std::string_view variable = *each;
    const size_t equals = variable.find('=');
    if (equals != std::string_view::npos) {
      variables.emplace(variable.substr(0, equals), variable.substr(equals + 1));
    }
  }
  for (const auto& [name, value] : request.environment) {
    variables.insert_or_assign(name, value);
  }
  std::vector<std::string> environment;
  environment.reserve(variables.size());
  for (const auto& [name, value] : variables) {
    environment.push_back(fmt::format("{}={}", name, value));
  }
  return environment;
}

std::vector<char*> pointers_to(std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  pointers.reserve(strings.size() + 1);
  for (std::string& string : strings) {
    pointers.push_back(string.data());
  }
  pointers.push_back(nullptr);
  return pointers;
}

Error spawn_error(const SpawnRequest& request, int failure) {
  const auto correct = [&](ErrorCode code, std::string_view field, const std::string& what) {
    return Error{code, fmt::format("{}. Correct {}/{}", what, request.spec_path, field)};
  };
  const std::string& folder = request.working_directory;
  std::error_code ignored;
  if (!folder.empty() && !std::filesystem::is_directory(folder, ignored)) {
    return correct(ErrorCode::kNotFound, "working_directory",
                   fmt::format("its working directory {} is not there", folder));
  }
  if (!folder.empty() && ::access(folder.c_str(), X_OK) != 0) {
    return correct(
        ErrorCode::kInvalidSpec, "working_directory",
        fmt::format("its working directory {} cannot be entered: {}", folder, ::strerror(errno)));
  }
  const std::string program = fmt::format("{}: {}", request.command[0], uv_strerror(failure));
  switch (failure) {
    case UV_ENOENT: return correct(ErrorCode::kNotFound, "command", program);
    case UV_EACCES:
      return correct(ErrorCode::kInvalidSpec, "command", program + " (is it executable?)");
    case UV_ENOTDIR:
    case -ENOEXEC: return correct(ErrorCode::kInvalidSpec, "command", program);
    default: return {ErrorCode::kIoError, program};
  }
}

}  // namespace

ChildProcess::ChildProcess(EventLoop& loop, const Printed& printed, Exited exited)
    : loop_(loop), exited_(std::move(exited)), stdout_(*this, printed), stderr_(*this, printed) {
  for (Output* const output : {&stdout_, &stderr_}) {
    uv_pipe_init(loop.native(), &output->pipe, 0);
    output->pipe.data = output;
  }
}

Result<uint64_t> ChildProcess::spawn(const SpawnRequest& request) {
  std::vector<std::string> command = request.command;
  std::vector<std::string> environment = environment_of(request);
  const std::vector<char*> arguments = pointers_to(command);
  const std::vector<char*> variables = pointers_to(environment);
  std::array<uv_stdio_container_t, 3> stdio = {};
  stdio[0].flags = UV_IGNORE;
  for (size_t i = 1; i < stdio.size(); ++i) {
    stdio[i].flags = static_cast<uv_stdio_flags>(UV_CREATE_PIPE | UV_WRITABLE_PIPE);
    stdio[i].data.stream = reinterpret_cast<uv_stream_t*>(&(i == 1 ? stdout_ : stderr_).pipe);
  }
  uv_process_options_t options = {};
  options.file = command[0].c_str();
  options.args = const_cast<char**>(arguments.data());
  options.env = const_cast<char**>(variables.data());
  options.cwd = request.working_directory.empty() ? nullptr : request.working_directory.c_str();
  options.flags = UV_PROCESS_DETACHED;  // a session, and so a process group, of its own
  options.stdio_count = static_cast<int>(stdio.size());
  options.stdio = stdio.data();
  options.exit_cb = [](uv_process_t* process, int64_t code, int signal) {
    static_cast<ChildProcess*>(process->data)->handle_exit(code, signal);
  };
  process_.data = this;

  const int failure = uv_spawn(loop_.native(), &process_, &options);
  if (failure != 0) {
    abandon();
    return spawn_error(request, failure);
  }
  is_running_ = true;
  read(stdout_);
  read(stderr_);
  return static_cast<uint64_t>(process_.pid);
}

void ChildProcess::read(Output& output) {
  uv_read_start(
      reinterpret_cast<uv_stream_t*>(&output.pipe),
      [](uv_handle_t* handle, size_t, uv_buf_t* buffer) {
        auto* const into = static_cast<Output*>(handle->data);
        *buffer = uv_buf_init(into->buffer, sizeof into->buffer);
      },
      [](uv_stream_t* stream, ssize_t size, const uv_buf_t* buffer) {
        auto* const from = static_cast<Output*>(stream->data);
        if (size >= 0) {
          from->lines.append({buffer->base, static_cast<size_t>(size)});
        } else {
          from->process.close_output(*from);
        }
      });
}

void ChildProcess::close_output(Output& output) {
  if (uv_is_closing(reinterpret_cast<uv_handle_t*>(&output.pipe)) == 0) {
    output.lines.finish();
    close_handle(&output.pipe);
  }
}

void ChildProcess::handle_exit(int64_t code, int signal) {
  is_running_ = false;
  // What it started and left behind would go on without a worker.
  ::kill(-process_.pid, SIGKILL);
  close_handle(&process_);
  // Its last words are read: libuv handles signals after the pipes that were readable with them.
  close_output(stdout_);
  close_output(stderr_);
  loop_.request_turn();
  const std::string status =
      signal == 0 ? fmt::format("exited with code {}", code)
                  : fmt::format("was killed by signal {} ({})", signal, ::strsignal(signal));
  const Exited exited = std::move(exited_);
  if (exited && !is_abandoned_) {
    exited(status);
  }
}

void ChildProcess::signal(CompanionTransport::Signal signal) {
  if (is_running_) {
    ::kill(-process_.pid, signal == CompanionTransport::Signal::kKill ? SIGKILL : SIGTERM);
  }
}

void ChildProcess::abandon() {
  is_abandoned_ = true;
  signal(CompanionTransport::Signal::kKill);
  if (uv_is_closing(reinterpret_cast<uv_handle_t*>(&process_)) == 0) {
    close_handle(&process_);
  }
  for (Output* const output : {&stdout_, &stderr_}) {
    close_output(*output);
  }
}

void ChildProcess::close_handle(void* handle) {
  const auto closed = [](uv_handle_t* done) {
    ChildProcess& self = done->type == UV_PROCESS ? *static_cast<ChildProcess*>(done->data)
                                                  : static_cast<Output*>(done->data)->process;
    if (--self.open_handles_ == 0) {
      delete &self;
    }
  };
  uv_close(static_cast<uv_handle_t*>(handle), closed);
}

}  // namespace retinue::worker
