#include "tests/unit/worker/spec/sample_spec.h"

#include <gtest/gtest.h>

#include <charconv>
#include <string>

#include "worker/json/json_parser.h"
#include "worker/json/json_writer.h"
#include "worker/spec/spec_loader.h"

namespace retinue::worker {
namespace {

constexpr std::string_view kSample = R"json({
  "name": "sample",
  "streams": {
    "lines": {"schema": [
      {"name": "line", "type": "string"},
      {"name": "path", "type": "string"},
      {"name": "number", "type": "uint64"}
    ]},
    "words": {"schema": [{"name": "word", "type": "string", "required": true}]},
    "events": {"schema": [
      {"name": "user", "type": "string"},
      {"name": "word", "type": "string"},
      {"name": "device", "type": "int64"},
      {"name": "details", "type": "any"}
    ]},
    "counts": {"schema": [
      {"name": "word", "type": "string"},
      {"name": "count", "type": "int64"},
      {"name": "share", "type": "double"},
      {"name": "is_new", "type": "boolean"}
    ]},
    "failures": {"schema": [
      {"name": "message", "type": "any"},
      {"name": "error", "type": "string", "required": true}
    ]}
  },
  "companions": {
    "counter": {
      "command": ["./bin/counter", "--verbose", "data/x"],
      "environment": {"LANG": "C", "EMPTY": ""},
      "working_directory": "work",
      "processes": 4,
      "startup_timeout": "20s",
      "batch_timeout": "1.5m",
      "restart_delay_min": "50ms",
      "restart_delay_max": "1s",
      "restarts_without_progress_max": 3
    },
    "by_hand": {}
  },
  "computations": {
    "read": {
      "kind": "ordered_source",
      "source": {
        "type": "text_lines",
        "paths": ["input/*.txt.gz", "/data/../more.txt"],
        "compression": "gzip",
        "on_bad_line": "skip",
        "line_column": "line",
        "file_column": "path",
        "line_number_column": "number"
      },
      "source_stream_id": "lines",
      "companion": "counter",
      "processing_function": "split",
      "parameters": {"separator": " "},
      "output_stream_ids": ["words"],
      "internal_states": {"position": {"format": "raw"}}
    },
    "events": {
      "kind": "passthrough_source",
      "source": {
        "type": "json_lines",
        "paths": ["-"],
        "on_bad_line": "dead_letter",
        "dead_letter_path": "bad/events.jsonl"
      },
      "source_stream_id": "events"
    },
    "count": {
      "kind": "transform",
      "companion": "counter",
      "group_by_schema": [
        {"name": "hash", "type": "uint64", "expression": "farm_hash(word)"
},
        {"name": "word", "type": "string"}
      ],
      "input_stream_ids": ["words", "events"],
      "output_stream_ids": ["counts"],
      "dead_letter_stream_id": "failures",
      "internal_states": {
  "count" : {}, "seen" : {
    "format" : "yson"
  }
}
}
, "watch" : {
  "kind" : "transform",
           "companion" : "by_hand",
                         "group_by_schema"
      : [ {"name" : "user", "type" : "string"}, {"name" : "device", "type" : "int64"} ],
        "input_stream_ids" : ["events"]
}
}
, "sinks" : {
  "file" :
      {"type" : "json_lines", "input_stream_ids" : ["counts"], "path" : "out/{partition}.jsonl"},
  "screen" : {"type" : "stdout", "input_stream_ids" : [ "counts", "events" ]},
  "failures" :
      {"type" : "json_lines", "input_stream_ids" : ["failures"], "path" : "out/failures"}
},
            "dynamic_spec" : {
  "state_cache_bytes_limit" : "1Gi", "computations" : {
    "count" : {
      "max_rows_per_batch" : 500,
      "max_bytes_per_batch" : "512Ki",
      "batch_duration" : "20ms",
      "desired_partition_count" : 8,
      "max_attempts" : 5,
      "retry_delay" : "1s",
      "retry_delay_max" : "20s",
      "max_crashes_per_batch" : 2,
      "on_failure" : "dead_letter",
      "inbox_bytes_limit" : 1000000,
      "parameters" : {"threshold" : 10}
    },
              "read" : {
      "max_rows_per_batch" : 10
    }
  }
}
})json";

}  // namespace

yson::Node sample_spec() {
  return parse_json(kSample).value();
}

PipelineSpec loaded(const yson::Node& spec) {
  auto result = load_spec_text(node_to_json(spec), SpecFormat::kJson, "/pipelines/sample");
  EXPECT_TRUE(result.ok()) << (result ? "" : result.error().message);
  return result ? std::move(result).value() : PipelineSpec{};
}

std::vector<SpecProblem> problems_of(const yson::Node& spec) {
  auto report = check_spec_text(node_to_json(spec), SpecFormat::kJson, "/pipelines/sample");
  EXPECT_TRUE(report.ok()) << (report ? "" : report.error().message);
  return report ? report->problems : std::vector<SpecProblem>{};
}

void put(yson::Node& root, std::string_view path, std::string_view json) {
  yson::Node* node = &root;
  while (true) {
    path.remove_prefix(1);
    const size_t end = std::min(path.find('/'), path.size());
    const std::string_view token = path.substr(0, end);
    path.remove_prefix(end);
    const bool is_last = path.empty();
    if (node->is_list()) {
      size_t index = 0;
      std::from_chars(token.data(), token.data() + token.size(), index);
      yson::List& list = node->as_list();
      if (is_last && json.empty()) {
        list.erase(list.begin() + static_cast<std::ptrdiff_t>(index));
        return;
      }
      if (index == list.size()) {
        list.emplace_back();
      }
      node = &list[index];
    } else if (is_last && json.empty()) {
      std::erase_if(node->as_map(),
                    [&](const yson::MapEntry& entry) { return entry.key == token; });
      return;
    } else {
      if (node->find(token) == nullptr) {
        node->set(token, yson::Node());
      }
      node = node->find(token);
    }
    if (is_last) {
      *node = parse_json(json).value();
      return;
    }
  }
}

}  // namespace retinue::worker
