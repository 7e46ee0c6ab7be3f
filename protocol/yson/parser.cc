#include "protocol/yson/parser.h"

#include <optional>
#include <string_view>
#include <utility>

#include "protocol/yson/reader.h"

namespace retinue::yson {

namespace {

// Recursion is bounded by the Reader's depth limit.
Result<Node> build(Reader& reader);

Result<Map> build_entries(Reader& reader) {
  Map map;
  for (;;) {
    RETINUE_ASSIGN(std::optional<std::string_view> key, reader.next_key());
    if (!key) {
      return map;
    }
    RETINUE_ASSIGN(Node value, build(reader));
    map.push_back({std::string(*key), std::move(value)});
  }
}

Result<Node> build_list(Reader& reader) {
  RETINUE_TRY(reader.begin_list());
  List list;
  for (;;) {
    RETINUE_ASSIGN(bool more, reader.next_item());
    if (!more) {
      return Node(std::move(list));
    }
    RETINUE_ASSIGN(Node item, build(reader));
    list.push_back(std::move(item));
  }
}

Result<Node> build_map(Reader& reader) {
  RETINUE_TRY(reader.begin_map());
  RETINUE_ASSIGN(Map map, build_entries(reader));
  return Node(std::move(map));
}

template <typename Value>
Result<Node> to_node(Result<Value> value) {
  if (!value) {
    return std::move(value).error();
  }
  return Node(*value);
}

Result<Node> build_value(Reader& reader) {
  RETINUE_ASSIGN(NodeKind kind, reader.peek());
  switch (kind) {
    case NodeKind::kEntity: RETINUE_TRY(reader.read_entity()); return Node();
    case NodeKind::kBoolean: return to_node(reader.read_boolean());
    case NodeKind::kInt64: return to_node(reader.read_int64());
    case NodeKind::kUint64: return to_node(reader.read_uint64());
    case NodeKind::kDouble: return to_node(reader.read_double());
    case NodeKind::kString: return to_node(reader.read_string());
    case NodeKind::kList: return build_list(reader);
    case NodeKind::kMap: return build_map(reader);
  }
  RETINUE_CHECK(false, "not a NodeKind");
}

Result<Node> build(Reader& reader) {
  RETINUE_ASSIGN(bool has_attributes, reader.begin_attributes());
  if (!has_attributes) {
    return build_value(reader);
  }
  RETINUE_ASSIGN(Map attributes, build_entries(reader));
  RETINUE_ASSIGN(Node node, build_value(reader));
  node.set_attributes(std::move(attributes));
  return node;
}

}  // namespace

Result<Node> parse(std::string_view bytes, const ParseOptions& options) {
  Reader reader(bytes, options);
  RETINUE_ASSIGN(Node node, build(reader));
  RETINUE_TRY(reader.finish());
  return node;
}

Result<void> validate(std::string_view bytes, const ParseOptions& options) {
  Reader reader(bytes, options);
  RETINUE_TRY(reader.skip_value());
  return reader.finish();
}

}  // namespace retinue::yson
