// Reads YSON, text and binary mixed as the format allows, from untrusted bytes.
#pragma once

#include <string_view>

#include "protocol/base/result.h"
#include "protocol/yson/node.h"
#include "protocol/yson/parse_options.h"

namespace retinue::yson {

// Reads exactly one node; blanks may surround it.
// Errors: kInvalidYson with "line L, column C" (text) or "offset N" (binary), what was expected and
// what was found; kLimitExceeded past depth_limit or bytes_limit.
Result<Node> parse(std::string_view bytes, const ParseOptions& options = {});

// Checks that the bytes are one well-formed node without building it. Agrees with parse(), to the
// error's message; allocates only for deep nesting and for large maps.
Result<void> validate(std::string_view bytes, const ParseOptions& options = {});

}  // namespace retinue::yson
