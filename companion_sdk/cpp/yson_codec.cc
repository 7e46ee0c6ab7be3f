#include "companion_sdk/cpp/yson_codec.h"

#include <fmt/format.h>

namespace retinue::companion {

void throw_unexpected(std::string_view expected, const yson::Node& found) {
  throw StateError(
      fmt::format("expected {}, found {}", expected, yson::node_kind_name(found.kind())));
}

void rethrow_at(std::string_view place, const StateError& error) {
  throw StateError(fmt::format("{}: {}", place, error.what()));
}

int64_t read_int64(const yson::Node& node) {
  if (node.is_int64()) {
    return node.as_int64();
  }
  if (node.is_uint64() && std::in_range<int64_t>(node.as_uint64())) {
    return static_cast<int64_t>(node.as_uint64());
  }
  throw_unexpected("int64", node);
}

uint64_t read_uint64(const yson::Node& node) {
  if (node.is_uint64()) {
    return node.as_uint64();
  }
  if (node.is_int64() && node.as_int64() >= 0) {
    return static_cast<uint64_t>(node.as_int64());
  }
  throw_unexpected("uint64", node);
}

double read_double(const yson::Node& node) {
  if (node.is_double()) {
    return node.as_double();
  }
  if (node.is_int64()) {
    return static_cast<double>(node.as_int64());
  }
  if (node.is_uint64()) {
    return static_cast<double>(node.as_uint64());
  }
  throw_unexpected("double", node);
}

}  // namespace retinue::companion
