// Prints the states of a data directory: `retinue states read`.
#pragma once

#include <functional>
#include <string_view>

#include "protocol/base/result.h"
#include "worker/cli/command_line.h"
#include "worker/store/store.h"

namespace retinue::worker {

struct ReadStatesResult {
  uint64_t rows = 0;
  bool has_more = false;  // the limit cut the rest off
};

// Hands each row to `print` as one line without its end: tab-separated key, state and value, or
// JSON. Errors: kNotFound with the names there are, for a computation, state or data directory;
// kInvalidArgument for a key that does not fit; those of the store and of `print`.
Result<ReadStatesResult> read_states(const ReadStatesOptions& options, const Store& store,
                                     const std::function<Result<void>(std::string_view)>& print);

}  // namespace retinue::worker
