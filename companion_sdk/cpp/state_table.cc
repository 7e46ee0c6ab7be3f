#include "companion_sdk/cpp/state_table.h"

#include <fmt/format.h>

namespace retinue::companion {

void StateTableBase::throw_not_loaded() const {
  throw StateError(fmt::format(
      "state \"{}\" of this key was not loaded with the batch; it can only be cleared", name()));
}

void StateTableBase::throw_undecodable(const std::exception& error) const {
  throw StateError(fmt::format("state \"{}\" cannot be decoded as {}: {}", name(),
                               state_format_name(spec_.format), error.what()));
}

}  // namespace retinue::companion
