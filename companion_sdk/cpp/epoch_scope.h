// EpochScope: marks the thread that processes a batch, for as long as it does.
//
// Every batch of the process gets a number of its own; a thread has the number of the batch it is
// processing now. What was handed out for a batch remembers its number, and so can tell, without
// touching memory that may be gone, that the batch is over or another thread's.
#pragma once

#include <cstdint>

namespace retinue::companion {

class EpochScope {
 public:
  EpochScope();
  ~EpochScope();
  EpochScope(const EpochScope&) = delete;
  EpochScope& operator=(const EpochScope&) = delete;

  // The number of the batch this thread processes; 0: none.
  static uint64_t current();

 private:
  uint64_t outer_;
};

// Throws StaleStateError unless this thread processes batch number `epoch`.
void check_epoch(uint64_t epoch);

}  // namespace retinue::companion
