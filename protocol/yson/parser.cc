#include "protocol/yson/parser.h"

#include <optional>
#include <string_view>
#include <utility>

#include "protocol/yson/reader.h"

namespace retinue::yson {

namespace {

// Each replaces `node`. Recursion is bounded by the Reader's depth limit.
Result<void> build(Reader& reader, Node& node);

Result<void> build_entries(Reader& reader, Map& map) {
  for (;;) {
    RETINUE_ASSIGN(std::optional<std::string_view> key, reader.next_key());
    if (!key) {
      return {};
    }
    MapEntry& entry = map.emplace_back();
    entry.key = *key;
    RETINUE_TRY(build(reader, entry.value));
  }
}

Result<void> build_list(Reader& reader, Node& node) {
  RETINUE_TRY(reader.begin_list());
  node = List();
  for (;;) {
    RETINUE_ASSIGN(bool more, reader.next_item());
    if (!more) {
      return {};
    }
    RETINUE_TRY(build(reader, node.as_list().emplace_back()));
  }
}

Result<void> build_map(Reader& reader, Node& node) {
  RETINUE_TRY(reader.begin_map());
  node = Map();
  return build_entries(reader, node.as_map());
}

template <typename Value>
Result<void> set(Node& node, Result<Value> value) {
  RETINUE_ASSIGN(node, std::move(value));
  return {};
}

Result<void> build_value(Reader& reader, Node& node) {
  RETINUE_ASSIGN(NodeKind kind, reader.peek());
  switch (kind) {
    case NodeKind::kEntity: node = Entity(); return reader.read_entity();
    case NodeKind::kBoolean: return set(node, reader.read_boolean());
    case NodeKind::kInt64: return set(node, reader.read_int64());
    case NodeKind::kUint64: return set(node, reader.read_uint64());
    case NodeKind::kDouble: return set(node, reader.read_double());
    case NodeKind::kString: return set(node, reader.read_string());
    case NodeKind::kList: return build_list(reader, node);
    case NodeKind::kMap: return build_map(reader, node);
  }
  RETINUE_CHECK(false, "not a NodeKind");
}

Result<void> build(Reader& reader, Node& node) {
  RETINUE_ASSIGN(bool has_attributes, reader.begin_attributes());
  if (!has_attributes) {
    return build_value(reader, node);
  }
  Map attributes;
  RETINUE_TRY(build_entries(reader, attributes));
  RETINUE_TRY(build_value(reader, node));
  node.set_attributes(std::move(attributes));
  return {};
}

}  // namespace

Result<Node> parse(std::string_view bytes, const ParseOptions& options) {
  Reader reader(bytes, options);
  Node node;
  RETINUE_TRY(build(reader, node));
  RETINUE_TRY(reader.finish());
  return node;
}

Result<void> validate(std::string_view bytes, const ParseOptions& options) {
  Reader reader(bytes, options);
  RETINUE_TRY(reader.skip_value());
  return reader.finish();
}

}  // namespace retinue::yson
