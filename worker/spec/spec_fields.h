// The fields that each object of a spec may have: those read, and those known from the design that
// this version cannot do yet. Whatever else stands there is refused.
#pragma once

#include <span>
#include <string_view>

namespace retinue::worker {

struct ObjectFields {
  std::string_view object;  // as messages name it: "a stream"
  std::span<const std::string_view> known;
  std::span<const std::string_view> not_yet;
};

extern const ObjectFields kPipelineFields;
extern const ObjectFields kStreamFields;
extern const ObjectFields kColumnFields;
extern const ObjectFields kCompanionFields;
extern const ObjectFields kComputationFields;
extern const ObjectFields kSourceFields;
extern const ObjectFields kInternalStateFields;
extern const ObjectFields kSinkFields;
extern const ObjectFields kDynamicSpecFields;
extern const ObjectFields kDynamicComputationFields;

// All of the above: the reference page must have every field.
std::span<const ObjectFields* const> all_spec_fields();

}  // namespace retinue::worker
