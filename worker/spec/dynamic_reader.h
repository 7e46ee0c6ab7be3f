// Reads dynamic_spec: what may change on a running pipeline.
#pragma once

#include <string>

#include "protocol/yson/node.h"
#include "worker/spec/problem.h"
#include "worker/spec/spec.h"

namespace retinue::worker {

// Has entries only for the computations that `node` names.
DynamicSpec read_dynamic_spec(const yson::Node& node, const std::string& path, Problems& problems);

// What a computation has that dynamic_spec does not name.
DynamicComputationSpec default_dynamic_computation();

}  // namespace retinue::worker
