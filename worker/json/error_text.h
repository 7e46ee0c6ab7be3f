// Pieces of error messages about text that a user wrote: quoting and "did you mean".
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace retinue::worker {

// `text` in double quotes, printable whatever its bytes are, cut after about 100 bytes.
std::string quote_text(std::string_view text);

// The known name that is a slip or two away from `name`; empty when none is.
std::string_view nearest_name(std::string_view name, std::span<const std::string_view> known);
// ` (did you mean "count"?)`, or nothing.
std::string did_you_mean(std::string_view name, std::span<const std::string_view> known);

}  // namespace retinue::worker
