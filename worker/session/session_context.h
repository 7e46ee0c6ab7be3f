// What the parts of the session layer share. Borrows: everything.
#pragma once

#include "protocol/base/clock.h"
#include "worker/log/log.h"
#include "worker/session/companions.h"
#include "worker/session/transport.h"
#include "worker/spec/spec.h"

namespace retinue::worker {

struct SessionContext {
  const PipelineSpec& spec;
  const CompanionsOptions& options;
  CompanionTransport& transport;
  LogSink& log;
  const Clock& clock;
};

}  // namespace retinue::worker
