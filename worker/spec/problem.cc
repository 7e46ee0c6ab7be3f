#include "worker/spec/problem.h"

#include <fmt/format.h>

#include <utility>

#include "worker/json/error_text.h"
#include "worker/json/json_writer.h"

namespace retinue::worker {

void Problems::add(std::string path, std::string message) {
  if (++count_ <= kLimit) {
    problems_.push_back({std::move(path), std::move(message)});
  }
}

void Problems::add_unexpected(std::string path, std::string_view what, const yson::Node& found) {
  add(std::move(path), fmt::format("expected {}, found {}", what, describe(found)));
}

std::vector<SpecProblem> Problems::take() && {
  if (count_ > kLimit) {
    problems_.push_back({"", fmt::format("and {} more problems", count_ - kLimit)});
  }
  return std::move(problems_);
}

std::string child_path(std::string_view path, std::string_view token) {
  std::string out(path);
  out += '/';
  const std::string printable = quote_text(token);
  for (const char c : std::string_view(printable).substr(1, printable.size() - 2)) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out += c;
    }
  }
  return out;
}

std::string child_path(std::string_view path, size_t index) {
  return fmt::format("{}/{}", path, index);
}

std::string describe(const yson::Node& node) {
  switch (node.kind()) {
    case yson::NodeKind::kString: return quote_text(node.as_string());
    case yson::NodeKind::kList: return node.as_list().empty() ? "an empty list" : "a list";
    case yson::NodeKind::kMap: return node.as_map().empty() ? "an empty map" : "a map";
    case yson::NodeKind::kEntity: return "null";
    case yson::NodeKind::kUint64: return fmt::format("{}", node.as_uint64());
    default: {
      std::string text;
      yson::Node plain = node;
      plain.set_attributes({});
      append_json(text, plain);
      return text;
    }
  }
}

}  // namespace retinue::worker
