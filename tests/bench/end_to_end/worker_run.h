// The benchmark's job by the real worker and the real companion.
#pragma once

#include <filesystem>

#include "tests/bench/end_to_end/measurement.h"

namespace retinue::bench {

// Runs `retinue run` and reads its summary. Throws std::runtime_error.
Measurement run_worker(const std::filesystem::path& retinue, const std::filesystem::path& spec,
                       const std::filesystem::path& data_dir);

}  // namespace retinue::bench
