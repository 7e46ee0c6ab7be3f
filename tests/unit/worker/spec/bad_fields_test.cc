// Specs whose fields are bad by themselves.
#include "tests/unit/worker/spec/bad_spec.h"

namespace retinue::worker {
namespace {

using testing::ElementsAre;

class BadFields : public BadSpec {};

TEST_P(BadFields, HaveJustThatProblem) {
  expect_just_that_problem(GetParam());
}

INSTANTIATE_TEST_SUITE_P(
    Fields, BadFields,
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
TEST(BadFieldSpecs, SectionsThatAreNoMaps) {
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
    Schemas, BadFields,
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

TEST(BadFieldSpecs, KeysNeedAPlainColumn) {
  yson::Node spec = sample_spec();
  put(spec, "/computations/count/group_by_schema/1", "");
  put(spec, "/computations/count/group_by_schema/0/expression", "\"\"");
  EXPECT_FALSE(problems_of(spec).empty());
  put(spec, "/computations/count/group_by_schema/0/expression", "\"farm_hash(hash)\"");
  EXPECT_FALSE(problems_of(spec).empty());
}

}  // namespace
}  // namespace retinue::worker
