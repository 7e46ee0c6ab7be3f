// Batches that a function fails on, and the dead letters that come of them.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "protocol/frame/wire_values.h"
#include "tests/unit/worker/engine/world.h"
#include "worker/engine/dead_letter.h"

namespace retinue::worker::testing {

// The first column of a batch's messages.
inline std::vector<std::string> words_of(wire::Batch::Reader batch) {
  std::vector<std::string> words;
  const auto rows = read_rows(batch.getMessages()[0].getRows());
  for (uint32_t row = 0; row < rows->row_count(); ++row) {
    words.emplace_back(rows->column(ColumnIndex(0)).bytes_at(row));
  }
  return words;
}

inline std::string joined(const std::vector<std::string>& words) {
  std::string all;
  for (const std::string& word : words) {
    all += (all.empty() ? "" : " ") + word;
  }
  return all;
}

// "count" has one partition and fails on "poison"; what it is given is written down.
class Poisoned {
 public:
  enum class Names { kTruly, kNothing, kTheFirst };

  Poisoned(World& world, Names names) : world_(world) {
    DynamicComputationSpec& count = limits(ComputationId("count"));
    count.desired_partition_count = 1;
    count.on_failure = FailureAction::kDeadLetter;
    count.max_attempts = 2;
    count.retry_delay = Duration::milliseconds(10);
    world.on_batch = [this, names](const std::string& function, ConnectionId from,
                                   wire::Batch::Reader batch) {
      if (function != "count") {
        return false;
      }
      const std::vector<std::string> words = words_of(batch);
      batches.push_back(joined(words));
      const auto poison = std::ranges::find(words, "poison");
      if (poison == words.end()) {
        return false;
      }
      std::optional<uint32_t> order;
      if (names == Names::kTruly) {
        order = static_cast<uint32_t>(poison - words.begin());
      } else if (names == Names::kTheFirst) {
        order = 0;
      }
      world_.fail_batch(from, batch, "cannot swallow it", order);
      return true;
    };
  }

  DynamicComputationSpec& limits(const ComputationId& id) {
    return world_.spec.dynamic_spec.computations.at(id);
  }

  std::vector<std::string> batches;

 private:
  World& world_;
};

inline std::vector<DeadLetter> dead_letters(const World& world, const char* computation = "count") {
  std::vector<DeadLetter> letters;
  const auto owner = world.store.find_name(NameKind::kComputation, computation).value();
  EXPECT_TRUE(
      world.store
          .scan_dead_letters(OwnerNumber(*owner),
                             [&](PartitionIndex, DeadLetterNumber, std::string_view record) {
                               letters.push_back(decode_dead_letter(record).value());
                               return true;
                             })
          .ok());
  return letters;
}

}  // namespace retinue::worker::testing
