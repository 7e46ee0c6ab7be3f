// RETINUE_CHECK: for what only a bug in Retinue can break. It stays on in release builds, prints
// the place and the condition, and aborts. Never reachable from outside input: that gets an Error.
#pragma once

#include <string_view>

namespace retinue {

[[noreturn]] void check_failed(const char* file, int line, std::string_view condition,
                               std::string_view message);

}  // namespace retinue

#define RETINUE_CHECK(condition, ...)                                                           \
  do {                                                                                          \
    if (!(condition)) [[unlikely]] {                                                            \
      ::retinue::check_failed(__FILE__, __LINE__, #condition, ::std::string_view{__VA_ARGS__}); \
    }                                                                                           \
  } while (false)
