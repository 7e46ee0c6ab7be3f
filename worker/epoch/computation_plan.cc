#include "worker/epoch/computation_plan.h"

namespace retinue::worker {

Result<void> OutputPlan::check_keys(const RowBatchView& rows) const {
  for (const ConsumerPlan& consumer : consumers) {
    if (consumer.key) {
      RETINUE_TRY(consumer.key->check_keys(rows));
    }
  }
  return {};
}

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
