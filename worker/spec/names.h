// What names and texts in a spec may look like.
#pragma once

#include <string_view>

namespace retinue::worker {

constexpr bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '.' || c == '-';
}

// The names of pipelines, streams, companions, computations, functions, states and sinks.
bool is_valid_name(std::string_view name);

// UTF-8, not empty, without zero bytes: what can be an argument, a path or a column's name.
bool is_valid_text(std::string_view text);

}  // namespace retinue::worker
