// A valid spec that uses every field, and ways to spoil it.
#pragma once

#include <string_view>
#include <vector>

#include "protocol/yson/node.h"
#include "worker/spec/problem.h"
#include "worker/spec/spec.h"

namespace retinue::worker {

// Loaded from the folder /pipelines/sample.
yson::Node sample_spec();
PipelineSpec loaded(const yson::Node& spec);
std::vector<SpecProblem> problems_of(const yson::Node& spec);

// Sets what stands at a JSON pointer, whose parent must exist, to the value that the JSON text is;
// the text "" removes it. An index just past a list's end appends.
void put(yson::Node& root, std::string_view path, std::string_view json);

}  // namespace retinue::worker
