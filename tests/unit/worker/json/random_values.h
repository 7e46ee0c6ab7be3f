// Random values for the tests of this folder; everything follows from the seed.
#pragma once

#include <random>
#include <string>

#include "protocol/values/schema.h"
#include "protocol/values/value.h"
#include "protocol/yson/node.h"

namespace retinue::worker {

// UTF-8 with quotes, escapes, control characters and every length of character.
std::string random_utf8(std::mt19937_64& random);
// Often not UTF-8.
std::string random_bytes(std::mt19937_64& random);
double random_finite_double(std::mt19937_64& random);
int64_t random_int64(std::mt19937_64& random);

// Only what JSON holds exactly: uint64 above INT64_MAX, finite doubles, UTF-8, no attributes.
yson::Node random_json_node(std::mt19937_64& random, int depth);

TableSchema random_schema(std::mt19937_64& random);
// NaN equals NaN, and 0.0 is not -0.0.
bool same_value(const Value& a, const Value& b);

Row random_row(std::mt19937_64& random, const TableSchema& schema);

}  // namespace retinue::worker
