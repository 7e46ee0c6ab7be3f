#include "tests/integration/worker/expectations.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "worker/json/json_parser.h"

namespace retinue::testing {
namespace {

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  std::istringstream stream{std::string(text)};
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(line);
  }
  return lines;
}

struct Total {
  int64_t count = 0;
  int64_t sum = 0;
};

using LinesByKey = std::map<std::string, std::vector<std::string>>;

LinesByKey lines_by_key(std::string_view text) {
  LinesByKey lines;
  for (const std::string& line : lines_of(text)) {
    if (!line.starts_with("==")) {
      lines[parsed_json(line).find("key")->as_string()].push_back(line);
    }
  }
  return lines;
}

}  // namespace

namespace {

void expect_right(const CountingJob& job, const std::set<int64_t>& without, bool in_order) {
  std::map<std::string, Total> totals;
  LinesByKey expected;
  for (const std::string& line : lines_of(job.input())) {
    const yson::Node message = parsed_json(line);
    if (without.contains(number(message, "value"))) {
      continue;
    }
    const std::string& key = message.find("key")->as_string();
    Total& total = totals[key];
    total.count += 1;
    total.sum += number(message, "value");
    expected[key].push_back(
        fmt::format("{{\"key\":\"{}\",\"count\":{},\"sum\":{}}}", key, total.count, total.sum));
  }
  if (in_order) {
    EXPECT_EQ(lines_by_key(job.output()), expected);
  }
  std::string states;
  for (const auto& [key, total] : totals) {
    states += fmt::format(
        "{{\"key\":{{\"key\":\"{}\"}},\"state\":\"total\",\"value\":{{\"count\":{},\"sum\":{}}}}}"
        "\n",
        key, total.count, total.sum);
  }
  EXPECT_EQ(job.states(), sorted_lines(states));
}

}  // namespace

void expect_right_results(const CountingJob& job, const std::set<int64_t>& without) {
  expect_right(job, without, /*in_order=*/true);
}

void expect_right_states(const CountingJob& job) {
  expect_right(job, {}, /*in_order=*/false);
}

yson::Node parsed_json(std::string_view text) {
  auto node = worker::parse_json(text);
  if (!node) {
    throw std::runtime_error(fmt::format("{}: {}", node.error().message, text));
  }
  return std::move(*node);
}

int64_t number(const yson::Node& map, std::string_view field) {
  const yson::Node* found = map.find(field);
  if (found == nullptr || !found->is_int64()) {
    throw std::runtime_error(fmt::format("there is no whole number {}", field));
  }
  return found->as_int64();
}

}  // namespace retinue::testing
