// Process: a program that a test runs, waits for and kills.
//
// Threads: one. Owns: the process; it is killed with the object.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/folder/folder.h"

namespace retinue::testing {

struct ProcessOptions {
  std::vector<std::string> command;                     // [0] is a path
  std::map<std::string, std::string> environment = {};  // added to the test's own
  std::filesystem::path stdin_file = "/dev/null";
};

class Process {
 public:
  // Throws std::runtime_error when it cannot be started.
  explicit Process(const ProcessOptions& options);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  int pid() const { return pid_; }
  void signal(int number) const;
  // The exit code, or 128 + the signal's number; nullopt if it still runs after `limit`.
  std::optional<int> wait_for(std::chrono::milliseconds limit);
  // As wait_for; kills it and throws std::runtime_error with its output if it does not end.
  int wait();
  // The pids of the processes that it started itself.
  std::vector<int> children() const;

  // What it has printed so far.
  std::string output() const { return read_file(folder_ / "stdout"); }
  std::string errors() const { return read_file(folder_ / "stderr"); }
  // Waits until `holds`, which is asked often; false if the process ends without, or takes too
  // long.
  bool wait_until(const std::function<bool()>& holds);
  // Waits until its standard error holds `text`.
  bool wait_for_error_text(std::string_view text);

 private:
  Folder folder_;
  int pid_ = -1;
  int pidfd_ = -1;
  std::optional<int> status_;
};

struct Finished {
  int exit_code = 0;
  std::string output;
  std::string errors;
};
// Runs a program to its end.
Finished run(const ProcessOptions& options);

// Where the build's programs are: RETINUE_BINARY_DIR/bin.
std::string program(std::string_view name);
// A file of the repository: RETINUE_SOURCE_DIR/…
std::string source_file(std::string_view path);

}  // namespace retinue::testing
