#include "protocol/yson/node.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "protocol/base/check.h"

namespace retinue::yson {

namespace {

template <typename Entries>
auto* find_in(Entries& entries, std::string_view key) {
  auto entry =
      std::find_if(entries.begin(), entries.end(), [&](const auto& e) { return e.key == key; });
  return entry == entries.end() ? nullptr : &entry->value;
}

// All NaNs are one: the text form has a single one.
bool equal_doubles(double a, double b) {
  return std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b) ||
         (std::isnan(a) && std::isnan(b));
}

std::vector<const MapEntry*> sorted_by_key(const Map& map) {
  std::vector<const MapEntry*> entries;
  entries.reserve(map.size());
  for (const MapEntry& entry : map) {
    entries.push_back(&entry);
  }
  std::sort(entries.begin(), entries.end(),
            [](const MapEntry* a, const MapEntry* b) { return a->key < b->key; });
  return entries;
}

// Looks at every value at most once, or deep trees would cost exponential time.
bool equal_maps(const Map& a, const Map& b) {
  if (a.size() != b.size()) {
    return false;
  }
  if (std::equal(a.begin(), a.end(), b.begin(),
                 [](const MapEntry& x, const MapEntry& y) { return x.key == y.key; })) {
    return a == b;
  }
  std::vector<const MapEntry*> a_entries = sorted_by_key(a);
  std::vector<const MapEntry*> b_entries = sorted_by_key(b);
  return std::equal(a_entries.begin(), a_entries.end(), b_entries.begin(),
                    [](const MapEntry* x, const MapEntry* y) { return *x == *y; });
}

}  // namespace

std::string_view node_kind_name(NodeKind kind) {
  switch (kind) {
    case NodeKind::kEntity: return "entity";
    case NodeKind::kBoolean: return "boolean";
    case NodeKind::kInt64: return "int64";
    case NodeKind::kUint64: return "uint64";
    case NodeKind::kDouble: return "double";
    case NodeKind::kString: return "string";
    case NodeKind::kList: return "list";
    case NodeKind::kMap: return "map";
  }
  RETINUE_CHECK(false, "not a NodeKind");
}

const Node* Node::find(std::string_view key) const {
  return is_map() ? find_in(as_map(), key) : nullptr;
}

Node* Node::find(std::string_view key) {
  return is_map() ? find_in(as_map(), key) : nullptr;
}

void Node::set(std::string_view key, Node value) {
  RETINUE_CHECK(is_map() || is_entity(), "set() of a node that is neither map nor entity");
  if (is_entity()) {
    value_ = Map{};
  }
  if (Node* old = find(key)) {
    *old = std::move(value);
  } else {
    as_map().push_back({std::string(key), std::move(value)});
  }
}

const Map& Node::attributes() const {
  static const Map kNone;
  return attributes_ ? *attributes_ : kNone;
}

void Node::set_attributes(Map attributes) {
  attributes_ = attributes.empty() ? nullptr : std::make_shared<const Map>(std::move(attributes));
}

bool operator==(const Node& a, const Node& b) {
  if (a.kind() != b.kind() || !equal_maps(a.attributes(), b.attributes())) {
    return false;
  }
  switch (a.kind()) {
    case NodeKind::kDouble: return equal_doubles(a.as_double(), b.as_double());
    case NodeKind::kMap: return equal_maps(a.as_map(), b.as_map());
    default: return a.value_ == b.value_;
  }
}

}  // namespace retinue::yson
