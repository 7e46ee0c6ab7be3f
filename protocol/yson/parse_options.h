// The bounds that reading untrusted YSON keeps.
#pragma once

#include <cstddef>

#include "protocol/base/limits.h"

namespace retinue::yson {

struct ParseOptions {
  // How many brackets may be open at once; more than the default counts as the default, which keeps
  // recursion over a Node bounded.
  int depth_limit = limits::kYsonDepthLimit;
  size_t bytes_limit = limits::kYsonBytesLimit;
};

}  // namespace retinue::yson
