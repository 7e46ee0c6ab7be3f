#include "companion_sdk/cpp/registry.h"

#include "companion_sdk/cpp/exceptions.h"

namespace retinue::companion {

void Registry::add_entry(ServedFunction function, Factory factory) {
  if (!factories_.emplace(function.name, std::move(factory)).second) {
    throw UsageError("function \"" + function.name + "\" is registered twice");
  }
  served_.push_back(std::move(function));
}

std::unique_ptr<Function> Registry::make(std::string_view name) const {
  const auto factory = factories_.find(name);
  return factory == factories_.end() ? nullptr : factory->second();
}

}  // namespace retinue::companion
