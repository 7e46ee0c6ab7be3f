// Stored state values: one byte that says how the rest is coded, then the rest.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "protocol/base/result.h"

namespace retinue::worker {

// On disk: never renumber, never reuse.
enum class StoredCodec : uint8_t {
  kPlain = 1,
  kZstd = 2,  // one frame that declares its content's size
};

// New values are written plain: StateChanges::set_with_prefix(kStoredPlain, value).
inline constexpr char kStoredPlain = static_cast<char>(StoredCodec::kPlain);

// The value that `stored` codes, at most limits::kValueBytesLimit bytes: a part of `stored`, or in
// `buffer`. Errors: kDataCorrupted.
Result<std::string_view> decode_state_value(std::string_view stored, std::string& buffer);

}  // namespace retinue::worker
