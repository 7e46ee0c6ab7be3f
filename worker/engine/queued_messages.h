// What waits in the inboxes of a computation or a sink, as the store has it.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "protocol/base/result.h"
#include "worker/store/store.h"

namespace retinue::worker {

// Messages by stream, over all partitions; nothing when none wait.
// Errors: those of the store; kDataCorrupted.
Result<std::map<std::string, uint64_t>> count_queued_messages(const Store& store, OwnerNumber owner,
                                                              uint32_t partition_count);

}  // namespace retinue::worker
