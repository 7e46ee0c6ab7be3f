#include "worker/spec/object_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "protocol/base/check.h"
#include "protocol/base/limits.h"
#include "worker/json/error_text.h"
#include "worker/spec/names.h"

namespace retinue::worker {
namespace {

using yson::Node;

// Long enough for everything, and far from what overflows when added to an instant.
constexpr Duration kDurationMax = Duration::seconds(int64_t{365} * 86'400);

constexpr std::string_view kTextRule = "a string that is UTF-8, not empty and has no zero byte";
constexpr std::string_view kNameRule = "a name of A-Z a-z 0-9 _ . -, at most 256 characters long";
static_assert(limits::kNameBytesLimit == 256);

bool contains(std::span<const std::string_view> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::optional<uint64_t> whole_number(const Node& node) {
  if (node.is_uint64()) {
    return node.as_uint64();
  }
  if (node.is_int64() && node.as_int64() >= 0) {
    return static_cast<uint64_t>(node.as_int64());
  }
  return std::nullopt;
}

std::optional<uint64_t> parse_bytes(std::string_view text) {
  constexpr std::array<std::string_view, 5> kUnits = {"", "Ki", "Mi", "Gi", "Ti"};
  uint64_t count = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (failure != std::errc{}) {
    return std::nullopt;
  }
  const auto unit =
      std::find(kUnits.begin(), kUnits.end(), text.substr(static_cast<size_t>(end - text.data())));
  const auto shift = 10 * static_cast<unsigned>(unit - kUnits.begin());
  if (unit == kUnits.end() || count > (UINT64_MAX >> shift)) {
    return std::nullopt;
  }
  return count << shift;
}

std::string format_bytes(uint64_t count) {
  constexpr std::array<std::string_view, 5> kUnits = {"", "Ki", "Mi", "Gi", "Ti"};
  size_t unit = 0;
  while (unit + 1 < kUnits.size() && count > 0 && count % 1024 == 0) {
    count /= 1024;
    ++unit;
  }
  return fmt::format("{}{}", count, kUnits[unit]);
}

}  // namespace

ObjectReader::ObjectReader(const Node& node, std::string path, const ObjectFields& fields,
                           Problems& problems)
    : node_(node), path_(std::move(path)), fields_(fields), problems_(problems) {
  if (!node.is_map()) {
    problems.add_unexpected(path_, "a map", node);
    return;
  }
  if (node.has_attributes()) {
    problems.add(path_, "expected no attributes: they mean nothing in a spec");
  }
  for (const yson::MapEntry& entry : node.as_map()) {
    if (contains(fields.known, entry.key)) {
      continue;
    }
    if (contains(fields.not_yet, entry.key)) {
      problems.add(path_of(entry.key),
                   fmt::format("the field {} is not supported yet", quote_text(entry.key)));
    } else if (problems.count() < Problems::kLimit) {
      const std::string hint = did_you_mean(entry.key, fields.known);
      problems.add(path_of(entry.key),
                   fmt::format("unknown field {}{}", quote_text(entry.key),
                               hint.empty() ? fmt::format("; {} has {}", fields.object,
                                                          fmt::join(fields.known, ", "))
                                            : hint));
    } else {
      problems.add({}, {});
    }
  }
}

const Node* ObjectReader::find(std::string_view name) const {
  RETINUE_CHECK(contains(fields_.known, name), name);
  return node_.find(name);
}

const Node* ObjectReader::require(std::string_view name, std::string_view what) const {
  const Node* const node = find(name);
  if (node == nullptr && node_.is_map()) {
    problems_.add(path_,
                  fmt::format("expected the field {} ({}), found none", quote_text(name), what));
  }
  return node;
}

void ObjectReader::read_boolean(std::string_view name, bool& value) const {
  if (const Node* const node = find(name); node != nullptr) {
    if (node->is_boolean()) {
      value = node->as_boolean();
    } else {
      problems_.add_unexpected(path_of(name), "true or false", *node);
    }
  }
}

void ObjectReader::read_text(std::string_view name, std::string& value) const {
  if (const Node* const node = find(name); node != nullptr) {
    if (node->is_string() && is_valid_text(node->as_string())) {
      value = node->as_string();
    } else {
      problems_.add_unexpected(path_of(name), kTextRule, *node);
    }
  }
}

void ObjectReader::read_name(std::string_view name, std::string& value) const {
  if (const Node* const node = find(name); node != nullptr) {
    if (node->is_string() && is_valid_name(node->as_string())) {
      value = node->as_string();
    } else {
      problems_.add_unexpected(path_of(name), kNameRule, *node);
    }
  }
}

std::vector<std::string> ObjectReader::read_list(std::string_view name, std::string_view what,
                                                 bool (*is_valid)(std::string_view)) const {
  std::vector<std::string> values;
  const Node* const node = find(name);
  if (node == nullptr) {
    return values;
  }
  if (!node->is_list()) {
    problems_.add_unexpected(path_of(name), "a list", *node);
    return values;
  }
  if (node->as_list().size() > limits::kSpecEntriesLimit) {
    problems_.add(path_of(name), fmt::format("expected at most {} items, found {}",
                                             limits::kSpecEntriesLimit, node->as_list().size()));
    return values;
  }
  for (const Node& item : node->as_list()) {
    if (item.is_string() && is_valid(item.as_string())) {
      values.push_back(item.as_string());
    } else {
      problems_.add_unexpected(child_path(path_of(name), values.size()), what, item);
      values.emplace_back();
    }
  }
  return values;
}

std::vector<std::string> ObjectReader::read_texts(std::string_view name) const {
  return read_list(name, kTextRule, is_valid_text);
}

std::vector<std::string> ObjectReader::read_names(std::string_view name) const {
  return read_list(name, kNameRule, is_valid_name);
}

void ObjectReader::read_duration(std::string_view name, Duration& value, Duration min) const {
  const Node* const node = find(name);
  if (node == nullptr) {
    return;
  }
  if (node->is_string()) {
    const auto duration = parse_duration(node->as_string());
    if (duration && *duration >= min && *duration <= kDurationMax) {
      value = *duration;
      return;
    }
  }
  problems_.add_unexpected(path_of(name),
                           fmt::format("a duration from {} to {}, such as \"500ms\", \"10s\" or "
                                       "\"5m\"",
                                       format_duration(min), format_duration(kDurationMax)),
                           *node);
}

void ObjectReader::read_count(std::string_view name, uint32_t& value, Range range) const {
  const Node* const node = find(name);
  if (node == nullptr) {
    return;
  }
  const auto number = whole_number(*node);
  if (number && *number >= range.min && *number <= range.max) {
    value = static_cast<uint32_t>(*number);
  } else {
    problems_.add_unexpected(
        path_of(name), fmt::format("a whole number from {} to {}", range.min, range.max), *node);
  }
}

void ObjectReader::read_bytes(std::string_view name, uint64_t& value, Range range) const {
  const Node* const node = find(name);
  if (node == nullptr) {
    return;
  }
  const auto number = node->is_string() ? parse_bytes(node->as_string()) : whole_number(*node);
  if (number && *number >= range.min && *number <= range.max) {
    value = *number;
  } else {
    problems_.add_unexpected(
        path_of(name),
        fmt::format("a number of bytes from {} to {}, or a string such as \"512Ki\" or \"64Mi\"",
                    format_bytes(range.min), format_bytes(range.max)),
        *node);
  }
}

void ObjectReader::read_parameters(std::string_view name, Node& value) const {
  value = yson::Map{};
  if (const Node* const node = find(name); node != nullptr) {
    if (node->is_map()) {
      value = *node;
    } else {
      problems_.add_unexpected(path_of(name), "a map", *node);
    }
  }
}

void ObjectReader::read_entries(std::string_view name, const Entry& entry) const {
  const Node* const node = find(name);
  if (node == nullptr) {
    return;
  }
  if (!node->is_map()) {
    problems_.add_unexpected(path_of(name), "a map", *node);
    return;
  }
  if (node->as_map().size() > limits::kSpecEntriesLimit) {
    problems_.add(path_of(name), fmt::format("expected at most {} entries, found {}",
                                             limits::kSpecEntriesLimit, node->as_map().size()));
    return;
  }
  for (const yson::MapEntry& child : node->as_map()) {
    std::string path = child_path(path_of(name), child.key);
    if (is_valid_name(child.key)) {
      entry(child.key, child.value, std::move(path));
    } else {
      problems_.add_unexpected(std::move(path), kNameRule, child.key);
    }
  }
}

void ObjectReader::add_not_yet(std::string_view name, std::string_view choice,
                               std::span<const std::string_view> supported) const {
  problems_.add(path_of(name), fmt::format("{} is not supported yet; expected {}",
                                           quote_text(choice), quoted_list(supported)));
}

void ObjectReader::add_no_choice(std::string_view name, const Node& found,
                                 std::span<const std::string_view> supported) const {
  problems_.add(path_of(name),
                fmt::format("expected {}{}, found {}{}", supported.size() > 1 ? "one of " : "",
                            quoted_list(supported), describe(found),
                            found.is_string() ? did_you_mean(found.as_string(), supported) : ""));
}

std::string resolve_path(const std::filesystem::path& folder, const std::string& text) {
  return (folder / text).lexically_normal().string();
}

std::string quoted_list(std::span<const std::string_view> names) {
  std::string out;
  for (size_t i = 0; i < names.size(); ++i) {
    out += i == 0 ? "" : i + 1 == names.size() ? " or " : ", ";
    out += quote_text(names[i]);
  }
  return out;
}

}  // namespace retinue::worker
