// Reads one sink of a spec.
#pragma once

#include <filesystem>
#include <string>

#include "protocol/yson/node.h"
#include "worker/spec/problem.h"
#include "worker/spec/spec.h"

namespace retinue::worker {

SinkSpec read_sink(const yson::Node& node, const std::string& path,
                   const std::filesystem::path& folder, Problems& problems);

}  // namespace retinue::worker
