// Fills an inbox with what the store holds of it.
#pragma once

#include "protocol/base/result.h"
#include "worker/store/store.h"
#include "worker/stream/inbox.h"

namespace retinue::worker {

// Errors: those of the store; kDataCorrupted when the blocks do not fit the position.
Result<void> load_inbox(const Store& store, PartitionRef partition, InboxPosition position,
                        Inbox& inbox);

}  // namespace retinue::worker
