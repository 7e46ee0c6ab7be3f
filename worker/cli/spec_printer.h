// What `retinue check` prints.
#pragma once

#include <string>

#include "worker/cli/command_line.h"
#include "worker/spec/spec_loader.h"

namespace retinue::worker {

// Lines, each ending with a line feed: what the pipeline consists of, or its problems.
std::string report_text(const CheckOptions& options, const SpecReport& report);
// {"ok": false, "problems": [{"path": …, "message": …}]}, without a line end.
std::string report_json(const SpecReport& report);

}  // namespace retinue::worker
