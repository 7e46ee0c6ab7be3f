// The spec of World's pipeline; world.h draws it.
#pragma once

#include "worker/spec/spec.h"

namespace retinue::worker::testing {

PipelineSpec word_pipeline();

}  // namespace retinue::worker::testing
