// The benchmark's job without a companion: the worker's own parts in one loop, with the count done
// in place of shipping a batch.
#pragma once

#include <filesystem>
#include <string>

#include "tests/bench/end_to_end/measurement.h"

namespace retinue::bench {

// Throws std::runtime_error.
Measurement run_in_process(const std::string& spec, const std::filesystem::path& data_dir);

}  // namespace retinue::bench
