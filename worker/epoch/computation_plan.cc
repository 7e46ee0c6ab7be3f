#include "worker/epoch/computation_plan.h"

namespace retinue::worker {

TableSchema source_key_schema() {
  return TableSchema::create({{.name = "source_partition",
                               .type = ColumnType::kString,
                               .required = true,
                               .expression = ""}})
      .value();
}

uint64_t message_sequence(OwnerNumber owner, PartitionIndex partition, Epoch epoch) {
  RETINUE_CHECK(owner.value() < kOwnersMax && partition.value() < kPartitionsMax);
  RETINUE_CHECK(epoch.value() < uint64_t{1} << 40);
  return uint64_t{owner.value()} << 52 | uint64_t{partition.value()} << 40 | epoch.value();
}

}  // namespace retinue::worker
