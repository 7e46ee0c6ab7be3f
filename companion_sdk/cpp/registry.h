// Registry: the functions a companion serves, by the names that specs call them.
#pragma once

#include <concepts>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "companion_sdk/core/companion_session.h"
#include "companion_sdk/cpp/process_function.h"

namespace retinue::companion {

// Threads: filled before it is used, then any.
class Registry {
 public:
  using Factory = std::function<std::unique_ptr<Function>()>;

  // F needs no arguments: registry.add<WordCount>("word_count"). One object a partition.
  template <std::derived_from<Function> F>
  void add(std::string name) {
    add(std::move(name), [] { return std::make_unique<F>(); });
  }
  // The factory returns a std::unique_ptr of the function's own class.
  // Throws UsageError for a name that is taken.
  template <std::invocable Make>
  void add(std::string name, Make make) {
    using F = typename std::invoke_result_t<Make>::element_type;
    add_entry({.name = std::move(name),
               .processes_timers = processes_timers<F>(),
               .processes_visits = processes_visits<F>()},
              std::move(make));
  }

  // nullptr for a name that is not there.
  std::unique_ptr<Function> make(std::string_view name) const;
  const std::vector<ServedFunction>& served() const { return served_; }

 private:
  // Whether F overrides the method; true when it cannot be told, as for a private override.
  template <typename F>
  static constexpr bool processes_timers() {
    if constexpr (requires { &F::process_timer; }) {
      return !std::is_same_v<decltype(&F::process_timer),
                             decltype(&ProcessFunction::process_timer)>;
    } else {
      return true;
    }
  }
  template <typename F>
  static constexpr bool processes_visits() {
    if constexpr (requires { &F::process_visit; }) {
      return !std::is_same_v<decltype(&F::process_visit),
                             decltype(&ProcessFunction::process_visit)>;
    } else {
      return true;
    }
  }

  void add_entry(ServedFunction function, Factory factory);

  std::vector<ServedFunction> served_;
  std::map<std::string, Factory, std::less<>> factories_;
};

}  // namespace retinue::companion
