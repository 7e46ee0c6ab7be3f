#include "companion_sdk/core/batch_view.h"

#include <gmock/gmock.h>

#include <functional>

#include "protocol/frame/guard.h"
#include "protocol/frame/wire_values.h"
#include "tests/unit/companion_sdk/core/session_fixture.h"

namespace retinue::companion {
namespace {

using ::testing::HasSubstr;

const Row kA = {std::string("a")};
const Row kB = {std::string("b")};

TEST_F(OpenSession, ReadsInputsInTheirTotalOrder) {
  ASSERT_TRUE(worker_.add(message("words", {std::string("a"), int64_t{1}}, kA)).ok());
  ASSERT_TRUE(worker_.add(message("more", {std::string("b")}, kB)).ok());
  TestInput timer;
  timer.kind = InputKind::kTimer;
  timer.stream = "alarms";
  timer.key = kA;
  timer.trigger = Timestamp(300);
  ASSERT_TRUE(worker_.add(timer).ok());
  TestInput late = message("words", {std::string("b"), Null{}}, kB);
  late.event_timestamp = Timestamp(17);
  late.is_late = true;
  ASSERT_TRUE(worker_.add(late).ok());
  TestInput visit;
  visit.kind = InputKind::kVisit;
  visit.stream = "sweep";
  visit.key = kB;
  visit.pass = 4;
  ASSERT_TRUE(worker_.add(visit).ok());
  worker_.set_watermark("words", Timestamp(250));

  const BatchView& batch = ship(Timestamp(5000));
  ASSERT_EQ(batch.inputs().size(), 5U);
  std::vector<std::string> streams;
  std::vector<uint32_t> keys;
  for (uint32_t i = 0; i < 5; ++i) {
    streams.push_back(job_->stream(batch.stream(OrderPosition(i))).name);
    keys.push_back(batch.key_index(OrderPosition(i)).value());
  }
  EXPECT_EQ(streams, (std::vector<std::string>{"words", "more", "alarms", "words", "sweep"}));
  EXPECT_EQ(keys, (std::vector<uint32_t>{0, 1, 0, 1, 1}));
  EXPECT_EQ(batch.event_timestamp(OrderPosition(0)), Timestamp(5000));
  EXPECT_EQ(batch.event_timestamp(OrderPosition(2)), Timestamp(300));
  EXPECT_EQ(batch.event_timestamp(OrderPosition(3)), Timestamp(17));
  EXPECT_EQ(batch.event_timestamp(OrderPosition(4)), Timestamp(5000));
  const MessageGroupView& words = batch.messages()[0];
  EXPECT_FALSE(words.is_late(0));
  EXPECT_TRUE(words.is_late(1));
  EXPECT_EQ(words.id(1), (MessageId{1, 1}));
  EXPECT_EQ(batch.visits()[0].pass, 4U);
  EXPECT_EQ(batch.now(), Timestamp(5000));
  EXPECT_EQ(batch.watermark(*job_->find_stream("words")), Timestamp(250));
  EXPECT_EQ(batch.watermark(*job_->find_stream("more")), std::nullopt);
}

TEST_F(OpenSession, EmptyBatchIsFine) {
  const BatchView& batch = ship();
  EXPECT_TRUE(batch.inputs().empty());
  BatchAnswer empty(*job_);
  empty.begin(batch);
  const TestAnswer done = answer(empty);
  EXPECT_TRUE(done.ok());
  EXPECT_TRUE(done.outputs.empty());
}

TEST_F(OpenSession, TellsNotLoadedFromAbsentFromEmpty) {
  worker_.put_state("blob", kA, "");
  ASSERT_TRUE(worker_.add(message("more", {std::string("a")}, kA)).ok());
  ASSERT_TRUE(worker_.add(message("more", {std::string("b")}, kB)).ok());
  ASSERT_TRUE(worker_.write_batch(out_, Timestamp(1)).ok());
  const Frame frame = to_frame(out_);
  // The same batch, with `count` left out and key b of `blob` not loaded.
  FrameWriter changed;
  auto batch = changed.begin().initBatch();
  auto original = frame.envelope().getBatch();
  batch.setJob(7);
  batch.setKeys(original.getKeys());
  batch.setMessages(original.getMessages());
  auto states = batch.initInternalStates(1);
  states.setWithCaveats(0, original.getInternalStates()[1]);
  const kj::byte loaded[] = {1};
  states[0].setLoaded(kj::arrayPtr(loaded, 1));
  auto event = session_.receive(to_frame(changed), reply_);
  ASSERT_TRUE(event.ok()) << event.error().to_string();
  ASSERT_TRUE(std::holds_alternative<BatchArrived>(*event));
  const BatchView& view = *std::get<BatchArrived>(*event).batch;
  EXPECT_EQ(view.state(StateIndex(0), KeyIndex(0)).presence, StatePresence::kNotLoaded);
  EXPECT_EQ(view.state(StateIndex(1), KeyIndex(0)).presence, StatePresence::kPresent);
  EXPECT_EQ(view.state(StateIndex(1), KeyIndex(0)).bytes, "");
  EXPECT_EQ(view.state(StateIndex(1), KeyIndex(1)).presence, StatePresence::kNotLoaded);
}

TEST(MessageGroup, FindsIdsAcrossRuns) {
  MessageGroupView group;
  group.runs = {
      {.end_row = 2, .count = 2, .sequence = 9, .first_index = 5, .system_timestamp = Timestamp(1)},
      {.end_row = 2, .count = 0, .sequence = 8, .first_index = 0, .system_timestamp = Timestamp(2)},
      {.end_row = 3,
       .count = 1,
       .sequence = 10,
       .first_index = 70,
       .system_timestamp = Timestamp(3)}};
  EXPECT_EQ(group.id(0), (MessageId{9, 5}));
  EXPECT_EQ(group.id(1), (MessageId{9, 6}));
  EXPECT_EQ(group.id(2), (MessageId{10, 70}));
  EXPECT_EQ(group.event_timestamp(2), Timestamp(3));
}

// One way to get a batch wrong, and what the error must name.
struct Malformation {
  const char* name;
  const char* named;
  std::function<void(wire::Batch::Builder)> spoil;
};

void PrintTo(const Malformation& malformation, std::ostream* out) {
  *out << malformation.name;
}

class MalformedBatch : public OpenSession, public ::testing::WithParamInterface<Malformation> {};

TEST_P(MalformedBatch, FailsNamingTheField) {
  ASSERT_TRUE(worker_.add(message("words", {std::string("a"), int64_t{1}}, kA)).ok());
  ASSERT_TRUE(worker_.add(message("words", {std::string("b"), int64_t{1}}, kB)).ok());
  for (const InputKind kind : {InputKind::kTimer, InputKind::kVisit}) {
    TestInput input;
    input.kind = kind;
    input.stream = kind == InputKind::kTimer ? "alarms" : "sweep";
    input.key = kA;
    ASSERT_TRUE(worker_.add(input).ok());
  }
  worker_.set_watermark("words", Timestamp(1));
  ASSERT_TRUE(worker_.write_batch(out_, Timestamp(1)).ok());
  const Frame good = to_frame(out_);
  auto envelope = out_.begin();
  envelope.setBatch(good.envelope().getBatch());
  GetParam().spoil(envelope.getBatch());

  ASSERT_TRUE(std::holds_alternative<Reply>(receive()));
  const Frame frame = to_frame(reply_);
  ASSERT_TRUE(frame.envelope().isBatchFailed());
  const Error error = read_error(frame.envelope().getBatchFailed().getError());
  EXPECT_THAT(error.message, HasSubstr(GetParam().named));
  EXPECT_NE(error.code, ErrorCode::kUserCodeFailed);

  // The session goes on.
  out_.begin().setBatch(good.envelope().getBatch());
  EXPECT_TRUE(std::holds_alternative<BatchArrived>(receive()));
}

using Batch = wire::Batch::Builder;
const kj::byte kThreeBytes[] = {1, 2, 3};
const uint32_t kTooBig[] = {0, 900};
const uint32_t kTwice[] = {1, 1};
const uint32_t kOne[] = {0};

kj::ArrayPtr<const kj::byte> three_bytes() {
  return kj::arrayPtr(kThreeBytes, 3);
}
capnp::Data::Reader numbers(std::span<const uint32_t> values) {
  return as_data(values);
}

INSTANTIATE_TEST_SUITE_P(
    EachKind, MalformedBatch,
    ::testing::Values(
        Malformation{"WatermarkStream", "Batch.watermarks[0]: stream",
                     [](Batch b) { b.getWatermarks()[0].setStream("nope"); }},
        Malformation{"KeyColumns", "Batch.keys", [](Batch b) { b.getKeys().initColumns(0); }},
        Malformation{"KeyRows", "Batch.keys", [](Batch b) { b.getKeys().setRowCount(9); }},
        Malformation{"MessageStream", "Batch.messages[0]: stream",
                     [](Batch b) { b.getMessages()[0].setStream("alarms"); }},
        Malformation{"MessageRevision", "Batch.messages[0]: revision",
                     [](Batch b) { b.getMessages()[0].setRevision(9); }},
        Malformation{"MessageColumnType", "Batch.messages[0]: rows",
                     [](Batch b) {
                       b.getMessages()[0].getRows().getColumns()[1].setType(
                           wire::ColumnType::UINT64);
                     }},
        Malformation{"MessageKeysSize", "Batch.messages[0]: keyIndexes",
                     [](Batch b) { b.getMessages()[0].setKeyIndexes(three_bytes()); }},
        Malformation{"MessageKeysRange", "Batch.messages[0]: keyIndexes[1]",
                     [](Batch b) { b.getMessages()[0].setKeyIndexes(numbers(kTooBig)); }},
        Malformation{"MessageOrdersRange", "Batch.messages[0]: orders[1]",
                     [](Batch b) { b.getMessages()[0].setOrders(numbers(kTooBig)); }},
        Malformation{"MessageOrdersTwice", "Batch.messages[0]: orders[1]",
                     [](Batch b) { b.getMessages()[0].setOrders(numbers(kTwice)); }},
        Malformation{"MessageRunsShort", "Batch.messages[0]: runs",
                     [](Batch b) { b.getMessages()[0].getRuns()[0].setCount(1); }},
        Malformation{"MessageRunsLong", "Batch.messages[0]: runs",
                     [](Batch b) { b.getMessages()[0].getRuns()[0].setCount(4'000'000'000); }},
        Malformation{"MessageEventTimes", "Batch.messages[0]: eventTimestamps",
                     [](Batch b) { b.getMessages()[0].setEventTimestamps(three_bytes()); }},
        Malformation{"MessageLate", "Batch.messages[0]: late",
                     [](Batch b) { b.getMessages()[0].setLate(three_bytes()); }},
        Malformation{"TimerStream", "Batch.timers[0]: stream",
                     [](Batch b) { b.getTimers()[0].setStream("words"); }},
        Malformation{"TimerTriggers", "Batch.timers[0]: triggers",
                     [](Batch b) { b.getTimers()[0].setTriggers(three_bytes()); }},
        Malformation{"TimerOrders", "Batch.timers[0]: orders",
                     [](Batch b) { b.getTimers()[0].disownOrders(); }},
        Malformation{"TimerOrderTaken", "Batch.timers[0]: orders[0]",
                     [](Batch b) { b.getTimers()[0].setOrders(numbers(kOne)); }},
        Malformation{"VisitKeys", "Batch.visits[0]: keyIndexes",
                     [](Batch b) { b.getVisits()[0].disownKeyIndexes(); }},
        Malformation{"VisitCount", "inputs",
                     [](Batch b) { b.getVisits()[0].setCount(4'000'000'000); }},
        Malformation{"StateName", "Batch.internalStates[0]: name",
                     [](Batch b) { b.getInternalStates()[0].setName("nope"); }},
        Malformation{"StateTwice", "Batch.internalStates[1]: name",
                     [](Batch b) { b.getInternalStates()[1].setName("count"); }},
        Malformation{"StateFormat", "Batch.internalStates[0]: format",
                     [](Batch b) { b.getInternalStates()[0].setFormat(wire::StateFormat::RAW); }},
        Malformation{"StateLoaded", "Batch.internalStates[0]: loaded",
                     [](Batch b) { b.getInternalStates()[0].setLoaded(three_bytes()); }},
        Malformation{"StateValues", "Batch.internalStates[0]: values",
                     [](Batch b) { b.getInternalStates()[0].getValues().disownOffsets(); }},
        Malformation{
            "StateValueType", "Batch.internalStates[0]: values",
            [](Batch b) { b.getInternalStates()[0].getValues().setType(wire::ColumnType::ANY); }}),
    [](const auto& each) { return each.param.name; });

}  // namespace
}  // namespace retinue::companion
