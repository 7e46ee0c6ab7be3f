// Names of optional behaviour within a protocol version, for Hello and Welcome. PROTOCOL.md,
// section 4, says what each means.
#pragma once

#include <string_view>

namespace retinue {

// The companion answers pings while it opens a job or processes a batch.
inline constexpr std::string_view kHeartbeatAtWork = "heartbeat-at-work";

}  // namespace retinue
