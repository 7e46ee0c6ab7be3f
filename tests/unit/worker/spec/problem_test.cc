// Bad specs: each is the sample with one thing spoilt, and what must be said about it.
#include "worker/spec/problem.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "tests/unit/worker/spec/sample_spec.h"

namespace retinue::worker {

void PrintTo(const SpecProblem& problem, std::ostream* out) {
  *out << problem.path << ": " << problem.message;
}

namespace {

using testing::ElementsAre;

struct Bad {
  std::string_view path;
  std::string_view json;
  std::string_view problem_path;
  std::string_view message;
};

void PrintTo(const Bad& bad, std::ostream* out) {
  *out << bad.path << " = " << bad.json;
}

class BadSpec : public testing::TestWithParam<Bad> {};

TEST_P(BadSpec, HasJustThatProblem) {
  yson::Node spec = sample_spec();
  put(spec, GetParam().path, GetParam().json);
  EXPECT_THAT(problems_of(spec), ElementsAre(SpecProblem{std::string(GetParam().problem_path),
                                                         std::string(GetParam().message)}));
}

INSTANTIATE_TEST_SUITE_P(
    Fields, BadSpec,
    testing::Values(
        Bad{"/name", "", "", "expected the field \"name\" (the pipeline's name), found none"},
        Bad{"/name", "\"\"", "/name",
            "expected a name of A-Z a-z 0-9 _ . -, at most 256 characters long, found \"\""},
        Bad{"/name", "\"a b\"", "/name",
            "expected a name of A-Z a-z 0-9 _ . -, at most 256 characters long, found \"a b\""},
        Bad{"/nmae", "1", "/nmae", "unknown field \"nmae\" (did you mean \"name\"?)"},
        Bad{"/extra", "1", "/extra",
            "unknown field \"extra\"; a pipeline has name, streams, companions, computations, "
            "sinks, dynamic_spec"},
        Bad{"/resources", "{}", "/resources", "the field \"resources\" is not supported yet"},
        Bad{"/streams/words/schema/0/typ", "1", "/streams/words/schema/0/typ",
            "unknown field \"typ\" (did you mean \"type\"?)"},
        Bad{"/companions/by_hand/processes", "0", "/companions/by_hand/processes",
            "expected a whole number from 1 to 256, found 0"},
        Bad{"/companions/by_hand/processes", "257", "/companions/by_hand/processes",
            "expected a whole number from 1 to 256, found 257"},
        Bad{"/companions/by_hand/processes", "1.0", "/companions/by_hand/processes",
            "expected a whole number from 1 to 256, found 1.0"},
        Bad{"/companions/by_hand/processes", "-1", "/companions/by_hand/processes",
            "expected a whole number from 1 to 256, found -1"},
        Bad{"/companions/by_hand/processes", "18446744073709551615",
            "/companions/by_hand/processes",
            "expected a whole number from 1 to 256, found 18446744073709551615"},
        Bad{"/companions/by_hand/processes", "\"2\"", "/companions/by_hand/processes",
            "expected a whole number from 1 to 256, found \"2\""},
        Bad{"/companions/by_hand/batch_timeout", "10", "/companions/by_hand/batch_timeout",
            "expected a duration from 1ms to 365d, such as \"500ms\", \"10s\" or \"5m\", found 10"},
        Bad{"/companions/by_hand/batch_timeout", "\"10\"", "/companions/by_hand/batch_timeout",
            "expected a duration from 1ms to 365d, such as \"500ms\", \"10s\" or \"5m\", found "
            "\"10\""},
        Bad{"/companions/by_hand/startup_timeout", "\"0s\"", "/companions/by_hand/startup_timeout",
            "expected a duration from 1ms to 365d, such as \"500ms\", \"10s\" or \"5m\", found "
            "\"0s\""},
        Bad{"/companions/by_hand/restart_delay_max", "\"366d\"",
            "/companions/by_hand/restart_delay_max",
            "expected a duration from 0s to 365d, such as \"500ms\", \"10s\" or \"5m\", found "
            "\"366d\""},
        Bad{"/companions/by_hand/restart_delay_max", "\"1ms\"",
            "/companions/by_hand/restart_delay_max",
            "expected restart_delay_min up to restart_delay_max, found 100ms and 1ms"},
        Bad{"/companions/by_hand/environment", "{}", "/companions/by_hand/environment",
            "expected only with a command: a companion that is started by hand has its own"},
        Bad{"/companions/by_hand/working_directory", "\".\"",
            "/companions/by_hand/working_directory",
            "expected only with a command: a companion that is started by hand has its own"},
        Bad{"/companions/counter/command", "[]", "/companions/counter/command",
            "expected the program and its arguments, found an empty list"},
        Bad{"/companions/counter/command", "\"./counter\"", "/companions/counter/command",
            "expected a list, found \"./counter\""},
        Bad{"/companions/counter/command/1", "7", "/companions/counter/command/1",
            "expected a string that is UTF-8, not empty and has no zero byte, found 7"},
        Bad{"/companions/counter/command/0", "\"a\\u0000b\"", "/companions/counter/command/0",
            "expected a string that is UTF-8, not empty and has no zero byte, found \"a\\x00b\""},
        Bad{"/companions/counter/environment", "[]", "/companions/counter/environment",
            "expected a map of strings, found an empty list"},
        Bad{"/companions/counter/environment/N", "1", "/companions/counter/environment/N",
            "expected a string that is UTF-8 without zero bytes, found 1"},
        Bad{"/companions/counter/environment/A=B", "\"\"", "/companions/counter/environment/A=B",
            "expected a variable's name without = and zero bytes, found \"A=B\""},
        Bad{"/companions/counter/environment/RETINUE_TOKEN", "\"x\"",
            "/companions/counter/environment/RETINUE_TOKEN",
            "the worker sets this variable itself"},
        Bad{"/companions/counter/restarts_without_progress_max", "null",
            "/companions/counter/restarts_without_progress_max",
            "expected a whole number from 0 to 1000000, found null"},
        Bad{"/companions/a b", "{}", "/companions/a b",
            "expected a name of A-Z a-z 0-9 _ . -, at most 256 characters long, found \"a b\""}));

// Where the spoilt companions leave computations without one, that is said too.
TEST(BadSpecs, SectionsThatAreNoMaps) {
  yson::Node spec = sample_spec();
  put(spec, "/companions", "[]");
  EXPECT_THAT(problems_of(spec),
              testing::Contains(SpecProblem{"/companions", "expected a map, found an empty list"}));
  EXPECT_THAT(problems_of(yson::Node(1)), ElementsAre(SpecProblem{"", "expected a map, found 1"}));
  EXPECT_THAT(
      problems_of(yson::Node(yson::Map{})),
      ElementsAre(SpecProblem{"", "expected the field \"name\" (the pipeline's name), found none"},
                  SpecProblem{"", "expected the field \"streams\" (a map of streams), found none"},
                  SpecProblem{"",
                              "expected the field \"computations\" (a map of computations), found "
                              "none"}));
  put(spec, "/computations", "{}");
  EXPECT_THAT(problems_of(spec),
              testing::Contains(SpecProblem{"/computations",
                                            "expected at least one computation, found an empty "
                                            "map"}));
}

INSTANTIATE_TEST_SUITE_P(
    Schemas, BadSpec,
    testing::Values(
        Bad{"/streams/counts/schema/1/type", "\"int46\"", "/streams/counts/schema/1/type",
            "expected one of \"int64\", \"uint64\", \"double\", \"boolean\", \"string\" or "
            "\"any\", found \"int46\" (did you mean \"int64\"?)"},
        Bad{"/streams/counts/schema/1/type", "", "/streams/counts/schema/1",
            "expected the field \"type\" (the column's type), found none"},
        Bad{"/streams/counts/schema/1/name", "\"word\"", "/streams/counts/schema/1/name",
            "the column \"word\" is there twice"},
        Bad{"/streams/counts/schema/1/name", "\"\"", "/streams/counts/schema/1/name",
            "expected a string that is UTF-8, not empty and has no zero byte, found \"\""},
        Bad{"/streams/counts/schema/1/required", "\"yes\"", "/streams/counts/schema/1/required",
            "expected true or false, found \"yes\""},
        Bad{"/streams/counts/schema/1/expression", "\"farm_hash(word)\"",
            "/streams/counts/schema/1/expression",
            "expected none in a stream: only group_by_schema has a computed column"},
        Bad{"/streams/counts/schema", "[]", "/streams/counts/schema",
            "expected a list of columns, at least one, found an empty list"},
        Bad{"/streams/counts/schema", "\"word:string\"", "/streams/counts/schema",
            "expected a list of columns, at least one, found \"word:string\""},
        Bad{"/streams/counts/schema", "", "/streams/counts",
            "expected the field \"schema\" (a list of columns), found none"},
        Bad{"/streams/counts", "[1]", "/streams/counts", "expected a map, found a list"},
        Bad{"/streams/counts/migration_function", "\"f\"", "/streams/counts/migration_function",
            "the field \"migration_function\" is not supported yet"},
        Bad{"/computations/count/group_by_schema/0/type", "\"int64\"",
            "/computations/count/group_by_schema/0/type",
            "expected \"uint64\" for a column with a hash expression, found \"int64\""},
        Bad{"/computations/count/group_by_schema/0/expression", "\"city_hash(word)\"",
            "/computations/count/group_by_schema/0/expression",
            "expected farm_hash(column, …), found \"city_hash(word)\""},
        Bad{"/computations/count/group_by_schema/0/expression", "\"farm_hash(wrod)\"",
            "/computations/count/group_by_schema/0/expression",
            "expected farm_hash of plain columns of this group_by_schema, found \"wrod\" (did you "
            "mean \"word\"?)"},
        Bad{"/computations/count/group_by_schema/0/expression", "\"farm_hash(hash)\"",
            "/computations/count/group_by_schema/0/expression",
            "expected farm_hash of plain columns of this group_by_schema, found \"hash\""},
        Bad{"/computations/watch/group_by_schema/1/expression", "\"farm_hash(user)\"",
            "/computations/watch/group_by_schema/1/expression",
            "expected only the first key column to have an expression"},
        Bad{"/computations/watch/group_by_schema/0", R"({"name": "details", "type": "any"})",
            "/computations/watch/group_by_schema/0/type",
            "expected a type that can be a key, found \"any\""},
        Bad{"/computations/watch/group_by_schema/0/name", "\"usr\"",
            "/computations/watch/group_by_schema/0/name",
            "the stream \"events\" has no column \"usr\" (did you mean \"user\"?)"},
        Bad{"/computations/watch/group_by_schema/1/type", "\"uint64\"",
            "/computations/watch/group_by_schema/1/type",
            "expected \"int64\", the type of \"device\" in the stream \"events\", found "
            "\"uint64\""},
        Bad{"/computations/watch/group_by_schema", "[]", "/computations/watch/group_by_schema",
            "expected a list of columns, at least one, found an empty list"},
        Bad{"/computations/read/source/line_column", "\"lin\"",
            "/computations/read/source/line_column",
            "the stream \"lines\" has no column \"lin\" (did you mean \"line\"?)"},
        Bad{"/streams/lines/schema/1/type", "\"double\"", "/computations/read/source/file_column",
            "expected a column of type string, found \"path\" of type double"},
        Bad{"/computations/read/source/line_number_column", "\"path\"",
            "/computations/read/source/line_number_column",
            "expected another column than file_column, found \"path\""},
        Bad{"/computations/read/source/line_number_column", "", "/streams/lines/schema/2",
            "expected only columns that the text_lines source fills: its line_column, file_column "
            "and line_number_column"}));

TEST(BadSpecs, KeysNeedAPlainColumn) {
  yson::Node spec = sample_spec();
  put(spec, "/computations/count/group_by_schema/1", "");
  put(spec, "/computations/count/group_by_schema/0/expression", "\"\"");
  EXPECT_FALSE(problems_of(spec).empty());
  put(spec, "/computations/count/group_by_schema/0/expression", "\"farm_hash(hash)\"");
  EXPECT_FALSE(problems_of(spec).empty());
}

INSTANTIATE_TEST_SUITE_P(
    Computations, BadSpec,
    testing::Values(
        Bad{"/computations/watch/kind", "", "/computations/watch",
            "expected the field \"kind\" (\"transform\", \"ordered_source\" or "
            "\"passthrough_source\"), found none"},
        Bad{"/computations/watch/kind", "\"tranform\"", "/computations/watch/kind",
            "expected one of \"passthrough_source\", \"ordered_source\" or \"transform\", found "
            "\"tranform\" (did you mean \"transform\"?)"},
        Bad{"/computations/watch/kind", "\"swift_map\"", "/computations/watch/kind",
            "\"swift_map\" is not supported yet; expected \"passthrough_source\", "
            "\"ordered_source\" or \"transform\""},
        Bad{"/computations/watch/companion", "", "/computations/watch",
            "expected the field \"companion\" (who runs the function), found none"},
        Bad{"/computations/watch/companion", "\"by_hnad\"", "/computations/watch/companion",
            "expected the name of a companion, found \"by_hnad\", which does not exist (did you "
            "mean \"by_hand\"?)"},
        Bad{"/computations/watch/companion", "5", "/computations/watch/companion",
            "expected a name of A-Z a-z 0-9 _ . -, at most 256 characters long, found 5"},
        Bad{"/computations/watch/processing_function", "\"a::b\"",
            "/computations/watch/processing_function",
            "expected a name of A-Z a-z 0-9 _ . -, at most 256 characters long, found \"a::b\""},
        Bad{"/computations/watch/parameters", "[]", "/computations/watch/parameters",
            "expected a map, found an empty list"},
        Bad{"/computations/watch/group_by_schema", "", "/computations/watch",
            "expected the field \"group_by_schema\" (the key's columns), found none"},
        Bad{"/computations/watch/input_stream_ids", "", "/computations/watch",
            "expected the field \"input_stream_ids\" (the streams to read), found none"},
        Bad{"/computations/watch/input_stream_ids", "[]", "/computations/watch/input_stream_ids",
            "expected at least one stream, found an empty list"},
        Bad{"/computations/watch/input_stream_ids", "\"events\"",
            "/computations/watch/input_stream_ids", "expected a list, found \"events\""},
        Bad{"/computations/watch/input_stream_ids/0", "\"evnts\"",
            "/computations/watch/input_stream_ids/0",
            "expected the name of a stream, found \"evnts\", which does not exist (did you mean "
            "\"events\"?)"},
        Bad{"/computations/watch/input_stream_ids/1", "\"events\"",
            "/computations/watch/input_stream_ids/1", "the stream \"events\" is there twice"},
        Bad{"/computations/watch/source", R"({"type": "json_lines", "paths": ["a"]})",
            "/computations/watch/source",
            "expected only in a computation of kind \"passthrough_source\" or \"ordered_source\", "
            "found in one of kind \"transform\""},
        Bad{"/computations/events/companion", "\"counter\"", "/computations/events/companion",
            "expected only in a computation of kind \"ordered_source\" or \"transform\", found in "
            "one of kind \"passthrough_source\""},
        Bad{"/computations/events/internal_states", R"({"a": {}})",
            "/computations/events/internal_states",
            "expected only in a computation of kind \"ordered_source\" or \"transform\", found in "
            "one of kind \"passthrough_source\""},
        Bad{"/computations/read/group_by_schema", R"([{"name": "line", "type": "string"}])",
            "/computations/read/group_by_schema",
            "expected only in a computation of kind \"transform\", found in one of kind "
            "\"ordered_source\""},
        Bad{"/computations/read/source", "", "/computations/read",
            "expected the field \"source\" (what is read), found none"},
        Bad{"/computations/count/internal_states/count", "null",
            "/computations/count/internal_states/count", "expected a map, found null"},
        Bad{"/computations/count/internal_states/count/format", "\"proto\"",
            "/computations/count/internal_states/count/format",
            "\"proto\" is not supported yet; expected \"yson\" or \"raw\""},
        Bad{"/computations/count/internal_states/count/compress", "true",
            "/computations/count/internal_states/count/compress",
            "the field \"compress\" is not supported yet"},
        Bad{"/computations/count/internal_states/a~b", "{}",
            "/computations/count/internal_states/a~0b",
            "expected a name of A-Z a-z 0-9 _ . -, at most 256 characters long, found \"a~b\""}));

class NotSupportedYet : public testing::TestWithParam<std::string_view> {};

TEST_P(NotSupportedYet, IsSaid) {
  yson::Node spec = sample_spec();
  const std::string path = "/computations/count/" + std::string(GetParam());
  put(spec, path, "{}");
  EXPECT_THAT(problems_of(spec),
              ElementsAre(SpecProblem{
                  path, "the field \"" + std::string(GetParam()) + "\" is not supported yet"}));
}

INSTANTIATE_TEST_SUITE_P(Fields, NotSupportedYet,
                         testing::Values("timer_streams", "key_visitor_streams",
                                         "external_state_managers", "external_state_joiners",
                                         "state_joiners", "streams_dependency",
                                         "watermark_strategy", "processing_mode"));

INSTANTIATE_TEST_SUITE_P(
    Sources, BadSpec,
    testing::Values(
        Bad{"/computations/events/source", "7", "/computations/events/source",
            "expected a map, found 7"},
        Bad{"/computations/events/source/type", "", "/computations/events/source",
            "expected the field \"type\" (\"text_lines\" or \"json_lines\"), found none"},
        Bad{"/computations/read/source/type", "\"text_line\"", "/computations/read/source/type",
            "expected one of \"text_lines\" or \"json_lines\", found \"text_line\" (did you mean "
            "\"text_lines\"?)"},
        Bad{"/computations/events/source/type", "\"kafka\"", "/computations/events/source/type",
            "\"kafka\" is not supported yet; expected \"text_lines\" or \"json_lines\""},
        Bad{"/computations/events/source/paths", "", "/computations/events/source",
            "expected the field \"paths\" (a list of paths, patterns or \"-\"), found none"},
        Bad{"/computations/events/source/paths", "[]", "/computations/events/source/paths",
            "expected at least one path, found an empty list"},
        Bad{"/computations/events/source/paths", "[\"a\", \"-\"]",
            "/computations/events/source/paths/1",
            "expected \"-\" (standard input) to be the only path"},
        Bad{"/computations/events/source/paths", "[1]", "/computations/events/source/paths/0",
            "expected a string that is UTF-8, not empty and has no zero byte, found 1"},
        Bad{"/computations/events/source/compression", "\"bzip2\"",
            "/computations/events/source/compression",
            "expected one of \"auto\", \"none\", \"gzip\" or \"zstd\", found \"bzip2\""},
        Bad{"/computations/events/source/dead_letter_path", "", "/computations/events/source",
            "expected the field \"dead_letter_path\" (because on_bad_line is \"dead_letter\"), "
            "found none"},
        Bad{"/computations/events/source/on_bad_line", "\"skip\"",
            "/computations/events/source/dead_letter_path",
            "expected only with on_bad_line \"dead_letter\""},
        Bad{"/computations/events/source/line_column", "\"user\"",
            "/computations/events/source/line_column", "expected only with type \"text_lines\""},
        Bad{"/computations/read/source/paths", "[\"-\"]", "/computations/read/source/paths",
            "expected something else than standard input, which "
            "/computations/events/source/paths has already"}));

INSTANTIATE_TEST_SUITE_P(
    SinksAndDynamicSpec, BadSpec,
    testing::Values(
        Bad{"/sinks/file/path", "", "/sinks/file",
            "expected the field \"path\" (the file to write), found none"},
        Bad{"/sinks/file/path", "\"-\"", "/sinks/file/path",
            "expected a file's path, found \"-\"; for standard output use type \"stdout\""},
        Bad{"/sinks/screen/path", "\"a\"", "/sinks/screen/path",
            "expected only with type \"json_lines\""},
        Bad{"/sinks/screen/type", "\"kafka\"", "/sinks/screen/type",
            "\"kafka\" is not supported yet; expected \"json_lines\" or \"stdout\""},
        Bad{"/sinks/screen/input_stream_ids", "[]", "/sinks/screen/input_stream_ids",
            "expected at least one stream, found an empty list"},
        Bad{"/sinks/screen/input_stream_ids", "", "/sinks/screen",
            "expected the field \"input_stream_ids\" (the streams to write), found none"},
        Bad{"/sinks/screen/input_stream_ids/0", "\"count\"", "/sinks/screen/input_stream_ids/0",
            "expected the name of a stream, found \"count\", which does not exist (did you mean "
            "\"counts\"?)"},
        Bad{"/sinks/screen/input_stream_ids/0", "\"lines\"", "/sinks/screen/input_stream_ids/0",
            "expected another stream, found \"lines\", which ordered_source \"read\" reads itself; "
            "use its outputs"},
        Bad{"/sinks/more", R"({"type": "stdout", "input_stream_ids": ["counts"]})",
            "/sinks/screen/type",
            "expected something else than standard output, which /sinks/more/type has already"},
        Bad{"/sinks/more",
            R"({"type": "json_lines", "input_stream_ids": ["counts"],
                "path": "./x/../out/{partition}.jsonl"})",
            "/sinks/more/path",
            "expected something else than the file \"/pipelines/sample/out/{partition}.jsonl\", "
            "which /sinks/file/path has already"},
        Bad{"/sinks/file/path", "\"bad/events.jsonl\"", "/sinks/file/path",
            "expected something else than the file \"/pipelines/sample/bad/events.jsonl\", which "
            "/computations/events/source/dead_letter_path has already"},
        Bad{"/dynamic_spec", "[]", "/dynamic_spec", "expected a map, found an empty list"},
        Bad{"/dynamic_spec/state_cache_bytes_limit", "\"64MB\"",
            "/dynamic_spec/state_cache_bytes_limit",
            "expected a number of bytes from 0 to 1Ti, or a string such as \"512Ki\" or \"64Mi\", "
            "found \"64MB\""},
        Bad{"/dynamic_spec/state_cache_bytes_limit", "\"99999999999999999999\"",
            "/dynamic_spec/state_cache_bytes_limit",
            "expected a number of bytes from 0 to 1Ti, or a string such as \"512Ki\" or \"64Mi\", "
            "found \"99999999999999999999\""},
        Bad{"/dynamic_spec/state_cache_bytes_limit", "\"18446744073709551615Ti\"",
            "/dynamic_spec/state_cache_bytes_limit",
            "expected a number of bytes from 0 to 1Ti, or a string such as \"512Ki\" or \"64Mi\", "
            "found \"18446744073709551615Ti\""},
        Bad{"/dynamic_spec/computations/cuont", "{}", "/dynamic_spec/computations/cuont",
            "expected the name of a computation, found \"cuont\", which does not exist (did you "
            "mean \"count\"?)"},
        Bad{"/dynamic_spec/computations/count/max_rows_per_batch", "0",
            "/dynamic_spec/computations/count/max_rows_per_batch",
            "expected a whole number from 1 to 1048576, found 0"},
        Bad{"/dynamic_spec/computations/count/max_bytes_per_batch", "\"33Mi\"",
            "/dynamic_spec/computations/count/max_bytes_per_batch",
            "expected a number of bytes from 1 to 32Mi, or a string such as \"512Ki\" or \"64Mi\", "
            "found \"33Mi\""},
        Bad{"/dynamic_spec/computations/count/desired_partition_count", "1025",
            "/dynamic_spec/computations/count/desired_partition_count",
            "expected a whole number from 1 to 1024, found 1025"},
        Bad{"/dynamic_spec/computations/read/desired_partition_count", "2",
            "/dynamic_spec/computations/read/desired_partition_count",
            "expected 1 for a source, found 2"},
        Bad{"/dynamic_spec/computations/count/batch_duration", "\"-1s\"",
            "/dynamic_spec/computations/count/batch_duration",
            "expected a duration from 0s to 365d, such as \"500ms\", \"10s\" or \"5m\", found "
            "\"-1s\""},
        Bad{"/dynamic_spec/computations/count/max_attempts", "0",
            "/dynamic_spec/computations/count/max_attempts",
            "expected a whole number from 1 to 1000000, found 0"},
        Bad{"/dynamic_spec/computations/count/format_overrides", "{}",
            "/dynamic_spec/computations/count/format_overrides",
            "the field \"format_overrides\" is not supported yet"}));

INSTANTIATE_TEST_SUITE_P(
    Graph, BadSpec,
    testing::Values(
        Bad{"/computations/watch/output_stream_ids", "[\"words\"]",
            "/computations/watch/output_stream_ids/0",
            "expected a stream that nothing else produces, found \"words\", which computation "
            "\"read\" produces"},
        Bad{"/computations/read/output_stream_ids", "[\"words\", \"lines\"]",
            "/computations/read/output_stream_ids/1",
            "expected another stream than the source's own"},
        Bad{"/computations/count/input_stream_ids", "[\"words\", \"events\", \"counts\"]",
            "/computations/count/input_stream_ids",
            "the cycle count -> count is not supported yet"}));

TEST(BadSpecs, StreamsWithoutEnds) {
  yson::Node spec = sample_spec();
  put(spec, "/streams/spare", R"({"schema": [{"name": "a", "type": "string"}]})");
  EXPECT_THAT(
      problems_of(spec),
      ElementsAre(
          SpecProblem{"/streams/spare",
                      "expected a producer, found none: no computation has this stream as an "
                      "output or as its source's stream"},
          SpecProblem{"/streams/spare",
                      "expected a consumer, found none: no computation and no sink has this stream "
                      "as an input"}));
}

TEST(BadSpecs, Cycles) {
  yson::Node spec = sample_spec();
  put(spec, "/streams/back", R"({"schema": [{"name": "word", "type": "string"}]})");
  put(spec, "/computations/count/input_stream_ids/2", "\"back\"");
  put(spec, "/computations/again", R"({
    "kind": "transform", "companion": "counter", "input_stream_ids": ["counts"],
    "group_by_schema": [{"name": "word", "type": "string"}], "output_stream_ids": ["back"]})");
  EXPECT_THAT(problems_of(spec),
              ElementsAre(SpecProblem{"/computations/again/input_stream_ids",
                                      "the cycle again -> count -> again is not supported yet"}));
}

TEST(BadSpecs, AllProblemsAreTold) {
  yson::Node spec = sample_spec();
  put(spec, "/streams/counts/schema/1/type", "\"int46\"");
  put(spec, "/companions/counter/processes", "1000");
  put(spec, "/computations/count/timer_streams", "[]");
  put(spec, "/computations/watch/companion", "\"nobody\"");
  put(spec, "/sinks/file/path", "");
  put(spec, "/dynamic_spec/computations/count/max_attempts", "1.5");
  std::vector<std::string> paths;
  for (const SpecProblem& problem : problems_of(spec)) {
    paths.push_back(problem.path);
  }
  EXPECT_THAT(paths, ElementsAre("/streams/counts/schema/1/type", "/companions/counter/processes",
                                 "/computations/count/timer_streams", "/sinks/file",
                                 "/dynamic_spec/computations/count/max_attempts",
                                 "/computations/watch/companion"));
}

TEST(BadSpecs, PastTheLimitProblemsAreOnlyCounted) {
  yson::Node spec = sample_spec();
  for (int i = 0; i < 1000; ++i) {
    put(spec, "/unknown" + std::to_string(i), "1");
  }
  const std::vector<SpecProblem> problems = problems_of(spec);
  ASSERT_EQ(problems.size(), Problems::kLimit + 1);
  EXPECT_EQ(problems.back(), (SpecProblem{"", "and 900 more problems"}));
}

TEST(BadSpecs, SectionsHaveALimit) {
  yson::Node spec = sample_spec();
  for (int i = 0; i < 1024; ++i) {
    put(spec, "/companions/c" + std::to_string(i), "{}");
  }
  EXPECT_THAT(problems_of(spec), testing::Contains(SpecProblem{
                                     "/companions", "expected at most 1024 entries, found 1026"}));
}

}  // namespace
}  // namespace retinue::worker
