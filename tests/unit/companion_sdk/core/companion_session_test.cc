#include "companion_sdk/core/companion_session.h"

#include <gmock/gmock.h>

#include "protocol/frame/wire_values.h"
#include "tests/unit/companion_sdk/core/session_fixture.h"

namespace retinue::companion {
namespace {

using ::testing::HasSubstr;

class FreshSession : public ::testing::Test {
 protected:
  FreshSession()
      : session_({.sdk = "test 1",
                  .language = "c++",
                  .pid = 42,
                  .token = "secret",
                  .companion = "words",
                  .functions = {{"count", true, false}},
                  .capabilities = {"zero-copy"}},
                 clock_) {
    session_.write_hello(reply_);
  }

  Result<SessionEvent> receive() { return session_.receive(to_frame(out_), reply_); }

  ManualClock clock_;
  FrameWriter out_;
  FrameWriter reply_;
  CompanionSession session_;
};

TEST_F(FreshSession, HelloSaysWhoItIs) {
  const Frame frame = to_frame(reply_);
  ASSERT_TRUE(frame.envelope().isHello());
  auto hello = frame.envelope().getHello();
  EXPECT_EQ(hello.getMinVersion().getMajor(), 1);
  EXPECT_EQ(hello.getMaxVersion().getMajor(), 1);
  EXPECT_EQ(hello.getMaxVersion().getMinor(), 0);
  EXPECT_EQ(hello.getPid(), 42U);
  EXPECT_EQ(as_view(hello.getToken()), "secret");
  EXPECT_EQ(as_view(hello.getCompanion()), "words");
  ASSERT_EQ(hello.getFunctions().size(), 1U);
  EXPECT_TRUE(hello.getFunctions()[0].getProcessesTimers());
  EXPECT_FALSE(hello.getFunctions()[0].getProcessesVisits());
  EXPECT_EQ(as_view(hello.getCapabilities()[0]), "zero-copy");
}

TEST_F(FreshSession, TakesNewerMinorVersionAndUnknownCapabilities) {
  auto welcome = out_.begin().initWelcome();
  welcome.initVersion().setMajor(1);
  welcome.getVersion().setMinor(99);
  welcome.initCapabilities(1).set(0, "telepathy");
  welcome.initLimits().setFrameBytes(12345);
  auto event = receive();
  ASSERT_TRUE(event.ok());
  EXPECT_TRUE(std::holds_alternative<Welcomed>(*event));
  EXPECT_EQ(session_.worker()->minor, 99);
  EXPECT_EQ(session_.worker()->frame_bytes_limit, 12345U);
}

TEST_F(FreshSession, RefusesAnotherMajorVersion) {
  out_.begin().initWelcome().initVersion().setMajor(2);
  const auto event = receive();
  ASSERT_FALSE(event.ok());
  EXPECT_EQ(event.error().code, ErrorCode::kVersionMismatch);
}

TEST_F(FreshSession, TellsWhyItWasRejected) {
  write_error(out_.begin().initReject().initError(), {ErrorCode::kUnauthorized, "wrong token"},
              "look at RETINUE_TOKEN");
  auto event = receive();
  ASSERT_TRUE(event.ok());
  const auto* rejected = std::get_if<Rejected>(&*event);
  ASSERT_NE(rejected, nullptr);
  EXPECT_EQ(rejected->error.code, ErrorCode::kUnauthorized);
  EXPECT_EQ(rejected->error.message, "wrong token (look at RETINUE_TOKEN)");
}

TEST_F(FreshSession, RefusesWorkBeforeTheWelcome) {
  out_.begin().initOpenJob().setJob(1);
  const auto event = receive();
  ASSERT_FALSE(event.ok());
  EXPECT_EQ(event.error().code, ErrorCode::kProtocolViolation);
}

TEST_F(FreshSession, AnswersPingBeforeTheWelcome) {
  out_.begin().initPing().setNonce(9);
  auto event = receive();
  ASSERT_TRUE(event.ok());
  ASSERT_TRUE(std::holds_alternative<Reply>(*event));
  EXPECT_EQ(to_frame(reply_).envelope().getPong().getNonce(), 9U);
}

TEST_F(OpenSession, IgnoresWhatANewerWorkerKnows) {
  out_.begin().setUnknown();
  EXPECT_TRUE(std::holds_alternative<Ignored>(receive()));
  out_.begin().initStatesLoaded();
  EXPECT_TRUE(std::holds_alternative<Ignored>(receive()));
  out_.begin().initPong();
  EXPECT_TRUE(std::holds_alternative<Ignored>(receive()));
}

TEST_F(OpenSession, RefusesMessagesOfCompanions) {
  out_.begin().initBatchDone();
  const auto event = try_receive();
  ASSERT_FALSE(event.ok());
  EXPECT_EQ(event.error().code, ErrorCode::kProtocolViolation);
}

TEST_F(OpenSession, RefusesASecondWelcome) {
  worker_.write_welcome(out_);
  EXPECT_FALSE(try_receive().ok());
}

TEST_F(OpenSession, OpenJobOfUnknownFunctionFails) {
  auto open = out_.begin().initOpenJob();
  open.setJob(8);
  open.setFunction("missing");
  ASSERT_TRUE(std::holds_alternative<Reply>(receive()));
  const Frame frame = to_frame(reply_);
  ASSERT_TRUE(frame.envelope().isJobFailed());
  EXPECT_EQ(frame.envelope().getJobFailed().getJob(), 8U);
  const Error error = read_error(frame.envelope().getJobFailed().getError());
  EXPECT_EQ(error.code, ErrorCode::kFunctionNotServed);
  EXPECT_THAT(error.message, HasSubstr("\"missing\""));
  EXPECT_THAT(error.message, HasSubstr("\"count\""));
}

TEST_F(OpenSession, OpenJobThatIsWrongFailsAlone) {
  auto open = out_.begin().initOpenJob();
  open.setJob(8);
  open.setFunction("count");
  auto streams = open.initStreams(2);
  streams[0].setName("twice");
  streams[1].setName("twice");
  ASSERT_TRUE(std::holds_alternative<Reply>(receive()));
  const Frame frame = to_frame(reply_);
  ASSERT_TRUE(frame.envelope().isJobFailed());
  EXPECT_THAT(read_error(frame.envelope().getJobFailed().getError()).message,
              HasSubstr("OpenJob.streams[1]"));
}

TEST_F(OpenSession, ExternalStatesAreNotSupported) {
  auto open = out_.begin().initOpenJob();
  open.setJob(8);
  open.setFunction("count");
  open.initExternalStates(1)[0].setName("/table");
  receive();
  EXPECT_EQ(read_error(to_frame(reply_).envelope().getJobFailed().getError()).code,
            ErrorCode::kNotSupported);
}

TEST_F(OpenSession, SameJobTwiceIsAViolation) {
  worker_.write_open_job(out_);
  EXPECT_FALSE(try_receive().ok());
}

TEST_F(OpenSession, BatchOfUnknownJobFailsThatBatch) {
  auto batch = out_.begin().initBatch();
  batch.setJob(99);
  batch.setEpoch(3);
  batch.setAttempt(2);
  ASSERT_TRUE(std::holds_alternative<Reply>(receive()));
  const Frame frame = to_frame(reply_);
  auto failed = frame.envelope().getBatchFailed();
  EXPECT_EQ(failed.getJob(), 99U);
  EXPECT_EQ(failed.getEpoch(), 3U);
  EXPECT_EQ(failed.getAttempt(), 2U);
  EXPECT_FALSE(failed.getHasInput());
  EXPECT_EQ(read_error(failed.getError()).code, ErrorCode::kProtocolViolation);
}

TEST_F(OpenSession, ClosedJobTakesNoBatch) {
  auto close = out_.begin().initCloseJob();
  close.setJob(7);
  close.setReason("moved");
  SessionEvent event = receive();
  ASSERT_TRUE(std::holds_alternative<JobClosed>(event));
  EXPECT_EQ(std::get<JobClosed>(event).reason, "moved");
  ASSERT_TRUE(worker_.write_batch(out_, Timestamp(1)).ok());
  EXPECT_TRUE(std::holds_alternative<Reply>(receive()));
  out_.begin().initCloseJob().setJob(7);
  EXPECT_TRUE(std::holds_alternative<Ignored>(receive()));
}

TEST_F(OpenSession, UpdateChangesParametersAndAppendsColumns) {
  auto update = out_.begin().initUpdateJob();
  update.setJob(7);
  update.setDynamicParameters(kj::StringPtr("{limit=5}").asBytes());
  auto stream = update.initStreams(1)[0];
  stream.setName("more");
  stream.setRevision(2);
  write_schema(stream.initSchema(), schema_of({{"word", ColumnType::kString, true, ""},
                                               {"extra", ColumnType::kDouble, false, ""}}));
  EXPECT_TRUE(std::holds_alternative<JobUpdated>(receive()));
  EXPECT_EQ(job_->dynamic_parameters.find("limit")->as_int64(), 5);
  EXPECT_EQ(job_->stream(*job_->find_stream("more")).schema.size(), 2U);
}

TEST_F(OpenSession, UpdateThatDropsAColumnIsAViolation) {
  auto update = out_.begin().initUpdateJob();
  update.setJob(7);
  auto stream = update.initStreams(1)[0];
  stream.setName("more");
  stream.setRevision(2);
  write_schema(stream.initSchema(), schema_of({{"other", ColumnType::kString, true, ""}}));
  const auto event = try_receive();
  ASSERT_FALSE(event.ok());
  EXPECT_THAT(event.error().message, HasSubstr("does not extend"));
}

TEST_F(OpenSession, DrainThenRefusesWork) {
  out_.begin().initDrain().setDeadlineUs(77);
  SessionEvent event = receive();
  ASSERT_TRUE(std::holds_alternative<DrainRequested>(event));
  EXPECT_EQ(std::get<DrainRequested>(event).deadline, Timestamp(77));
  ASSERT_TRUE(worker_.write_batch(out_, Timestamp(1)).ok());
  ASSERT_TRUE(std::holds_alternative<Reply>(receive()));
  EXPECT_EQ(read_error(to_frame(reply_).envelope().getBatchFailed().getError()).code,
            ErrorCode::kDraining);
}

TEST_F(OpenSession, WorkerMayLeave) {
  out_.begin().initGoodbye().setReason("restart");
  SessionEvent event = receive();
  ASSERT_TRUE(std::holds_alternative<WorkerDeparted>(event));
  EXPECT_EQ(std::get<WorkerDeparted>(event).reason, "restart");
}

TEST_F(OpenSession, LogCarriesJobFieldsAndTime) {
  session_.write_log(reply_, LogLevel::kWarning, JobId(7), "slow", {{"key", "a"}});
  const Frame frame = to_frame(reply_);
  auto log = frame.envelope().getLog();
  EXPECT_EQ(log.getLevel(), wire::LogLevel::WARNING);
  EXPECT_EQ(log.getJob(), 7U);
  EXPECT_EQ(log.getTimestampUs(), 1000);
  EXPECT_EQ(as_view(log.getFields()[0].getValue()), "a");
}

TEST_F(OpenSession, TooLargeAnswerCanStillBeFailed) {
  // The worker of this session takes few bytes.
  CompanionSession session(options(), clock_);
  session.write_hello(reply_);
  auto welcome = out_.begin().initWelcome();
  welcome.initVersion().setMajor(1);
  welcome.initLimits().setFrameBytes(512);
  ASSERT_TRUE(session.receive(to_frame(out_), reply_).ok());
  worker_.write_open_job(out_);
  auto opened = session.receive(to_frame(out_), reply_);
  ASSERT_TRUE(opened.ok());
  const auto spec = std::get<JobOpened>(*opened).job;
  ASSERT_TRUE(worker_.add(message("words", {std::string("a"), Null{}}, {std::string("a")})).ok());
  ASSERT_TRUE(worker_.write_batch(out_, Timestamp(1)).ok());
  auto arrived = session.receive(to_frame(out_), reply_);
  ASSERT_TRUE(arrived.ok());
  BatchAnswer answer(*spec);
  answer.begin(*std::get<BatchArrived>(*arrived).batch);
  answer.set_state(StateIndex(1), KeyIndex(0), std::string(4096, 'x'));
  const auto done = session.write_batch_done(reply_, answer);
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.error().code, ErrorCode::kLimitExceeded);
  BatchFailure failure;
  failure.error = done.error();
  failure.input = OrderPosition(0);
  session.write_batch_failed(reply_, failure);
  const Frame frame = to_frame(reply_);
  EXPECT_TRUE(frame.envelope().getBatchFailed().getHasInput());
}

TEST(AnswerPing, OnlyAnswersPings) {
  FrameWriter in;
  FrameWriter out;
  in.begin().initPing().setNonce(3);
  ASSERT_TRUE(answer_ping(to_frame(in), out));
  EXPECT_EQ(to_frame(out).envelope().getPong().getNonce(), 3U);
  in.begin().initDrain();
  EXPECT_FALSE(answer_ping(to_frame(in), out));
}

}  // namespace
}  // namespace retinue::companion
