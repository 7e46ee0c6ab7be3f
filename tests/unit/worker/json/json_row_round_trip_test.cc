// JsonRowWriter and JsonRowParser undo each other, and the row parser takes what the tree parser
// takes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>

#include "protocol/yson/parser.h"
#include "tests/unit/worker/json/random_values.h"
#include "worker/json/json_parser.h"
#include "worker/json/json_row_parser.h"
#include "worker/json/json_row_writer.h"
#include "worker/json/json_writer.h"

namespace retinue::worker {
namespace {

using yson::Map;
using yson::Node;

TEST(JsonRows, ReadBackToTheSameRows) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 200; ++round) {
    const TableSchema schema = random_schema(random);
    const JsonRowWriter writer(schema);
    JsonRowParser parser(schema);
    RowBatchBuilder written(schema);
    RowBatchBuilder read(schema);
    std::string lines;
    for (uint32_t i = 0; i < 20; ++i) {
      ASSERT_TRUE(append_row(written, schema, random_row(random, schema)).ok());
      const size_t start = lines.size();
      ASSERT_TRUE(writer.append(written.view(), i, lines).ok());
      const std::string_view line = std::string_view(lines).substr(start);
      const auto parsed = parser.parse(line, read);
      ASSERT_TRUE(parsed.ok()) << line << parsed.error().message;
      const Row before = row_at(written.view(), i);
      const Row after = row_at(read.view(), i);
      ASSERT_TRUE(std::equal(before.begin(), before.end(), after.begin(), after.end(), same_value))
          << line;
    }
  }
}

// Whatever bytes come, the two JSON parsers agree on whether they are a JSON object.
TEST(JsonRows, BothParsersAcceptTheSameLines) {
  std::mt19937_64 random(4);
  const TableSchema schema =
      TableSchema::create(
          {{.name = "x", .type = ColumnType::kAny, .required = false, .expression = ""}})
          .value();
  JsonRowParser parser(schema, {.unknown_fields = JsonRowParser::UnknownFields::kIgnore});
  RowBatchBuilder rows(schema);
  constexpr std::string_view kBytes = "{}[]\",:\\ \t0129-+.eEtrufalsn/*\x01\xc3\xa9\xff$x";
  int accepted = 0;
  for (int i = 0; i < 30'000; ++i) {
    Node node{Map{{"x", random_json_node(random, 3)}}};
    node.set("y", random_json_node(random, 2));
    std::string line = node_to_json(node);
    for (auto changes = random() % 3; changes > 0; --changes) {
      const size_t at = random() % line.size();
      const char byte = kBytes[random() % kBytes.size()];
      switch (random() % 3) {
        case 0: line[at] = byte; break;
        case 1: line.insert(line.begin() + static_cast<std::ptrdiff_t>(at), byte); break;
        default: line.erase(at, 1 + random() % 3);
      }
      if (line.empty()) {
        break;
      }
    }
    rows.clear();
    const auto row = parser.parse(line, rows);
    const auto tree = parse_json(line);
    const bool is_object = tree && tree->is_map();
    accepted += row.ok();
    if (row.ok() == is_object) {
      if (const Node* const x = row ? tree->find("x") : nullptr; x != nullptr && !x->is_entity()) {
        const auto any = yson::parse(std::get<AnyValue>(row_at(rows.view(), 0)[0]).yson);
        ASSERT_TRUE(any.ok());
        ASSERT_EQ(*any, *x) << line;
      }
      continue;
    }
    // They differ on purpose in comments, in repeated fields that no column takes, and in numbers
    // too small or too large for a double.
    const bool has_comment =
        line.find("//") != std::string::npos || line.find("/*") != std::string::npos;
    const std::string message = tree ? "" : tree.error().message;
    const bool differs_on_purpose = is_object
                                        ? has_comment
                                        : message.find("is there twice") != std::string::npos ||
                                              message.find("out of range") != std::string::npos ||
                                              message.find("fits a double") != std::string::npos;
    ASSERT_TRUE(differs_on_purpose) << line << "\n"
                                    << message << "\n"
                                    << (row ? "accepted" : row.error().message);
  }
  EXPECT_GT(accepted, 10'000);
}

}  // namespace
}  // namespace retinue::worker
