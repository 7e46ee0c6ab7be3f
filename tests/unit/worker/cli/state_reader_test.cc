#include "worker/cli/state_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "protocol/yson/writer.h"
#include "tests/unit/worker/engine/memory_store.h"
#include "worker/state/state_value.h"
#include "worker/stream/key_extractor.h"

namespace retinue::worker::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

// A data directory of a pipeline that counted words and pages.
class StateReaderTest : public ::testing::Test {
 protected:
  StateReaderTest() {
    store_.put_record(
        "pipeline",
        "{name=words;streams={};sinks={};computations={"
        "count={kind=transform;partition_count=2u;key=[{name=hash;type=uint64;"
        "expression=\"farm_hash(word)\"};{name=word;type=string}];states={n=yson;raw=raw}};"
        "pages={kind=transform;partition_count=1u;key=[{name=site;type=string};"
        "{name=page;type=int64};{name=x;type=double}];states={n=yson}};"
        "fresh={kind=transform;partition_count=1u;key=[{name=u;type=uint64}];states={n=yson}}}}");
    for (const char* name : {"count", "pages"}) {
      EXPECT_TRUE(store_.intern(NameKind::kComputation, name).ok());
    }
    for (const char* name : {"count/n", "count/raw", "pages/n"}) {
      EXPECT_TRUE(store_.intern(NameKind::kState, name).ok());
    }
    for (const auto& [word, n] : std::map<std::string, std::string>{{"a", "1"}, {"b b", "2"}}) {
      put("count", words_, {word}, "n", n);
    }
    put("count", words_, {std::string("a")}, "raw", "\x01\"x");
    put("pages", pages_, {std::string("s"), int64_t{-7}, 0.5}, "n", "{a=1;b=[%true;#]}");
    put("pages", pages_, {Null(), int64_t{0}, 0.0}, "n", "0");
  }

  void put(const std::string& computation, const TableSchema& key_schema, const Row& key,
           const std::string& state, const std::string& value) {
    const auto owner = store_.find_name(NameKind::kComputation, computation).value();
    const auto number = store_.find_name(NameKind::kState, computation + "/" + state).value();
    std::string row_key;
    append_state_row_key(row_key, OwnerNumber(*owner), stored_key(key_schema, key).value(),
                         StateNumber(*number));
    store_.put_state(row_key, kStoredPlain + value);
  }

  std::vector<std::string> lines(ReadStatesOptions options) {
    std::vector<std::string> all;
    auto result = read_states(options, store_, [&](std::string_view line) -> Result<void> {
      all.emplace_back(line);
      return {};
    });
    EXPECT_TRUE(result.ok()) << result.error().to_string();
    if (result.ok()) {
      EXPECT_EQ(result->rows, all.size());
      has_more_ = result->has_more;
    }
    return all;
  }
  void expect_error(ReadStatesOptions options, ErrorCode code, const std::string& message) {
    const auto result =
        read_states(options, store_, [](std::string_view) { return Result<void>(); });
    ASSERT_FALSE(result.ok()) << message;
    EXPECT_EQ(result.error().code, code);
    EXPECT_THAT(result.error().message, HasSubstr(message));
  }
  static ReadStatesOptions of(const std::string& computation) {
    ReadStatesOptions options;
    options.computation = computation;
    return options;
  }
  static ReadStatesOptions at(const std::string& computation, const std::string& key) {
    ReadStatesOptions options = of(computation);
    options.key = key;
    return options;
  }

  static TableSchema schema(std::vector<Column> columns) {
    return TableSchema::create(std::move(columns)).value();
  }
  static Column column(const char* name, ColumnType type, const char* expression = "") {
    return {.name = name, .type = type, .required = false, .expression = expression};
  }

  const TableSchema words_ = schema({column("hash", ColumnType::kUint64, "farm_hash(word)"),
                                     column("word", ColumnType::kString)});
  const TableSchema pages_ =
      schema({column("site", ColumnType::kString), column("page", ColumnType::kInt64),
              column("x", ColumnType::kDouble)});
  MemoryStore store_;
  bool has_more_ = false;
};

TEST_F(StateReaderTest, PrintsEveryState) {
  EXPECT_THAT(lines(of("count")),
              UnorderedElementsAre("{\"word\":\"a\"}\tn\t1", "{\"word\":\"b b\"}\tn\t2",
                                   "{\"word\":\"a\"}\traw\t\"\\u0001\\\"x\""));
  EXPECT_FALSE(has_more_);
  ReadStatesOptions json = of("pages");
  json.json = true;
  EXPECT_THAT(lines(json),
              UnorderedElementsAre("{\"key\":{\"site\":\"s\",\"page\":-7,\"x\":0.5},\"state\":"
                                   "\"n\",\"value\":{\"a\":1,\"b\":[true,null]}}",
                                   "{\"key\":{\"site\":null,\"page\":0,\"x\":0.0},\"state\":"
                                   "\"n\",\"value\":0}"));
}

TEST_F(StateReaderTest, OneStateAndALimit) {
  ReadStatesOptions options = of("count");
  options.state = "n";
  EXPECT_EQ(lines(options).size(), 2u);
  options.limit = 1;
  EXPECT_EQ(lines(options).size(), 1u);
  EXPECT_TRUE(has_more_);
  options.limit = 2;
  EXPECT_EQ(lines(options).size(), 2u);
  EXPECT_FALSE(has_more_) << "the limit is just enough";
}

TEST_F(StateReaderTest, KeysAreReadInEveryForm) {
  for (const char* key : {"b b", "\"b b\"", "[\"b b\"]", "{\"word\": \"b b\"}"}) {
    EXPECT_THAT(lines(at("count", key)), ElementsAre("{\"word\":\"b b\"}\tn\t2")) << key;
  }
  EXPECT_EQ(lines(at("count", "a")).size(), 2u);
  EXPECT_TRUE(lines(at("count", "nobody")).empty());
  EXPECT_EQ(lines(at("pages", "[\"s\", -7, 0.5]")).size(), 1u);
  EXPECT_EQ(lines(at("pages", "{\"page\": 0, \"x\": 0, \"site\": null}")).size(), 1u);
}

TEST_F(StateReaderTest, KeysThatDoNotFitAreRefused) {
  const auto refused = [&](const std::string& computation, const std::string& key,
                           const std::string& why) {
    expect_error(at(computation, key), ErrorCode::kInvalidArgument, why);
  };
  refused("count", "[]",
          "column \"word\" is missing; give a JSON list or object of the columns "
          "word (string)");
  refused("count", "[\"a\", 1]", "it has too many columns");
  refused("count", "{\"wrod\": \"a\"}", "column \"word\" is missing");
  refused("count", "[1]", "column \"word\" needs string, found int64");
  refused("pages", "s", "give a JSON list or object");
  refused("pages", "17", "one value is not enough");
  refused("pages", "[\"s\", 0.5, 1]", "column \"page\" needs int64");
  refused("pages", "[\"s\", 1, true]", "column \"x\" needs double");
}

TEST_F(StateReaderTest, NamesThatAreNotThereGiveThoseThatAre) {
  expect_error(of("cuont"), ErrorCode::kNotFound,
               "pipeline \"words\" has no computation \"cuont\"; it has: count, fresh, pages");
  ReadStatesOptions options = of("count");
  options.state = "m";
  expect_error(options, ErrorCode::kNotFound,
               "computation \"count\" has no state \"m\"; it has: n, raw");
}

TEST_F(StateReaderTest, AComputationThatNeverRanHasNoStates) {
  EXPECT_TRUE(lines(of("fresh")).empty());
}

TEST_F(StateReaderTest, DamagedValuesAreErrors) {
  put("count", words_, {std::string("z")}, "n", "{");
  expect_error(at("count", "z"), ErrorCode::kInvalidYson, "");
}

TEST_F(StateReaderTest, StopsWhenTheOutputFails) {
  put("count", words_, {std::string("a")}, "n", "1");
  put("count", words_, {std::string("b")}, "n", "2");
  int lines = 0;
  const auto result = read_states(of("count"), store_, [&](std::string_view) -> Result<void> {
    ++lines;
    return Error{ErrorCode::kOutOfSpace, "full"};
  });
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::kOutOfSpace);
  EXPECT_EQ(lines, 1);
}

TEST_F(StateReaderTest, AnEmptyDirectoryHasNoPipeline) {
  store_ = MemoryStore();
  expect_error(of("count"), ErrorCode::kNotFound, "no pipeline was run");
}

}  // namespace
}  // namespace retinue::worker::testing
