// What names in a spec may look like.
#pragma once

#include <algorithm>
#include <string_view>

#include "protocol/base/limits.h"

namespace retinue::worker {

constexpr bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '.' || c == '-';
}

// The names of pipelines, streams, companions, computations, functions, states and sinks.
constexpr bool is_valid_name(std::string_view name) {
  return !name.empty() && name.size() <= limits::kNameBytesLimit &&
         std::all_of(name.begin(), name.end(), is_name_character);
}

}  // namespace retinue::worker
