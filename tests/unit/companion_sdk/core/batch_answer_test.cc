#include "companion_sdk/core/batch_answer.h"

#include <gmock/gmock.h>

#include <array>

#include "protocol/base/limits.h"
#include "protocol/frame/wire_values.h"
#include "tests/unit/companion_sdk/core/session_fixture.h"

namespace retinue::companion {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const Row kA = {std::string("a")};
const Row kB = {std::string("b")};
constexpr StateIndex kCount{0};
constexpr StateIndex kBlob{1};

class Answering : public OpenSession {
 protected:
  Answering() : answer_(*job_), counts_(*job_->find_stream("counts")) {}

  // Two messages: a at event time 100, b at 50.
  void begin() {
    TestInput a = message("more", {std::string("a")}, kA);
    a.event_timestamp = Timestamp(100);
    TestInput b = message("more", {std::string("b")}, kB);
    b.event_timestamp = Timestamp(50);
    ASSERT_TRUE(worker_.add(a).ok());
    ASSERT_TRUE(worker_.add(b).ok());
    answer_.begin(ship());
  }
  Result<void> emit(const std::string& word, std::vector<OrderPosition> parents,
                    std::optional<Timestamp> event = {}) {
    answer_.output(counts_).rows().set_bytes(ColumnIndex(0), word);
    return answer_.output(counts_).finish_row(parents, event);
  }

  BatchAnswer answer_;
  StreamIndex counts_;
};

TEST_F(Answering, NothingDoneSendsNothing) {
  begin();
  const TestAnswer done = answer(answer_);
  EXPECT_TRUE(done.outputs.empty());
  EXPECT_TRUE(done.state_changes.empty());
  EXPECT_EQ(done.epoch, 1U);
  EXPECT_EQ(done.attempt, 1U);
}

TEST_F(Answering, OneParentEachTakesNoOffsets) {
  begin();
  ASSERT_TRUE(emit("x", {OrderPosition(1)}).ok());
  ASSERT_TRUE(emit("y", {OrderPosition(0)}).ok());
  ASSERT_TRUE(session_.write_batch_done(reply_, answer_).ok());
  const Frame frame = to_frame(reply_);
  auto group = frame.envelope().getBatchDone().getOutputs()[0];
  EXPECT_FALSE(group.hasParentOffsets());
  EXPECT_FALSE(group.hasEventTimestamps());
}

TEST_F(Answering, ExplicitEventTimeMakesAllExplicit) {
  begin();
  ASSERT_TRUE(emit("x", {OrderPosition(0), OrderPosition(1)}).ok());
  ASSERT_TRUE(emit("y", {OrderPosition(0)}, Timestamp(7)).ok());
  ASSERT_TRUE(emit("z", {OrderPosition(0)}).ok());
  const TestAnswer done = answer(answer_);
  ASSERT_EQ(done.outputs.size(), 3U);
  EXPECT_THAT(done.outputs[0].parents, ElementsAre(0, 1));
  EXPECT_EQ(done.outputs[0].event_timestamp, Timestamp(50));
  EXPECT_EQ(done.outputs[1].event_timestamp, Timestamp(7));
  EXPECT_EQ(done.outputs[2].event_timestamp, Timestamp(100));
}

TEST_F(Answering, RefusesMissingAndUnknownParents) {
  begin();
  EXPECT_FALSE(emit("x", {}).ok());
  EXPECT_FALSE(emit("x", {OrderPosition(2)}).ok());
  EXPECT_TRUE(answer(answer_).outputs.empty());
}

TEST_F(Answering, RequiredColumnThatIsNullFails) {
  begin();
  const std::array parents = {OrderPosition(0)};
  ASSERT_TRUE(answer_.output(counts_).finish_row(parents, {}).ok());
  const auto done = session_.write_batch_done(reply_, answer_);
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.error().code, ErrorCode::kSchemaMismatch);
  EXPECT_THAT(done.error().message, HasSubstr("\"counts\""));
  EXPECT_THAT(done.error().message, HasSubstr("word"));
}

TEST_F(Answering, SendsOnlyWhatDiffersFromWhatWasLoaded) {
  worker_.put_state("blob", kA, "old");
  begin();
  answer_.set_state(kBlob, KeyIndex(0), "old");
  answer_.clear_state(kBlob, KeyIndex(1));
  answer_.set_state(kCount, KeyIndex(1), "");
  answer_.set_state(kCount, KeyIndex(0), "1");
  const TestAnswer done = answer(answer_);
  ASSERT_EQ(done.state_changes.size(), 2U);
  EXPECT_EQ(done.state_changes[0].key, kA);
  EXPECT_EQ(done.state_changes[0].bytes, "1");
  EXPECT_EQ(done.state_changes[1].key, kB);
  EXPECT_EQ(done.state_changes[1].bytes, "");  // empty is not absent
}

TEST_F(Answering, TheLastWordOnAKeyCounts) {
  worker_.put_state("blob", kA, "old");
  worker_.put_state("blob", kB, "old");
  begin();
  answer_.set_state(kBlob, KeyIndex(0), "longer than before");
  answer_.clear_state(kBlob, KeyIndex(0));
  answer_.clear_state(kBlob, KeyIndex(1));
  answer_.set_state(kBlob, KeyIndex(1), "old");
  const TestAnswer done = answer(answer_);
  ASSERT_EQ(done.state_changes.size(), 1U);
  EXPECT_EQ(done.state_changes[0].key, kA);
  EXPECT_EQ(done.state_changes[0].bytes, std::nullopt);
  EXPECT_EQ(worker_.state("blob", kA), std::nullopt);
  EXPECT_EQ(worker_.state("blob", kB), "old");
}

TEST_F(Answering, NextBatchStartsClean) {
  begin();
  ASSERT_TRUE(emit("x", {OrderPosition(0)}).ok());
  answer_.set_state(kBlob, KeyIndex(0), "v");
  answer_.add_timer(*job_->find_stream("alarms"), KeyIndex(0), Timestamp(9), {}, OrderPosition(0));
  answer_.output(counts_).rows().set_int64(ColumnIndex(1), 5);  // left under construction
  session_.write_batch_failed(reply_, BatchFailure{});
  ASSERT_TRUE(worker_.read_answer(to_frame(reply_)).ok());
  begin();
  const TestAnswer done = answer(answer_);
  EXPECT_TRUE(done.outputs.empty());
  EXPECT_TRUE(done.new_timers.empty());
  EXPECT_TRUE(done.state_changes.empty());
}

TEST_F(Answering, CarriesTimers) {
  begin();
  const StreamIndex alarms = *job_->find_stream("alarms");
  answer_.add_timer(alarms, KeyIndex(1), Timestamp(900), {}, OrderPosition(1));
  answer_.add_timer(alarms, KeyIndex(0), Timestamp(901), Timestamp(3), OrderPosition(0));
  answer_.cancel_timer(alarms, KeyIndex(0), Timestamp(800));
  const TestAnswer done = answer(answer_);
  ASSERT_EQ(done.new_timers.size(), 2U);
  EXPECT_EQ(done.new_timers[0].key, kB);
  EXPECT_EQ(done.new_timers[0].event_timestamp, Timestamp(900));
  EXPECT_EQ(done.new_timers[1].event_timestamp, Timestamp(3));
  ASSERT_EQ(done.cancelled_timers.size(), 1U);
  EXPECT_EQ(done.cancelled_timers[0].trigger, Timestamp(800));
}

TEST_F(Answering, FollowsANewRevisionOfItsStreams) {
  begin();
  ASSERT_TRUE(answer(answer_).ok());
  auto update = out_.begin().initUpdateJob();
  update.setJob(7);
  auto stream = update.initStreams(1)[0];
  stream.setName("counts");
  stream.setRole(wire::StreamRole::OUTPUT);
  stream.setRevision(2);
  write_schema(stream.initSchema(), schema_of({{"word", ColumnType::kString, true, ""},
                                               {"n", ColumnType::kInt64, false, ""},
                                               {"extra", ColumnType::kBoolean, false, ""}}));
  receive();
  begin();
  answer_.output(counts_).rows().set_boolean(ColumnIndex(2), true);
  ASSERT_TRUE(emit("x", {OrderPosition(0)}).ok());
  ASSERT_TRUE(session_.write_batch_done(reply_, answer_).ok());
  const Frame frame = to_frame(reply_);
  auto group = frame.envelope().getBatchDone().getOutputs()[0];
  EXPECT_EQ(group.getRevision(), 2U);
  EXPECT_EQ(group.getRows().getColumns().size(), 3U);
}

TEST_F(Answering, OfSettingAndCancellingATimerTheLastCounts) {
  begin();
  const StreamIndex alarms = *job_->find_stream("alarms");
  const auto set = [&](int64_t trigger) {
    answer_.add_timer(alarms, KeyIndex(0), Timestamp(trigger), {}, OrderPosition(0));
  };
  set(1);
  answer_.cancel_timer(alarms, KeyIndex(0), Timestamp(1));
  answer_.cancel_timer(alarms, KeyIndex(0), Timestamp(2));
  set(2);
  answer_.cancel_timer(alarms, KeyIndex(1), Timestamp(3));
  set(3);
  const TestAnswer done = answer(answer_);
  ASSERT_EQ(done.new_timers.size(), 2U);
  EXPECT_EQ(done.new_timers[0].trigger, Timestamp(2));
  EXPECT_EQ(done.new_timers[1].trigger, Timestamp(3));
  EXPECT_EQ(done.cancelled_timers.size(), 3U);
}

TEST_F(Answering, TooManyBytesAreRefusedBeforeTheFrame) {
  begin();
  const std::string big(limits::kValueBytesLimit, 'x');
  for (const StateIndex state : {kCount, kBlob}) {
    answer_.set_state(state, KeyIndex(0), big);
    answer_.set_state(state, KeyIndex(1), big);
  }
  const auto done = session_.write_batch_done(reply_, answer_);
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.error().code, ErrorCode::kLimitExceeded);
  EXPECT_THAT(done.error().message, HasSubstr("a frame may take"));
}

TEST_F(Answering, TooLongAValueIsRefusedNamingTheState) {
  begin();
  answer_.set_state(kBlob, KeyIndex(0), std::string(limits::kValueBytesLimit + 1, 'x'));
  const auto done = session_.write_batch_done(reply_, answer_);
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.error().code, ErrorCode::kLimitExceeded);
  EXPECT_THAT(done.error().message, HasSubstr("state \"blob\""));
}

}  // namespace
}  // namespace retinue::companion
