#include "companion_sdk/core/session_messages.h"

#include <fmt/format.h>

#include <iterator>
#include <string>

#include "protocol/base/limits.h"
#include "protocol/frame/wire_values.h"

namespace retinue::companion {

void write_hello(wire::Hello::Builder out, const SessionOptions& options) {
  for (auto version : {out.initMinVersion(), out.initMaxVersion()}) {
    version.setMajor(kProtocolMajor);
  }
  out.getMaxVersion().setMinor(kProtocolMinor);
  out.setSdk(as_text(options.sdk));
  out.setLanguage(as_text(options.language));
  out.setPid(options.pid);
  out.setToken(as_text(options.token));
  out.setCompanion(as_text(options.companion));
  auto functions = out.initFunctions(static_cast<unsigned>(options.functions.size()));
  for (unsigned i = 0; i < functions.size(); ++i) {
    functions[i].setName(as_text(options.functions[i].name));
    functions[i].setProcessesTimers(options.functions[i].processes_timers);
    functions[i].setProcessesVisits(options.functions[i].processes_visits);
  }
  auto capabilities = out.initCapabilities(static_cast<unsigned>(options.capabilities.size()));
  for (unsigned i = 0; i < capabilities.size(); ++i) {
    capabilities.set(i, as_text(options.capabilities[i]));
  }
}

WorkerInfo read_welcome(wire::Welcome::Reader in) {
  WorkerInfo worker;
  worker.major = in.getVersion().getMajor();
  worker.minor = in.getVersion().getMinor();
  worker.session_id = in.getSessionId();
  worker.worker = as_view(in.getWorker());
  worker.pipeline = as_view(in.getPipeline());
  worker.heartbeat_interval = Duration::microseconds(in.getHeartbeatIntervalUs());
  if (const uint64_t bytes = in.getLimits().getFrameBytes(); bytes != 0) {
    worker.frame_bytes_limit = bytes;
  }
  for (auto capability : in.getCapabilities()) {
    worker.capabilities.emplace_back(as_view(capability));
  }
  return worker;
}

Rejected read_reject(wire::Reject::Reader in) {
  return {read_error(in.getError())};
}

void write_failure(wire::BatchFailed::Builder out, const BatchCoordinates& batch,
                   const BatchFailure& failure) {
  out.setJob(batch.job);
  out.setEpoch(batch.epoch);
  out.setAttempt(batch.attempt);
  write_error(out.initError(), failure.error);
  out.setHasInput(failure.input.has_value());
  out.setOrder(failure.input ? failure.input->value() : 0);
  out.setExceptionType(as_text(std::string(clip_text(failure.exception_type))));
  out.setTrace(as_text(std::string(clip_text(failure.trace))));
}

Error function_not_served(std::string_view function, const std::vector<ServedFunction>& served) {
  std::string names;
  for (const ServedFunction& each : served) {
    fmt::format_to(std::back_inserter(names), "{}\"{}\"", names.empty() ? "" : ", ", each.name);
  }
  return Error{ErrorCode::kFunctionNotServed,
               fmt::format("this companion does not serve \"{}\"; it serves {}", function,
                           names.empty() ? "nothing" : names)};
}

}  // namespace retinue::companion
