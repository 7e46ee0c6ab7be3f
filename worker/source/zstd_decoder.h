// The zstd Decoder, by libzstd.
#pragma once

#include <memory>

#include "worker/source/decompressing_reader.h"

namespace retinue::worker {

std::unique_ptr<Decoder> make_zstd_decoder();

}  // namespace retinue::worker
