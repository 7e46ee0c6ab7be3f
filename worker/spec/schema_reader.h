// Reads streams and their schemas, and the schemas that computations group by.
#pragma once

#include <string>

#include "protocol/values/schema.h"
#include "protocol/yson/node.h"
#include "worker/spec/problem.h"
#include "worker/spec/spec.h"

namespace retinue::worker {

// A schema with a problem in it comes back empty, so that nothing is said about it twice.
StreamSpec read_stream(const yson::Node& node, const std::string& path, Problems& problems);

// Key columns are required, whatever is said. Only the first may have an expression.
TableSchema read_group_by_schema(const yson::Node& node, const std::string& path,
                                 Problems& problems);

}  // namespace retinue::worker
