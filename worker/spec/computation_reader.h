// Reads one computation of a spec, and checks that it has the fields of its kind.
#pragma once

#include <filesystem>
#include <string>

#include "protocol/yson/node.h"
#include "worker/spec/problem.h"
#include "worker/spec/spec.h"

namespace retinue::worker {

ComputationSpec read_computation(const std::string& id, const yson::Node& node,
                                 const std::string& path, const std::filesystem::path& folder,
                                 Problems& problems);

}  // namespace retinue::worker
