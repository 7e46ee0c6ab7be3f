// decode_guarded: the one place where Cap'n Proto's exceptions become errors.
#pragma once

#include <kj/exception.h>

#include <string>
#include <utility>

#include "protocol/base/result.h"

namespace retinue {

// kMalformedFrame with the exception's description.
Error malformed_frame(const kj::Exception& exception);

// Runs `decode`, which returns a Result, and turns what Cap'n Proto throws on a malformed message
// into kMalformedFrame. Every access to a received reader happens under it.
template <typename Decode>
auto decode_guarded(Decode&& decode) -> decltype(decode()) {
  try {
    return std::forward<Decode>(decode)();
  } catch (const kj::Exception& exception) {
    return malformed_frame(exception);
  }
}

}  // namespace retinue
