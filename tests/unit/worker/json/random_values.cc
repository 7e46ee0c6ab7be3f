#include "tests/unit/worker/json/random_values.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "protocol/yson/writer.h"

namespace retinue::worker {

using yson::List;
using yson::Map;
using yson::Node;

std::string random_utf8(std::mt19937_64& random) {
  constexpr std::array<std::string_view, 14> kPieces = {
      "a",
      "Z",
      "\"",
      "\\",
      "/",
      std::string_view("\0", 1),
      "\x01",
      "\n",
      "\t",
      "\x7f",
      "\xc3\xa9",
      "\xe2\x82\xac",
      "\xf0\x9f\x98\x80",
      "long enough to pass through vector code, plain ASCII "};
  std::string out;
  for (auto pieces = random() % 8; pieces > 0; --pieces) {
    out += kPieces[random() % kPieces.size()];
  }
  return out;
}

std::string random_bytes(std::mt19937_64& random) {
  std::string out = random_utf8(random);
  if (random() % 2 == 0) {
    out.insert(out.begin() + static_cast<std::ptrdiff_t>(random() % (out.size() + 1)),
               static_cast<char>(random()));
  }
  return out;
}

double random_finite_double(std::mt19937_64& random) {
  switch (random() % 4) {
    case 0: return static_cast<double>(static_cast<int64_t>(random() % 2001) - 1000) / 8;
    case 1: return static_cast<double>(random());
    default: {
      const double value = std::bit_cast<double>(random());
      return std::isfinite(value) ? value : -0.0;
    }
  }
}

int64_t random_int64(std::mt19937_64& random) {
  switch (random() % 4) {
    case 0: return INT64_MIN + static_cast<int64_t>(random() % 2);
    case 1: return INT64_MAX - static_cast<int64_t>(random() % 2);
    case 2: return static_cast<int64_t>(random() % 201) - 100;
    default: return static_cast<int64_t>(random());
  }
}

Node random_json_node(std::mt19937_64& random, int depth) {
  switch (random() % (depth > 0 ? 8 : 6)) {
    case 0: return {};
    case 1: return random() % 2 == 0;
    case 2: return random_int64(random);
    case 3: return random() | (uint64_t{1} << 63);
    case 4: return random_finite_double(random);
    case 5: return random_utf8(random);
    case 6: {
      List list;
      for (auto size = random() % 5; size > 0; --size) {
        list.push_back(random_json_node(random, depth - 1));
      }
      return list;
    }
    default: {
      Node map{Map{}};
      for (auto size = random() % 5; size > 0; --size) {
        map.set(random_utf8(random), random_json_node(random, depth - 1));
      }
      return map;
    }
  }
}

bool same_value(const Value& a, const Value& b) {
  const double* const x = std::get_if<double>(&a);
  const double* const y = std::get_if<double>(&b);
  return x != nullptr && y != nullptr ? (*x != *x && *y != *y) || std::memcmp(x, y, sizeof *x) == 0
                                      : a == b;
}

TableSchema random_schema(std::mt19937_64& random) {
  std::vector<Column> columns;
  for (auto size = 1 + random() % 10; size > 0; --size) {
    columns.push_back({.name = random_utf8(random) + std::to_string(size),
                       .type = static_cast<ColumnType>(1 + random() % 6),
                       .required = random() % 3 == 0,
                       .expression = ""});
  }
  return TableSchema::create(std::move(columns)).value();
}

Row random_row(std::mt19937_64& random, const TableSchema& schema) {
  constexpr std::array kSpecial = {std::numeric_limits<double>::infinity(),
                                   -std::numeric_limits<double>::infinity(),
                                   std::numeric_limits<double>::quiet_NaN()};
  Row row;
  for (const Column& column : schema.columns()) {
    if (!column.required && random() % 4 == 0) {
      row.emplace_back(Null{});
      continue;
    }
    switch (column.type) {
      case ColumnType::kInt64: row.emplace_back(random_int64(random)); break;
      case ColumnType::kUint64:
        row.emplace_back(static_cast<uint64_t>(random_int64(random)));
        break;
      case ColumnType::kDouble:
        row.emplace_back(random() % 8 == 0 ? kSpecial[random() % kSpecial.size()]
                                           : random_finite_double(random));
        break;
      case ColumnType::kBoolean: row.emplace_back(random() % 2 == 0); break;
      case ColumnType::kString: row.emplace_back(random_bytes(random)); break;
      case ColumnType::kAny: {
        Node node = random_json_node(random, 3);
        if (node.is_entity()) {
          node = 0;  // null is the column's null
        }
        row.emplace_back(AnyValue{yson::to_string(node)});
      }
    }
  }
  return row;
}

}  // namespace retinue::worker
