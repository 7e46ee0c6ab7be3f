// The handshake: what a Hello must say, and the Welcome or Reject that answers it.
//
// A process that the worker spawned carries "<token>.<process id>", so that its connection is known
// to be its own whatever it forks or execs; one started by hand carries the token itself.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "protocol/base/clock.h"
#include "protocol/base/ids.h"
#include "protocol/base/result.h"
#include "protocol/schema/companion.capnp.h"
#include "worker/session/transport.h"
#include "worker/spec/spec.h"

namespace retinue::worker {

struct ProtocolVersion {
  uint16_t major = 0;
  uint16_t minor = 0;

  friend constexpr auto operator<=>(const ProtocolVersion&, const ProtocolVersion&) = default;
};

// What this worker speaks.
inline constexpr ProtocolVersion kMinVersion{1, 0};
inline constexpr ProtocolVersion kMaxVersion{1, 0};

std::string spawned_token(std::string_view token, ProcessId process);

// A Hello whose token is right. The rest is as the peer claims.
struct Hello {
  std::optional<ProcessId> process;  // nullopt: started by hand
  CompanionName companion;
  ProtocolVersion version;  // the highest that both sides speak
  std::string sdk;
  std::string language;
  uint64_t pid = 0;
  bool has_heartbeat_at_work = false;  // the capability kHeartbeatAtWork
};

// A Hello that is refused. `process` is set once the token was found right.
struct HelloRefusal {
  Error error;
  std::string remedy;
  std::optional<ProcessId> process;
  std::optional<CompanionName> companion;  // set when the spec has it
};

// Checks, in this order: the token (in constant time), the version, the companion's name, the
// functions that the spec wants of it.
std::variant<Hello, HelloRefusal> read_hello(wire::Hello::Reader in, std::string_view token,
                                             const PipelineSpec& spec);

void write_welcome(wire::Welcome::Builder out, const Hello& hello, SessionId session,
                   std::string_view pipeline, Duration heartbeat_interval);
void write_reject(wire::Reject::Builder out, const Error& error, std::string_view remedy);

}  // namespace retinue::worker
