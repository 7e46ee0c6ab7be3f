#include "companion_sdk/cpp/epoch_scope.h"

#include <atomic>

#include "companion_sdk/cpp/exceptions.h"

namespace retinue::companion {
namespace {

std::atomic<uint64_t> last_number{0};
thread_local uint64_t current_number = 0;

}  // namespace

EpochScope::EpochScope() : outer_(current_number) {
  current_number = last_number.fetch_add(1, std::memory_order_relaxed) + 1;
}

EpochScope::~EpochScope() {
  current_number = outer_;
}

uint64_t EpochScope::current() {
  return current_number;
}

void check_epoch(uint64_t epoch) {
  if (epoch == 0 || epoch != current_number) {
    throw StaleStateError(
        "a state accessor was used outside its epoch: it is valid only on the thread and within "
        "the "
        "batch that got it; get a new one from the state client");
  }
}

}  // namespace retinue::companion
