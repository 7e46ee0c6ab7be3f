// Reads a whole JSON text, a spec say, into a yson::Node. For texts that people write: errors give
// line and column, // and /* */ comments are allowed. Records go through json_row_parser.h.
#pragma once

#include <cstddef>
#include <string_view>

#include "protocol/base/limits.h"
#include "protocol/base/result.h"
#include "protocol/yson/node.h"

namespace retinue::worker {

struct JsonParseOptions {
  int depth_limit = limits::kYsonDepthLimit;
  size_t bytes_limit = limits::kYsonBytesLimit;
};

// Exactly one value. Whole numbers without . or e are int64, or uint64 above INT64_MAX; past that
// they are an error, not a double. null is an entity.
// Errors: kInvalidJson, "line L, column C: …", for malformed text, invalid UTF-8, a comma before a
// closing bracket, a key that repeats in its object, a number that fits no type, or a limit passed.
// Columns count characters from 1.
Result<yson::Node> parse_json(std::string_view text, const JsonParseOptions& options = {});

}  // namespace retinue::worker
