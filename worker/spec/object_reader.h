// ObjectReader: reads one map of a spec by a table of its fields, and complains about everything
// that is not as it should be. Absent fields keep the value they have.
//
// Borrows: the node, the table and the problems.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "protocol/base/clock.h"
#include "protocol/yson/node.h"
#include "worker/spec/problem.h"
#include "worker/spec/spec_fields.h"

namespace retinue::worker {

// A word that a field may hold. Without a value it is known, but not supported yet.
template <typename T>
struct Choice {
  std::string_view name;
  std::optional<T> value;
};

struct Range {
  uint64_t min = 0;
  uint64_t max = 0;
};

class ObjectReader {
 public:
  // Reports a node that is no map, and fields that `fields` does not have.
  ObjectReader(const yson::Node& node, std::string path, const ObjectFields& fields,
               Problems& problems);

  // Every name below must be one of the table's fields.
  std::string path_of(std::string_view name) const { return child_path(path_, name); }
  bool has(std::string_view name) const { return find(name) != nullptr; }
  const yson::Node* find(std::string_view name) const;
  // As find, and an absent field is a problem.
  const yson::Node* require(std::string_view name, std::string_view what) const;

  void read_boolean(std::string_view name, bool& value) const;
  // Not empty, UTF-8 and without zero bytes.
  void read_text(std::string_view name, std::string& value) const;
  void read_name(std::string_view name, std::string& value) const;
  // An invalid item becomes "", so that places in the list are places in the result.
  std::vector<std::string> read_texts(std::string_view name) const;
  std::vector<std::string> read_names(std::string_view name) const;
  void read_duration(std::string_view name, Duration& value, Duration min) const;
  void read_count(std::string_view name, uint32_t& value, Range range) const;
  // A number of bytes, or "64Ki", "64Mi", "64Gi", "1Ti".
  void read_bytes(std::string_view name, uint64_t& value, Range range) const;
  // A map of the user's own, a copy.
  void read_parameters(std::string_view name, yson::Node& value) const;
  // Calls back for every entry of a map: key, value, path. A field that is no map, a key that is no
  // name and too many entries are problems; such entries are left out.
  using Entry = std::function<void(const std::string&, const yson::Node&, std::string)>;
  void read_entries(std::string_view name, const Entry& entry) const;

  template <typename T>
  void read_choice(std::string_view name, T& value, std::span<const Choice<T>> choices) const {
    std::vector<std::string_view> supported;
    for (const Choice<T>& choice : choices) {
      if (choice.value) {
        supported.push_back(choice.name);
      }
    }
    const yson::Node* const node = find(name);
    if (node == nullptr) {
      return;
    }
    for (const Choice<T>& choice : choices) {
      if (node->is_string() && node->as_string() == choice.name) {
        if (choice.value) {
          value = *choice.value;
        } else {
          add_not_yet(name, choice.name, supported);
        }
        return;
      }
    }
    add_no_choice(name, *node, supported);
  }

 private:
  void add_not_yet(std::string_view name, std::string_view choice,
                   std::span<const std::string_view> supported) const;
  void add_no_choice(std::string_view name, const yson::Node& found,
                     std::span<const std::string_view> supported) const;
  std::vector<std::string> read_list(std::string_view name, std::string_view what,
                                     bool (*is_valid)(std::string_view)) const;

  const yson::Node& node_;
  const std::string path_;
  const ObjectFields& fields_;
  Problems& problems_;
};

// A path as a spec gives it, made absolute and free of "." and "..".
std::string resolve_path(const std::filesystem::path& folder, const std::string& text);

// `"a", "b" or "c"`.
std::string quoted_list(std::span<const std::string_view> names);

}  // namespace retinue::worker
