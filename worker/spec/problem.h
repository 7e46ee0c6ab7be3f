// SpecProblem: something wrong with a spec; Problems gathers them, so that all are told at once.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/yson/node.h"

namespace retinue::worker {

// The path is a JSON pointer: "/streams/words/schema/0/type", "" for the whole. The message says
// what was expected and what was found. Both are printable UTF-8.
struct SpecProblem {
  std::string path;
  std::string message;

  friend bool operator==(const SpecProblem&, const SpecProblem&) = default;
};

// Past its limit it only counts.
class Problems {
 public:
  static constexpr size_t kLimit = 100;

  void add(std::string path, std::string message);
  // "expected <what>, found <the node>".
  void add_unexpected(std::string path, std::string_view what, const yson::Node& found);

  size_t count() const { return count_; }
  std::vector<SpecProblem> take() &&;

 private:
  std::vector<SpecProblem> problems_;
  size_t count_ = 0;
};

// `path` and one more token, escaped.
std::string child_path(std::string_view path, std::string_view token);
std::string child_path(std::string_view path, size_t index);

// The node as a message shows it: its text or number, or what kind of thing it is.
std::string describe(const yson::Node& node);

}  // namespace retinue::worker
