#include "worker/spec/spec.h"

namespace retinue::worker {

std::string_view computation_kind_name(ComputationKind kind) {
  switch (kind) {
    case ComputationKind::kPassthroughSource: return "passthrough_source";
    case ComputationKind::kOrderedSource: return "ordered_source";
    case ComputationKind::kTransform: return "transform";
  }
  return "unknown";
}

std::string_view state_format_name(StateFormat format) {
  switch (format) {
    case StateFormat::kRaw: return "raw";
    case StateFormat::kYson: return "yson";
    case StateFormat::kProto: return "proto";
  }
  return "unknown";
}

}  // namespace retinue::worker
