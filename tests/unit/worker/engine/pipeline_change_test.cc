// Specs that change while messages wait in the data directory.
#include "worker/engine/pipeline_change.h"

#include "tests/unit/worker/engine/world.h"

namespace retinue::worker::testing {
namespace {

Column column(std::string name, ColumnType type, bool required = false) {
  return {.name = std::move(name), .type = type, .required = required, .expression = {}};
}

using ::testing::HasSubstr;

// A world whose words wait for "count": its companion was lost.
class QueuedWords : public ::testing::Test {
 protected:
  QueuedWords() {
    world.on_batch = [](const std::string& function, ConnectionId, wire::Batch::Reader) {
      return function == "count";  // hangs
    };
    world.start();
    world.settle();
    world.give_lines(2);
    world.settle();
    world.crash();
    world.on_batch = nullptr;
  }

  void expect_refused(const std::string& message) {
    const auto started = world.try_start();
    ASSERT_FALSE(started.ok());
    EXPECT_EQ(started.error().code, ErrorCode::kInvalidSpec);
    EXPECT_THAT(started.error().message, HasSubstr(message));
    world.spec = word_pipeline();
    world.start();
    world.run_to_end();
    world.expect_complete();
  }
  std::vector<Column> words() const {
    const auto columns = world.spec.streams.at(StreamId("words")).schema.columns();
    return {columns.begin(), columns.end()};
  }
  void set_words(std::vector<Column> columns) {
    world.spec.streams.at(StreamId("words")).schema =
        TableSchema::create(std::move(columns)).value();
  }

  World world{{"a b a", "b c", "c"}};
};

TEST_F(QueuedWords, AComputationThatTheyWaitForMustStay) {
  world.spec.computations[ComputationId("count2")] =
      world.spec.computations.extract(ComputationId("count")).mapped();
  world.spec.dynamic_spec.computations[ComputationId("count2")] =
      world.spec.dynamic_spec.computations.extract(ComputationId("count")).mapped();
  expect_refused(
      "/computations/count: the spec does not have it any more, and 5 messages wait for it; put it "
      "back");
}

TEST_F(QueuedWords, TheirColumnsMustStayInPlace) {
  std::vector<Column> columns = words();
  columns.insert(columns.begin(), column("first", ColumnType::kString));
  set_words(columns);
  expect_refused(
      "/streams/words/schema: 5 messages are queued with (word string), the spec now has (first "
      "string, word string)");
}

TEST_F(QueuedWords, AColumnAddedAsRequiredIsRefused) {
  std::vector<Column> columns = words();
  columns.push_back(column("last", ColumnType::kInt64, true));
  set_words(columns);
  expect_refused("the spec now has (word string, last int64 required)");
}

TEST_F(QueuedWords, AColumnMayBeAddedAtTheEnd) {
  std::vector<Column> columns = words();
  columns.push_back(column("last", ColumnType::kInt64));
  set_words(columns);
  world.start();
  world.run_to_end();
  world.expect_complete();
}

TEST(PipelineChange, AnyColumnsMayChangeOnceNothingIsQueued) {
  World world({"a b"});
  world.start();
  world.run_to_end();
  world.crash();
  world.spec.streams.at(StreamId("words")).schema =
      TableSchema::create(
          {column("first", ColumnType::kInt64), column("word", ColumnType::kString)})
          .value();
  const auto started = world.try_start();
  EXPECT_TRUE(started.ok()) << started.error().to_string();
}

}  // namespace
}  // namespace retinue::worker::testing
