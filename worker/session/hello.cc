#include "worker/session/hello.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <vector>

#include "protocol/base/capabilities.h"
#include "protocol/base/limits.h"
#include "protocol/frame/wire_values.h"

namespace retinue::worker {
namespace {

// A job ships its next batch only when the last is answered.
constexpr uint32_t kBatchesInFlight = 1;

// Takes the same time wherever the two first differ.
bool equal_in_constant_time(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) {
    return false;
  }
  volatile unsigned char difference = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    difference = static_cast<unsigned char>(difference | (a[i] ^ b[i]));
  }
  return difference == 0;
}

struct Credentials {
  std::optional<ProcessId> process;
};

std::optional<Credentials> check_token(std::string_view given, std::string_view token) {
  if (equal_in_constant_time(given, token)) {
    return Credentials{};
  }
  const size_t dot = given.rfind('.');
  if (dot == std::string_view::npos || !equal_in_constant_time(given.substr(0, dot), token)) {
    return std::nullopt;
  }
  uint64_t process = 0;
  const char* const end = given.data() + given.size();
  const auto [stop, failure] = std::from_chars(given.data() + dot + 1, end, process);
  if (failure != std::errc{} || stop != end) {
    return std::nullopt;
  }
  return Credentials{ProcessId(process)};
}

ProtocolVersion read_version(wire::Version::Reader in) {
  return {in.getMajor(), in.getMinor()};
}

void write_version(wire::Version::Builder out, ProtocolVersion version) {
  out.setMajor(version.major);
  out.setMinor(version.minor);
}

// Peers speak every version between their lowest and their highest.
std::optional<ProtocolVersion> choose_version(ProtocolVersion peer_min, ProtocolVersion peer_max) {
  const ProtocolVersion chosen = std::min(peer_max, kMaxVersion);
  return chosen >= peer_min && chosen >= kMinVersion ? std::optional(chosen) : std::nullopt;
}

// The functions that the spec wants of a companion and the Hello does not list.
std::vector<std::string_view> missing_functions(const PipelineSpec& spec,
                                                const CompanionName& companion,
                                                const std::set<std::string_view>& served) {
  std::set<std::string_view> missing;
  for (const auto& [id, computation] : spec.computations) {
    if (computation.kind != ComputationKind::kPassthroughSource &&
        computation.companion == companion &&
        !served.contains(computation.processing_function.value())) {
      missing.insert(computation.processing_function.value());
    }
  }
  return {missing.begin(), missing.end()};
}

std::string joined_or_none(const auto& names) {
  return names.empty() ? "none" : fmt::format("\"{}\"", fmt::join(names, "\", \""));
}

// Text of a peer, for messages and logs.
std::string bounded(capnp::Text::Reader text) {
  return std::string(as_view(text).substr(0, limits::kNameBytesLimit));
}

HelloRefusal refuse_version(ProtocolVersion peer_min, ProtocolVersion peer_max) {
  const bool peer_is_older = peer_max < kMinVersion;
  return {{ErrorCode::kVersionMismatch,
           fmt::format("the companion speaks protocol {}.{} to {}.{}, this worker {}.{} to {}.{}",
                       peer_min.major, peer_min.minor, peer_max.major, peer_max.minor,
                       kMinVersion.major, kMinVersion.minor, kMaxVersion.major, kMaxVersion.minor)},
          peer_is_older ? "Build the companion with a newer SDK." : "Upgrade the worker.",
          {},
          {}};
}

}  // namespace

std::string spawned_token(std::string_view token, ProcessId process) {
  return fmt::format("{}.{}", token, process.value());
}

std::variant<Hello, HelloRefusal> read_hello(wire::Hello::Reader in, std::string_view token,
                                             const PipelineSpec& spec) {
  const auto credentials = check_token(as_view(in.getToken()), token);
  if (!credentials) {
    return HelloRefusal{{ErrorCode::kUnauthorized, "the Hello's token is not this run's"},
                        "Pass on RETINUE_TOKEN of the running worker.",
                        {},
                        {}};
  }
  Hello hello;
  hello.process = credentials->process;
  hello.companion = CompanionName(bounded(in.getCompanion()));
  hello.sdk = bounded(in.getSdk());
  hello.language = bounded(in.getLanguage());
  hello.pid = in.getPid();
  for (const auto capability : in.getCapabilities()) {
    hello.has_heartbeat_at_work |= as_view(capability) == kHeartbeatAtWork;
  }

  const bool is_known = spec.companions.contains(hello.companion);
  const auto refuse = [&](HelloRefusal refusal) {
    refusal.process = hello.process;
    if (is_known) {
      refusal.companion = hello.companion;
    }
    return refusal;
  };
  const ProtocolVersion peer_min = read_version(in.getMinVersion());
  const ProtocolVersion peer_max = read_version(in.getMaxVersion());
  const auto version = choose_version(peer_min, peer_max);
  if (!version) {
    return refuse(refuse_version(peer_min, peer_max));
  }
  hello.version = *version;
  if (!is_known) {
    std::vector<std::string_view> names;
    for (const auto& [name, companion] : spec.companions) {
      names.push_back(name.value());
    }
    return refuse(
        {{ErrorCode::kNotFound, fmt::format("the spec has no companion \"{}\"; it has {}",
                                            hello.companion.value(), joined_or_none(names))},
         "Give the companion one of these names (RETINUE_COMPANION).",
         {},
         {}});
  }
  std::set<std::string_view> served;
  for (const auto function : in.getFunctions()) {
    served.insert(as_view(function.getName()));
  }
  const auto missing = missing_functions(spec, hello.companion, served);
  if (!missing.empty()) {
    return refuse(
        {{ErrorCode::kFunctionNotServed,
          fmt::format("companion \"{}\" does not serve {}; it serves {}", hello.companion.value(),
                      joined_or_none(missing), joined_or_none(served))
              .substr(0, limits::kErrorTextBytesLimit)},
         "Register the function in the companion, or correct processing_function.",
         {},
         {}});
  }
  return hello;
}

void write_welcome(wire::Welcome::Builder out, const Hello& hello, SessionId session,
                   std::string_view pipeline, Duration heartbeat_interval) {
  write_version(out.initVersion(), hello.version);
  out.setSessionId(session.value());
  out.setWorker("retinue " RETINUE_VERSION);
  out.setPipeline(std::string(pipeline));
  out.setHeartbeatIntervalUs(heartbeat_interval.microseconds());
  auto bounds = out.initLimits();
  bounds.setFrameBytes(limits::kFrameBytesLimit);
  bounds.setValueBytes(limits::kValueBytesLimit);
  bounds.setKeyBytes(limits::kKeyBytesLimit);
  bounds.setBatchRows(limits::kRowBatchRowsLimit);
  bounds.setBatchesInFlight(kBatchesInFlight);
  if (hello.has_heartbeat_at_work) {
    out.initCapabilities(1).set(0, std::string(kHeartbeatAtWork));
  }
}

void write_reject(wire::Reject::Builder out, const Error& error, std::string_view remedy) {
  write_error(out.initError(), error, remedy);
  write_version(out.initMinVersion(), kMinVersion);
  write_version(out.initMaxVersion(), kMaxVersion);
}

}  // namespace retinue::worker
