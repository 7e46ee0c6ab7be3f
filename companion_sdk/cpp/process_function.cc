#include "companion_sdk/cpp/process_function.h"

#include <fmt/format.h>

#include "companion_sdk/cpp/exceptions.h"

namespace retinue::companion {

void Function::init(RuntimeContext& /*context*/) {}

void ProcessFunction::process_timer(const Timer& timer, OutputCollector& /*output*/,
                                    RuntimeContext& context) {
  throw NotImplementedError(
      fmt::format("a timer of stream \"{}\" came: not implemented by function \"{}\"",
                  timer.stream(), context.function()));
}

void ProcessFunction::process_visit(const Visit& visit, OutputCollector& /*output*/,
                                    RuntimeContext& context) {
  throw NotImplementedError(
      fmt::format("a visit of stream \"{}\" came: not implemented by function \"{}\"",
                  visit.stream(), context.function()));
}

}  // namespace retinue::companion
