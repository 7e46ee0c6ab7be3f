// The code of an error that the operating system reports.
#pragma once

#include <cerrno>

#include "protocol/base/error.h"

namespace retinue {

// kOutOfSpace for a full disk and a used-up quota, kIoError for the rest of errno's values.
inline ErrorCode io_error_code(int error_number) {
  const bool is_full = error_number == ENOSPC || error_number == EDQUOT;
  return is_full ? ErrorCode::kOutOfSpace : ErrorCode::kIoError;
}

}  // namespace retinue
