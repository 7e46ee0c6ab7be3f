// ChildProcess: one spawned companion process, in a process group of its own.
//
// What it prints is handed on line by line. The group keeps a terminal's Ctrl-C from reaching it,
// so that the worker can drain it; and it takes what the process itself started along when it is
// killed. When the worker dies without a chance to do so, the companion sees its socket close and
// exits.
//
// Threads: the loop's. Owns itself: deleted once its handles are closed.
#pragma once

#include <uv.h>

#include <functional>
#include <string>
#include <string_view>

#include "worker/runtime/event_loop.h"
#include "worker/runtime/output_lines.h"
#include "worker/session/transport.h"

namespace retinue::worker {

class ChildProcess {
 public:
  using Printed = std::function<void(std::string_view line)>;
  // "exited with code 3" or "was killed by signal 9 (Killed)".
  using Exited = std::function<void(std::string_view status)>;

  ChildProcess(EventLoop& loop, const Printed& printed, Exited exited);
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // The pid. Errors: those of CompanionTransport::spawn; the object is gone then.
  Result<uint64_t> spawn(const SpawnRequest& request);
  void signal(CompanionTransport::Signal signal);
  // Kills it if it runs, and reports nothing any more.
  void abandon();

 private:
  struct Output {
    Output(ChildProcess& owner, const Printed& printed) : process(owner), lines(printed) {}

    ChildProcess& process;
    uv_pipe_t pipe;
    OutputLines lines;
    char buffer[4096];
  };

  ~ChildProcess() = default;
  void handle_exit(int64_t code, int signal);
  void read(Output& output);
  void close_output(Output& output);
  void close_handle(void* handle);

  EventLoop& loop_;
  Exited exited_;
  uv_process_t process_;
  Output stdout_;
  Output stderr_;
  int open_handles_ = 3;
  bool is_running_ = false;
  bool is_abandoned_ = false;
};

}  // namespace retinue::worker
