// Interrupt: makes a read that waits for a pipe give up, from another thread. It stays raised.
//
// Threads: raise() and raised() from any.
#pragma once

#include <atomic>
#include <memory>

#include "protocol/base/result.h"

namespace retinue::worker {

class Interrupt {
 public:
  // Errors: kIoError when the process is out of file descriptors.
  static Result<std::unique_ptr<Interrupt>> create();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  void raise();
  bool raised() const { return raised_.load(std::memory_order_acquire); }
  // Readable once raised; for poll().
  int fd() const { return fd_; }

 private:
  explicit Interrupt(int fd) : fd_(fd) {}

  const int fd_;
  std::atomic<bool> raised_{false};
};

}  // namespace retinue::worker
