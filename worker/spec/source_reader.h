// Reads the source of a computation.
#pragma once

#include <filesystem>
#include <string>

#include "protocol/yson/node.h"
#include "worker/spec/problem.h"
#include "worker/spec/spec.h"

namespace retinue::worker {

SourceSpec read_source(const yson::Node& node, const std::string& path,
                       const std::filesystem::path& folder, Problems& problems);

}  // namespace retinue::worker
