// The columns of a dead-letter stream: what is told of an input that a function failed on.
#pragma once

#include <span>

#include "protocol/values/schema.h"

namespace retinue::worker {

// A dead-letter stream has some of these, in any order, with these types; none is ever null.
std::span<const Column> dead_letter_columns();

}  // namespace retinue::worker
