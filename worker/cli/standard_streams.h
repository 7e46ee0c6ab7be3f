// The standard streams of a command: present, and checked when written.
#pragma once

#include <cstdio>
#include <optional>
#include <string_view>

#include "protocol/base/result.h"

namespace retinue::worker {

// Takes the numbers 0 to 2 that the caller has closed, so that no file or socket gets one of them.
// Reading standard input, or writing the others, then fails, as it would on a closed descriptor.
void occupy_standard_descriptors();

// Output: a stream that a command prints its result on. A result that was cut short must not look
// whole, so the first failure stays and finish() tells it.
//
// Borrows: the file.
class Output {
 public:
  explicit Output(std::FILE* file) : file_(file) {}

  // Errors: kIoError, kOutOfSpace; of an earlier write, too.
  Result<void> write(std::string_view text);
  // Puts everything out. Errors: as write().
  Result<void> finish();

 private:
  Result<void> outcome(bool is_done);

  std::FILE* const file_;
  std::optional<Error> error_;
};

}  // namespace retinue::worker
