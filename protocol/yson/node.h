// yson::Node: a tree of YSON values. Also the tree that JSON specs and values are read into.
//
// Exact: int64 and uint64 are distinct kinds, strings are bytes, doubles keep their bits. Maps keep
// insertion order, so that errors and output follow the user's own order.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace retinue::yson {

class Node;
struct MapEntry;

struct Entity {
  friend bool operator==(Entity, Entity) = default;
};
using List = std::vector<Node>;
// Keys are unique (the parsers refuse a repeated one).
using Map = std::vector<MapEntry>;

enum class NodeKind : uint8_t { kEntity, kBoolean, kInt64, kUint64, kDouble, kString, kList, kMap };
// "entity", "boolean", "int64", … "map", as errors print them.
std::string_view node_kind_name(NodeKind kind);

class Node {
 public:
  Node();  // an entity
  Node(Entity);
  Node(bool value);
  Node(int value);
  Node(int64_t value);
  Node(uint64_t value);
  Node(double value);
  Node(std::string value);
  Node(std::string_view value);
  Node(const char* value);
  Node(List value);
  Node(Map value);

  NodeKind kind() const { return static_cast<NodeKind>(value_.index()); }
  bool is_entity() const { return kind() == NodeKind::kEntity; }
  bool is_boolean() const { return kind() == NodeKind::kBoolean; }
  bool is_int64() const { return kind() == NodeKind::kInt64; }
  bool is_uint64() const { return kind() == NodeKind::kUint64; }
  bool is_double() const { return kind() == NodeKind::kDouble; }
  bool is_string() const { return kind() == NodeKind::kString; }
  bool is_list() const { return kind() == NodeKind::kList; }
  bool is_map() const { return kind() == NodeKind::kMap; }

  // Precondition: the node has that kind.
  bool as_boolean() const { return std::get<bool>(value_); }
  int64_t as_int64() const { return std::get<int64_t>(value_); }
  uint64_t as_uint64() const { return std::get<uint64_t>(value_); }
  double as_double() const { return std::get<double>(value_); }
  const std::string& as_string() const { return std::get<std::string>(value_); }
  const List& as_list() const { return std::get<List>(value_); }
  List& as_list() { return std::get<List>(value_); }
  const Map& as_map() const { return std::get<Map>(value_); }
  Map& as_map() { return std::get<Map>(value_); }

  // The value under `key`; nullptr when there is none, or the node is no map.
  const Node* find(std::string_view key) const;
  Node* find(std::string_view key);
  // Sets `key`, replacing its old value in place. Precondition: a map, or an entity, which becomes
  // one.
  void set(std::string_view key, Node value);

  bool has_attributes() const { return attributes_ != nullptr; }
  // An empty map when there are none.
  const Map& attributes() const;
  void set_attributes(Map attributes);

  // Same kinds, same bits (NaN equals itself), attributes too; map order does not count.
  friend bool operator==(const Node& a, const Node& b);

 private:
  // In NodeKind's order.
  std::variant<Entity, bool, int64_t, uint64_t, double, std::string, List, Map> value_;
  std::shared_ptr<const Map> attributes_;
};

struct MapEntry {
  std::string key;
  Node value;

  friend bool operator==(const MapEntry& a, const MapEntry& b) {
    return a.key == b.key && a.value == b.value;
  }
};

// Here, and not in the class, because they need MapEntry to be complete.
inline Node::Node() = default;
inline Node::Node(Entity) {}
inline Node::Node(bool value) : value_(value) {}
inline Node::Node(int value) : value_(int64_t{value}) {}
inline Node::Node(int64_t value) : value_(value) {}
inline Node::Node(uint64_t value) : value_(value) {}
inline Node::Node(double value) : value_(value) {}
inline Node::Node(std::string value) : value_(std::move(value)) {}
inline Node::Node(std::string_view value) : value_(std::string(value)) {}
inline Node::Node(const char* value) : value_(std::string(value)) {}
inline Node::Node(List value) : value_(std::move(value)) {}
inline Node::Node(Map value) : value_(std::move(value)) {}

}  // namespace retinue::yson
