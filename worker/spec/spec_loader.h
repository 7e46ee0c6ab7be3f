// Loads pipeline specs: JSON or YSON in, a checked PipelineSpec out, or every problem there is.
//
// docs/reference/spec.md describes the fields.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/base/result.h"
#include "worker/spec/problem.h"
#include "worker/spec/spec.h"

namespace retinue::worker {

enum class SpecFormat : uint8_t { kJson, kYson };

struct SpecReport {
  PipelineSpec spec;                  // to be used only without problems
  std::vector<SpecProblem> problems;  // in the order of the spec, then what is wrong between parts

  bool ok() const { return problems.empty(); }
  // kInvalidSpec with one line a problem. Precondition: !ok().
  Error error() const;
};

// The format is the extension's (.json, .yson), or else what the text looks like.
// Errors: kNotFound, kIoError; kInvalidJson or kInvalidYson with line and column.
Result<SpecReport> check_spec(const std::filesystem::path& path);
// Relative paths in the spec start at `folder`.
Result<SpecReport> check_spec_text(std::string_view text, SpecFormat format,
                                   const std::filesystem::path& folder);

// The same for those who only want a good spec. Errors: those above, and SpecReport::error().
Result<PipelineSpec> load_spec(const std::filesystem::path& path);
Result<PipelineSpec> load_spec_text(std::string_view text, SpecFormat format,
                                    const std::filesystem::path& folder);

}  // namespace retinue::worker
