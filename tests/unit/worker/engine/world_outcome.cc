#include <algorithm>
#include <sstream>

#include "tests/unit/worker/engine/world.h"

namespace retinue::worker::testing {

std::map<std::string, std::string> World::stored_states(const std::string& computation,
                                                        const std::string& state) const {
  const auto owner = store.find_name(NameKind::kComputation, computation).value();
  const auto number = store.find_name(NameKind::kState, computation + "/" + state).value();
  const TableSchema key_schema =
      computation == "read"
          ? source_key_schema()
          : plain_key_schema(spec.computations.at(ComputationId(computation)).group_by_schema);
  std::map<std::string, std::string> states;
  EXPECT_TRUE(store
                  .scan_states(OwnerNumber(owner.value_or(0)), {},
                               [&](const StateRow& row) {
                                 if (row.state != StateNumber(number.value_or(0))) {
                                   return true;
                                 }
                                 const Value key = decode_key(row.key, key_schema).value()[0];
                                 const auto* text = std::get_if<std::string>(&key);
                                 states[text ? *text : std::to_string(std::get<uint64_t>(key))] =
                                     row.value.substr(1);
                                 return true;
                               })
                  .ok());
  return states;
}

void World::expect_complete(const std::string& dead_word) {
  ASSERT_EQ(state(), Engine::State::kFinished)
      << (state() == Engine::State::kFailed ? engine().error().to_string() : "");
  std::map<std::string, uint64_t> words;
  std::map<uint64_t, uint64_t> sizes;
  std::vector<Row> counts;
  std::vector<Row> size_rows;
  for (const std::string& line : lines_) {
    std::istringstream in(line);
    for (std::string word; in >> word;) {
      if (word == dead_word) {
        continue;
      }
      counts.push_back({word, ++words[word], uint64_t{word.size()}});
      size_rows.push_back({uint64_t{word.size()}, ++sizes[word.size()]});
    }
  }
  std::map<std::string, std::string> n;
  std::map<std::string, std::string> odd;
  std::map<std::string, std::string> n_of_size;
  for (const auto& [word, count] : words) {
    n[word] = std::to_string(count);
    if (count % 2 == 1) {
      odd[word] = "1";
    }
  }
  for (const auto& [size, count] : sizes) {
    n_of_size[std::to_string(size)] = std::to_string(count);
  }
  EXPECT_EQ(stored_states("count", "n"), n);
  EXPECT_EQ(stored_states("count", "odd"), odd);
  EXPECT_EQ(stored_states("sizes", "n"), n_of_size);
  if (!lines_.empty()) {
    EXPECT_EQ(stored_states("read", "lines").at("-"), std::to_string(lines_.size()));
  }
  // The sinks hold every row once, those of a key in their order.
  std::vector<Row> by_partition;
  for (uint32_t i = 0; i < 3; ++i) {
    std::map<std::string, uint64_t> last;
    for (const Row& row : sink("counts", i)) {
      EXPECT_EQ(std::get<uint64_t>(row[1]), ++last[std::get<std::string>(row[0])]);
      by_partition.push_back(row);
    }
  }
  std::map<uint64_t, uint64_t> last;
  for (const Row& row : sink("sizes")) {
    EXPECT_EQ(std::get<uint64_t>(row[1]), ++last[std::get<uint64_t>(row[0])]);
  }
  std::vector<Row> all = counts;
  all.insert(all.end(), size_rows.begin(), size_rows.end());
  const auto expect_same = [](std::vector<Row> written, std::vector<Row> wanted) {
    std::sort(written.begin(), written.end());
    std::sort(wanted.begin(), wanted.end());
    EXPECT_EQ(written, wanted);
  };
  expect_same(by_partition, counts);
  expect_same(sink("sizes"), size_rows);
  expect_same(sink("all"), all);
  EXPECT_EQ(store.block_count(), 0u) << "consumed blocks are left in the store";
}

}  // namespace retinue::worker::testing
