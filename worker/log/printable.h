// Text that others wrote, made fit for a terminal.
#pragma once

#include <string>
#include <string_view>

namespace retinue::worker {

// `text` with control characters escaped, ESC as \x1b, and what is no UTF-8 as U+FFFD. Tabs stay;
// lines after the first are indented, so that none looks like an entry of the log.
std::string printable(std::string_view text);
// `text` with what is no UTF-8 as U+FFFD, byte by byte.
std::string valid_utf8(std::string_view text);

}  // namespace retinue::worker
