// What some editors put before UTF-8 text, and nobody sees.
#pragma once

#include <string_view>

namespace retinue::worker {

inline constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

}  // namespace retinue::worker
