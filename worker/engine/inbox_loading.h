// Fills an inbox with what the store holds of it, as far as it is to be in memory.
#pragma once

#include "protocol/base/result.h"
#include "worker/store/store.h"
#include "worker/stream/inbox.h"

namespace retinue::worker {

// Errors: those of the store; kDataCorrupted when the blocks do not fit the position.
Result<void> load_inbox(const Store& store, PartitionRef partition, InboxPosition position,
                        Inbox& inbox);

// Brings spilled blocks back if the inbox wants them; before every take. Errors: as load_inbox.
Result<void> refill_inbox(const Store& store, PartitionRef partition, Inbox& inbox);

}  // namespace retinue::worker
