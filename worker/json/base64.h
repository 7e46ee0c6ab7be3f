// Base64 with padding (RFC 4648, section 4), for bytes that JSON strings cannot hold.
#pragma once

#include <string>
#include <string_view>

namespace retinue::worker {

void append_base64(std::string& out, std::string_view bytes);
// Sets `out` to the bytes; false when `text` is not exactly what append_base64 makes of some bytes.
bool decode_base64(std::string_view text, std::string& out);

}  // namespace retinue::worker
