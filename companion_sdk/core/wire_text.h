// Strings as Cap'n Proto texts.
#pragma once

#include <capnp/blob.h>

#include <string>

namespace retinue::companion {

inline capnp::Text::Reader as_text(const std::string& text) {
  return {text.c_str(), text.size()};
}

}  // namespace retinue::companion
