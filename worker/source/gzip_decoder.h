// The gzip Decoder, by zlib.
#pragma once

#include <memory>

#include "worker/source/decompressing_reader.h"

namespace retinue::worker {

std::unique_ptr<Decoder> make_gzip_decoder();

}  // namespace retinue::worker
