#include "worker/epoch/ship.h"

#include "companion_sdk/core/batch_view.h"
#include "tests/unit/worker/epoch/fixture.h"

namespace retinue::worker::testing {
namespace {

using companion::StatePresence;
using ::testing::ElementsAre;

// What the SDK reads of a batch that was written.
class ShipTest : public EpochFixture {
 protected:
  ShipTest() {
    job_.computation = "count";
    job_.key_schema = plan.key_schema;
    for (const InputPlan& input : plan.inputs) {
      job_.streams.push_back({.name = input.stream.value(),
                              .role = companion::StreamRole::kInput,
                              .revision = SchemaRevision(1),
                              .schema = input.schema});
    }
    job_.internal_states.resize(2);
    job_.internal_states[0].name = "n";
    job_.internal_states[1].name = "seen";
    job_.internal_states[1].format = companion::StateFormat::kYson;
  }

  const companion::BatchView& ship(const Batch& batch) {
    FrameWriter out;
    writer_.write(batch, JobId(42), Timestamp(9000), out.begin().initBatch());
    frame_.emplace(frame_of(out));
    const auto opened = view_.open(job_, frame_->envelope().getBatch());
    EXPECT_TRUE(opened.ok()) << opened.error().to_string();
    return view_;
  }
  // The words of all inputs, in the total order.
  std::vector<std::string> words_of(const companion::BatchView& view) {
    std::vector<std::string> words;
    for (const companion::InputRef& ref : view.inputs()) {
      const auto& group = view.messages()[ref.group];
      const ColumnIndex column(group.stream.value() == 0 ? 0 : 1);
      words.emplace_back(group.rows.column(column).bytes_at(ref.row));
    }
    return words;
  }
  // The word of each input's key, in the total order.
  std::vector<std::string> keys_of(const companion::BatchView& view) {
    std::vector<std::string> words;
    for (uint32_t i = 0; i < view.inputs().size(); ++i) {
      words.push_back(
          std::get<std::string>(row_at(view.keys(), view.key_index(OrderPosition(i)).value())[1]));
    }
    return words;
  }

  companion::JobSpec job_;
  std::optional<Frame> frame_;
  companion::BatchView view_;
  BatchWriter writer_{plan};
};

TEST_F(ShipTest, AWholeBlock) {
  put_state("a", 0, "17");
  put_state("b", 1, "");
  const auto batch = assemble({whole(words({"a", "b", "a"}, 99))});
  const auto& view = ship(*batch);
  EXPECT_EQ(frame_->envelope().getBatch().getJob(), 42u);
  EXPECT_EQ(view.epoch(), Epoch(5));
  EXPECT_EQ(view.attempt(), 1u);
  EXPECT_EQ(view.now(), Timestamp(2000));
  EXPECT_EQ(view.deadline(), Timestamp(9000));
  EXPECT_THAT(words_of(view), ElementsAre("a", "b", "a"));
  EXPECT_EQ(keys_of(view), words_of(view));
  EXPECT_EQ(view.messages()[0].id(2), (MessageId{99, 12}));
  EXPECT_EQ(view.messages()[0].event_timestamp(2), Timestamp(1000));
  EXPECT_FALSE(frame_->envelope().getBatch().getMessages()[0].hasOrders());
  EXPECT_FALSE(frame_->envelope().getBatch().getMessages()[0].hasEventTimestamps());

  const auto n_of_a = view.state(companion::StateIndex(0), KeyIndex(0));
  EXPECT_EQ(n_of_a.presence, StatePresence::kPresent);
  EXPECT_EQ(n_of_a.bytes, "17");
  EXPECT_EQ(view.state(companion::StateIndex(0), KeyIndex(1)).presence, StatePresence::kAbsent);
  const auto seen_of_b = view.state(companion::StateIndex(1), KeyIndex(1));
  EXPECT_EQ(seen_of_b.presence, StatePresence::kPresent) << "of no bytes is not absent";
  EXPECT_EQ(seen_of_b.bytes, "");
}

TEST_F(ShipTest, StreamsThatInterleaveKeepTheirOrder) {
  const auto marks = block(
      "marks", kMarks, {{int64_t{1}, std::string("b")}, {int64_t{2}, std::string("x")}}, 50, 3000);
  InboxRun first_words = whole(words({"a", "b", "c"}, 40));
  InboxRun last_words = first_words;
  first_words.end = 2;
  last_words.begin = 2;
  const auto batch = assemble({first_words, whole(marks), last_words, whole(words({"b"}, 41))});
  const auto& view = ship(*batch);
  EXPECT_THAT(words_of(view), ElementsAre("a", "b", "b", "x", "c", "b"));
  EXPECT_EQ(keys_of(view), words_of(view));
  ASSERT_EQ(view.messages().size(), 2u);
  EXPECT_EQ(view.messages()[0].id(2), (MessageId{40, 12}));
  EXPECT_EQ(view.messages()[0].id(3), (MessageId{41, 10}));
  EXPECT_EQ(view.messages()[1].id(0), (MessageId{50, 10}));
  EXPECT_EQ(view.messages()[1].system_timestamp(0), Timestamp(3000));
  EXPECT_EQ(row_at(view.messages()[0].rows, 2), (Row{std::string("c"), int64_t{1}}));
}

TEST_F(ShipTest, BuffersOfTheLastBatchAreForgotten) {
  const auto marks = block("marks", kMarks, {{int64_t{1}, std::string("b")}}, 50);
  auto mixed = assemble({whole(words({"a", "b"})), whole(marks)});
  ship(*mixed);
  assembler.drop(std::move(mixed));
  const auto second = assemble({whole(words({"z"}, 2)), whole(words({"a"}, 3))});
  const auto& view = ship(*second);
  EXPECT_THAT(words_of(view), ElementsAre("z", "a"));
  EXPECT_EQ(keys_of(view), words_of(view));
  EXPECT_EQ(view.messages().size(), 1u);
  const auto only_marks = assemble({whole(marks)});
  EXPECT_THAT(words_of(ship(*only_marks)), ElementsAre("b"));
}

TEST_F(ShipTest, EventTimesComeWithEveryMessage) {
  const auto timed = block(
      "words", kWords, {{std::string("a"), Null()}, {std::string("b"), Null()}}, 1, 1000, {7, 8});
  const auto batch = assemble({whole(words({"c"})), whole(timed)});
  const auto& view = ship(*batch);
  EXPECT_EQ(view.event_timestamp(OrderPosition(0)), Timestamp(1000));
  EXPECT_EQ(view.event_timestamp(OrderPosition(1)), Timestamp(7));
  EXPECT_EQ(view.event_timestamp(OrderPosition(2)), Timestamp(8));
}

TEST_F(ShipTest, BlocksOfAnOlderRevisionGetNulls) {
  const TableSchema old = schema({column("word", ColumnType::kString)});
  const auto batch = assemble({whole(block("words", old, {{std::string("a")}}, 1))});
  const auto& view = ship(*batch);
  EXPECT_EQ(row_at(view.messages()[0].rows, 0), (Row{std::string("a"), Null()}));
}

TEST_F(ShipTest, StatesAreThoseOfTheMomentItIsWritten) {
  const auto batch = assemble({whole(words({"a"}))});
  cache.set(*batch->keys[0], 0, "later");
  EXPECT_EQ(ship(*batch).state(companion::StateIndex(0), KeyIndex(0)).bytes, "later");
}

}  // namespace
}  // namespace retinue::worker::testing
