// Whatever is done to a spec, loading it gives a spec or printable problems, and never a crash.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "protocol/yson/writer.h"
#include "tests/unit/worker/spec/sample_spec.h"
#include "worker/json/json_writer.h"
#include "worker/spec/spec_loader.h"

namespace retinue::worker {
namespace {

using yson::List;
using yson::Map;
using yson::Node;

void collect(Node& node, std::vector<Node*>& nodes) {
  nodes.push_back(&node);
  if (node.is_map()) {
    for (yson::MapEntry& entry : node.as_map()) {
      collect(entry.value, nodes);
    }
  } else if (node.is_list()) {
    for (Node& child : node.as_list()) {
      collect(child, nodes);
    }
  }
}

class Mutator {
 public:
  explicit Mutator(uint64_t seed) : random_(seed) {}

  Node mutated(Node spec) {
    for (auto changes = 1 + below(4); changes > 0; --changes) {
      std::vector<Node*> nodes;
      collect(spec, nodes);
      change(*nodes[below(nodes.size())], *nodes[below(nodes.size())]);
    }
    return spec;
  }
  std::string mutated_text(std::string text) {
    for (auto changes = 1 + below(6); changes > 0 && !text.empty(); --changes) {
      const size_t at = below(text.size());
      switch (below(3)) {
        case 0: text[at] = static_cast<char>(random_()); break;
        case 1: text.erase(at, 1 + below(20)); break;
        default: text.insert(at, text.substr(below(text.size()), below(30)));
      }
    }
    return text;
  }

 private:
  size_t below(size_t bound) { return random_() % bound; }

  void change(Node& node, const Node& other) {
    switch (below(5)) {
      case 0: node = some_value(); break;
      case 1: node = Node(other); break;
      case 2:
        if (node.is_map() && !node.as_map().empty()) {
          Map& map = node.as_map();
          map.erase(map.begin() + static_cast<std::ptrdiff_t>(below(map.size())));
        } else if (node.is_list() && !node.as_list().empty()) {
          List& list = node.as_list();
          list.push_back(Node(list[below(list.size())]));
        }
        break;
      case 3:
        if (node.is_map()) {
          node.set(some_name(), some_value());
        } else if (node.is_list()) {
          node.as_list().push_back(some_value());
        }
        break;
      default:
        if (node.is_string()) {
          node = mutated_text(node.as_string() + "x");
        }
    }
  }
  std::string some_name() {
    const char* const names[] = {"name",  "type",  "kind",  "timer_streams", "",
                                 "a/b~c", "words", "count", "\xff",          "input_stream_ids"};
    return names[below(std::size(names))];
  }
  Node some_value() {
    switch (below(8)) {
      case 0: return {};
      case 1: return below(2) == 0;
      case 2: return static_cast<int64_t>(random_());
      case 3: return random_();
      case 4: return 1e308 * static_cast<double>(below(3));
      case 5: return some_name();
      case 6: return List{some_name()};
      default: return Map{{some_name(), static_cast<int64_t>(below(10))}};
    }
  }

  std::mt19937_64 random_;
};

// Loaded specs keep what their types promise.
void expect_sound(const SpecReport& report) {
  if (!report.ok()) {
    for (const SpecProblem& problem : report.problems) {
      ASSERT_TRUE(is_utf8(problem.path) && is_utf8(problem.message));
      ASSERT_FALSE(problem.message.empty());
      const std::string text = problem.path + problem.message;
      ASSERT_TRUE(std::all_of(text.begin(), text.end(),
                              [](char c) { return static_cast<uint8_t>(c) >= 0x20; }));
    }
    return;
  }
  ASSERT_EQ(report.spec.dynamic_spec.computations.size(), report.spec.computations.size());
  for (const auto& [id, computation] : report.spec.computations) {
    for (const StreamId& stream : computation.input_stream_ids) {
      ASSERT_TRUE(report.spec.streams.contains(stream));
    }
    const bool is_source = computation.kind != ComputationKind::kTransform;
    ASSERT_EQ(computation.source.has_value() && computation.source_stream_id.has_value(),
              is_source);
    ASSERT_EQ(computation.group_by_schema.size() > 0, !is_source);
    ASSERT_EQ(report.spec.companions.contains(computation.companion),
              computation.kind != ComputationKind::kPassthroughSource);
  }
}

TEST(SpecMutation, TreesNeverCrashTheLoader) {
  const Node spec = sample_spec();
  int good = 0;
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    SCOPED_TRACE(seed);
    const Node mutated = Mutator(seed).mutated(spec);
    const auto report =
        check_spec_text(yson::to_string(mutated), SpecFormat::kYson, "/pipelines/sample");
    // Strings that are keys may have become unreadable for YSON's own rules, not ours.
    if (report) {
      expect_sound(*report);
      good += report->ok();
    }
  }
  EXPECT_GT(good, 10);
}

TEST(SpecMutation, TextsNeverCrashTheLoader) {
  const std::string json = node_to_json(sample_spec(), JsonFormat::kPretty);
  const std::string text = yson::to_string(sample_spec(), yson::Format::kPretty);
  const std::string binary = yson::to_string(sample_spec());
  int read = 0;
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    SCOPED_TRACE(seed);
    for (const auto& [bytes, format] :
         {std::pair(&json, SpecFormat::kJson), std::pair(&text, SpecFormat::kYson),
          std::pair(&binary, SpecFormat::kYson)}) {
      const auto report = check_spec_text(Mutator(seed).mutated_text(*bytes), format, "/x");
      if (report) {
        expect_sound(*report);
        ++read;
      } else {
        ASSERT_FALSE(report.error().message.empty());
      }
    }
  }
  EXPECT_GT(read, 100);
}

}  // namespace
}  // namespace retinue::worker
