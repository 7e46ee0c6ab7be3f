// The bodies of the session's messages: written from and read into plain values.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "companion_sdk/core/companion_session.h"
#include "protocol/schema/companion.capnp.h"

namespace retinue::companion {

// Which batch an answer is about.
struct BatchCoordinates {
  uint64_t job = 0;
  uint64_t epoch = 0;
  uint32_t attempt = 0;
};

void write_hello(wire::Hello::Builder out, const SessionOptions& options);
WorkerInfo read_welcome(wire::Welcome::Reader in);
Rejected read_reject(wire::Reject::Reader in);
void write_failure(wire::BatchFailed::Builder out, const BatchCoordinates& batch,
                   const BatchFailure& failure);
// kFunctionNotServed, with the names of those that are.
Error function_not_served(std::string_view function, const std::vector<ServedFunction>& served);

}  // namespace retinue::companion
