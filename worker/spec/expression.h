// The expression of a computed key column: farm_hash(column, …).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "protocol/base/result.h"

namespace retinue::worker {

struct HashExpression {
  std::vector<std::string> columns;  // in the order hashed; at least one
};

// Column names are made of A-Z a-z 0-9 _ . - here; blanks may stand between the parts.
// Errors: kInvalidSpec, "expected …, found …".
Result<HashExpression> parse_hash_expression(std::string_view text);

}  // namespace retinue::worker
