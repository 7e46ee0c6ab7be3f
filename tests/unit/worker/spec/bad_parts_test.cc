// Specs whose computations, sources and sinks are bad, or do not fit together.
#include "tests/unit/worker/spec/bad_spec.h"

namespace retinue::worker {
namespace {

using testing::ElementsAre;

class BadParts : public BadSpec {};

TEST_P(BadParts, HaveJustThatProblem) {
  expect_just_that_problem(GetParam());
}

INSTANTIATE_TEST_SUITE_P(
    Computations, BadParts,
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
    Sources, BadParts,
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
    SinksAndDynamicSpec, BadParts,
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
        Bad{"/computations/events/source/paths", "[\"in.jsonl\", \"./out/[0-9].jsonl\"]",
            "/computations/events/source/paths/1",
            "expected files that the pipeline does not write, found "
            "\"/pipelines/sample/out/[0-9].jsonl\", which names the file of /sinks/file/path"},
        Bad{"/computations/events/source/paths", "[\"bad/events.jsonl\"]",
            "/computations/events/source/paths/0",
            "expected files that the pipeline does not write, found "
            "\"/pipelines/sample/bad/events.jsonl\", which names the file of "
            "/computations/events/source/dead_letter_path"},
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
        Bad{"/dynamic_spec/computations/count/retry_delay_max", "\"999ms\"",
            "/dynamic_spec/computations/count/retry_delay_max",
            "expected at least retry_delay, 1s, found 999ms"},
        Bad{"/dynamic_spec/computations/count/max_crashes_per_batch", "0",
            "/dynamic_spec/computations/count/max_crashes_per_batch",
            "expected a whole number from 1 to 1000000, found 0"},
        Bad{"/dynamic_spec/computations/count/on_failure", "\"dead_leter\"",
            "/dynamic_spec/computations/count/on_failure",
            "expected one of \"stop\" or \"dead_letter\", found \"dead_leter\" (did you mean "
            "\"dead_letter\"?)"},
        Bad{"/dynamic_spec/computations/count/format_overrides", "{}",
            "/dynamic_spec/computations/count/format_overrides",
            "the field \"format_overrides\" is not supported yet"}));

INSTANTIATE_TEST_SUITE_P(
    Graph, BadParts,
    testing::Values(
        Bad{"/computations/watch/output_stream_ids", "[\"words\"]",
            "/computations/watch/output_stream_ids/0",
            "expected a stream that nothing else produces, found \"words\", which computation "
            "\"read\" produces"},
        Bad{"/computations/read/output_stream_ids", "[\"words\", \"lines\"]",
            "/computations/read/output_stream_ids/1",
            "expected another stream than the source's own"},
        Bad{"/computations/count/input_stream_ids", "[\"words\", \"events\", \"counts\"]",
            "/computations/count/input_stream_ids/2",
            "expected another stream than the computation's own output, found \"counts\"; let "
            "another computation stand between"}));

INSTANTIATE_TEST_SUITE_P(
    DeadLetters, BadParts,
    testing::Values(
        Bad{"/streams/failures/schema/0/name", "\"mesage\"", "/streams/failures/schema/0/name",
            "expected a column of a dead-letter stream, found \"mesage\" (did you mean "
            "\"message\"?)"},
        Bad{"/streams/failures/schema/1/type", "\"any\"", "/streams/failures/schema/1/type",
            "expected \"string\", the type of \"error\" in a dead-letter stream, found \"any\""},
        Bad{"/computations/count/output_stream_ids/1", "\"failures\"",
            "/computations/count/dead_letter_stream_id",
            "expected a stream of its own, which the computation has no other use for"},
        Bad{"/computations/watch/output_stream_ids", "[\"failures\"]",
            "/computations/watch/output_stream_ids/0",
            "expected a stream that nothing else produces, found \"failures\", which computation "
            "\"count\" produces"}));

TEST(BadPartSpecs, ADeadLetterStreamThatDoesNotExist) {
  yson::Node spec = sample_spec();
  put(spec, "/computations/count/dead_letter_stream_id", "\"failure\"");
  EXPECT_THAT(problems_of(spec),
              testing::Contains(SpecProblem{
                  "/computations/count/dead_letter_stream_id",
                  "expected the name of a stream, found \"failure\", which does not exist (did you "
                  "mean \"failures\"?)"}));
}

TEST(BadPartSpecs, RetryDelaysThatAreLongByThemselves) {
  yson::Node spec = sample_spec();
  put(spec, "/dynamic_spec/computations/count/retry_delay", "\"5m\"");
  put(spec, "/dynamic_spec/computations/count/retry_delay_max", "");
  const PipelineSpec read = loaded(spec);
  EXPECT_EQ(read.dynamic_spec.computations.at(ComputationId("count")).retry_delay_max,
            Duration::seconds(300));
}

TEST(BadPartSpecs, StreamsWithoutEnds) {
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

TEST(BadPartSpecs, CyclesAreFedFromOutside) {
  yson::Node spec = sample_spec();
  put(spec, "/streams/back", R"({"schema": [{"name": "word", "type": "string"}]})");
  put(spec, "/computations/count/input_stream_ids/2", "\"back\"");
  put(spec, "/computations/again", R"({
    "kind": "transform", "companion": "counter", "input_stream_ids": ["counts"],
    "group_by_schema": [{"name": "word", "type": "string"}], "output_stream_ids": ["back"]})");
  EXPECT_THAT(problems_of(spec), ElementsAre());
  put(spec, "/streams/round", R"({"schema": [{"name": "word", "type": "string"}]})");
  put(spec, "/streams/trip", R"({"schema": [{"name": "word", "type": "string"}]})");
  put(spec, "/computations/there", R"({
    "kind": "transform", "companion": "counter", "input_stream_ids": ["trip"],
    "group_by_schema": [{"name": "word", "type": "string"}], "output_stream_ids": ["round"]})");
  put(spec, "/computations/back", R"({
    "kind": "transform", "companion": "counter", "input_stream_ids": ["round"],
    "group_by_schema": [{"name": "word", "type": "string"}], "output_stream_ids": ["trip"]})");
  EXPECT_THAT(problems_of(spec),
              ElementsAre(SpecProblem{
                  "/computations/back/input_stream_ids",
                  "expected an input from outside of the cycle of \"back\", \"there\", found none: "
                  "no message would ever come"}));
}

}  // namespace
}  // namespace retinue::worker
