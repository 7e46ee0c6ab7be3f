#include "protocol/base/check.h"

#include <cstdio>
#include <cstdlib>

namespace retinue {

void check_failed(const char* file, int line, std::string_view condition,
                  std::string_view message) {
  std::fprintf(stderr, "retinue: internal check failed at %s:%d: %.*s%s%.*s\n", file, line,
               static_cast<int>(condition.size()), condition.data(), message.empty() ? "" : ": ",
               static_cast<int>(message.size()), message.data());
  std::abort();
}

}  // namespace retinue
