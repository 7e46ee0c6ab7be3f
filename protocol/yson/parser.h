// Reads YSON, text and binary mixed as the format allows, from untrusted bytes.
#pragma once

#include <cstddef>
#include <string_view>

#include "protocol/base/limits.h"
#include "protocol/base/result.h"
#include "protocol/yson/node.h"

namespace retinue::yson {

struct ParseOptions {
  int depth_limit = limits::kYsonDepthLimit;
  size_t bytes_limit = limits::kYsonBytesLimit;
};

// Reads exactly one node; blanks may surround it.
// Errors: kInvalidYson with "line L, column C" (text) or "offset N" (binary), what was expected and
// what was found; kLimitExceeded past depth_limit or bytes_limit.
Result<Node> parse(std::string_view bytes, const ParseOptions& options = {});

// Checks that the bytes are one well-formed node without building it: no allocation but the
// nesting.
Result<void> validate(std::string_view bytes, const ParseOptions& options = {});

}  // namespace retinue::yson
