// What a CountingJob must have come to, computed without Retinue, and JSON that is looked into.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "protocol/yson/node.h"
#include "tests/integration/harness/counting_job.h"

namespace retinue::testing {

// States and output files are what its input's lines make, each exactly once and in order, those
// `without` these values.
void expect_right_results(const CountingJob& job, const std::set<int64_t>& without = {});
// The states are, whatever order the messages came in.
void expect_right_states(const CountingJob& job);

// Throws std::runtime_error when it is no JSON.
yson::Node parsed_json(std::string_view text);
// A whole number of a map; throws std::runtime_error when there is none.
int64_t number(const yson::Node& map, std::string_view field);

}  // namespace retinue::testing
