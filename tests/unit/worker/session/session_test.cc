// One connection: the handshake, heartbeats, what is legal when.
#include "worker/session/session.h"

#include "tests/unit/worker/session/fixture.h"

namespace retinue::worker::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class SessionTest : public CompanionsFixture {};

TEST_F(SessionTest, AHelloIsWelcomedAndTheJobOpened) {
  start();
  const ConnectionId peer = connect_spawned();
  const auto welcomes = sent(peer, Envelope::WELCOME);
  ASSERT_EQ(welcomes.size(), 1u);
  const auto welcome = welcomes[0].getWelcome();
  EXPECT_EQ(welcome.getVersion().getMajor(), 1);
  EXPECT_EQ(welcome.getVersion().getMinor(), 0);
  EXPECT_EQ(welcome.getPipeline(), "pipeline");
  EXPECT_EQ(welcome.getHeartbeatIntervalUs(), options.heartbeat_interval.microseconds());
  EXPECT_EQ(welcome.getLimits().getFrameBytes(), limits::kFrameBytesLimit);
  EXPECT_TRUE(transport.connections[peer].takes_large_frames);
  ASSERT_EQ(sent(peer, Envelope::OPEN_JOB).size(), 1u);
  EXPECT_EQ(companions->job_id(slots[0]), std::nullopt);
  open_jobs(peer);
  EXPECT_EQ(companions->job_id(slots[0]), listeners[0]->job());
  EXPECT_THAT(listeners[0]->events, ElementsAre("ready"));
}

TEST_F(SessionTest, AWrongTokenIsUnauthorizedAndNothingElseIsTold) {
  start();
  for (const std::string token :
       {"", "wrong!", "secret2", "secre", "secret.", "secret.x", "wrong!.1", "secret.1x"}) {
    const ConnectionId peer = connect();
    say_hello(peer, token);
    EXPECT_EQ(reject_code(peer), ErrorCode::kUnauthorized) << token;
    EXPECT_TRUE(is_closed(peer));
    EXPECT_FALSE(transport.connections[peer].takes_large_frames);
  }
  EXPECT_FALSE(companions->fatal_error());
  EXPECT_EQ(status().processes_connected, 0u);
}

TEST_F(SessionTest, ATokenOfAProcessThatWasGivenUpIsUnauthorized) {
  start();
  const ConnectionId peer = connect();
  say_hello(peer, "secret.99");
  EXPECT_EQ(reject_code(peer), ErrorCode::kUnauthorized);
}

TEST_F(SessionTest, AProcessHasOneSession) {
  start();
  const ConnectionId first = connect_spawned();
  const ConnectionId second = connect_spawned();
  EXPECT_EQ(reject_code(second), ErrorCode::kUnauthorized);
  EXPECT_TRUE(is_closed(second));
  EXPECT_FALSE(is_closed(first));
}

struct VersionCase {
  ProtocolVersion min;
  ProtocolVersion max;
  bool is_welcome;
};
class VersionTest : public SessionTest, public ::testing::WithParamInterface<VersionCase> {};

TEST_P(VersionTest, IsNegotiated) {
  companion().command.clear();
  start();
  const ConnectionId peer = connect();
  receive(peer, [](auto envelope) {
    auto hello = envelope.initHello();
    hello.initMinVersion().setMajor(GetParam().min.major);
    hello.getMinVersion().setMinor(GetParam().min.minor);
    hello.initMaxVersion().setMajor(GetParam().max.major);
    hello.getMaxVersion().setMinor(GetParam().max.minor);
    hello.setToken("secret");
    hello.setCompanion("words");
    hello.initFunctions(1)[0].setName("count_words");
  });
  if (GetParam().is_welcome) {
    ASSERT_EQ(sent(peer, Envelope::WELCOME).size(), 1u);
    EXPECT_EQ(sent(peer, Envelope::WELCOME)[0].getWelcome().getVersion().getMinor(), 0);
  } else {
    EXPECT_EQ(reject_code(peer), ErrorCode::kVersionMismatch);
    EXPECT_EQ(sent(peer, Envelope::REJECT)[0].getReject().getMaxVersion().getMajor(), 1);
    EXPECT_TRUE(is_closed(peer));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Ranges, VersionTest,
    ::testing::Values(VersionCase{{1, 0}, {1, 0}, true}, VersionCase{{1, 0}, {1, 7}, true},
                      VersionCase{{0, 3}, {2, 1}, true}, VersionCase{{1, 1}, {1, 7}, false},
                      VersionCase{{2, 0}, {2, 0}, false}, VersionCase{{0, 1}, {0, 9}, false},
                      VersionCase{{1, 5}, {1, 0}, false}));

TEST_F(SessionTest, AFunctionThatIsNotServedIsFatalForASpawnedProcess) {
  start();
  const ConnectionId peer = connect();
  say_hello(peer, transport.processes[0].variable("RETINUE_TOKEN"), "count_wrods");
  EXPECT_EQ(reject_code(peer), ErrorCode::kFunctionNotServed);
  ASSERT_TRUE(companions->fatal_error());
  EXPECT_EQ(companions->fatal_error()->code, ErrorCode::kFunctionNotServed);
  EXPECT_THAT(companions->fatal_error()->message, HasSubstr("\"count_words\""));
  EXPECT_THAT(companions->fatal_error()->message, HasSubstr("\"count_wrods\""));
  exit_spawned(0);
  advance(Duration::seconds(60));
  EXPECT_EQ(transport.processes.size(), 1u) << "a restart cannot mend it";
}

TEST_F(SessionTest, AHandStartedCompanionThatIsRefusedMayComeBackBetter) {
  companion().command.clear();
  start();
  const ConnectionId bad = connect();
  say_hello(bad, "secret", "count_wrods");
  EXPECT_EQ(reject_code(bad), ErrorCode::kFunctionNotServed);
  EXPECT_FALSE(companions->fatal_error());
  const ConnectionId good = connect();
  say_hello(good, "secret");
  EXPECT_EQ(sent(good, Envelope::WELCOME).size(), 1u);
}

TEST_F(SessionTest, AnUnknownCompanionIsTold) {
  companion().command.clear();
  start();
  const ConnectionId peer = connect();
  say_hello(peer, "secret", "count_words", "wrods");
  EXPECT_EQ(reject_code(peer), ErrorCode::kNotFound);
  EXPECT_TRUE(is_closed(peer));
}

TEST_F(SessionTest, AnythingBeforeTheHelloEndsTheConnection) {
  start();
  const ConnectionId peer = connect();
  receive(peer, [](auto envelope) { envelope.initPing(); });
  EXPECT_TRUE(is_closed(peer));
  EXPECT_TRUE(transport.connections[peer].sent.empty());
}

TEST_F(SessionTest, WhoSaysNothingIsNotWaitedForForEver) {
  start();
  const ConnectionId peer = connect();
  advance(options.heartbeat_timeout - Duration::microseconds(1));
  EXPECT_FALSE(is_closed(peer));
  advance(Duration::microseconds(1));
  EXPECT_TRUE(is_closed(peer));
}

TEST_F(SessionTest, PingsGoBothWays) {
  start();
  const ConnectionId peer = connect_spawned();
  open_jobs(peer);
  receive(peer, [](auto envelope) { envelope.initPing().setNonce(77); });
  ASSERT_EQ(sent(peer, Envelope::PONG).size(), 1u);
  EXPECT_EQ(sent(peer, Envelope::PONG)[0].getPong().getNonce(), 77u);
  advance(options.heartbeat_interval);
  EXPECT_EQ(sent(peer, Envelope::PING).size(), 1u);
}

TEST_F(SessionTest, SilenceCountsAsGoneAndAnyFrameIsASignOfLife) {
  start();
  const ConnectionId peer = connect_spawned();
  open_jobs(peer);
  const Duration almost = options.heartbeat_timeout - Duration::microseconds(1);
  advance(options.heartbeat_interval);
  advance(almost);
  receive(peer, [](auto envelope) { envelope.initPong(); });
  advance(options.heartbeat_interval);
  advance(almost);
  EXPECT_FALSE(is_closed(peer));
  advance(Duration::microseconds(1));
  EXPECT_TRUE(is_closed(peer));
  EXPECT_EQ(listeners[0]->last_loss.code, ErrorCode::kDeadlineExceeded);
  EXPECT_THAT(transport.processes[0].signals, ElementsAre(CompanionTransport::Signal::kKill));
}

TEST_F(SessionTest, AWorkerThatWasStoppedItselfBlamesNobody) {
  heartbeat_at_work = true;
  start();
  const ConnectionId peer = connect_spawned();
  open_jobs(peer);
  advance(Duration::seconds(3600));
  EXPECT_FALSE(is_closed(peer)) << "no ping was sent that it could have answered";
}

TEST_F(SessionTest, ACompanionAtWorkMayBeSilent) {
  start();
  const ConnectionId peer = connect_spawned();
  EXPECT_EQ(sent(peer, Envelope::WELCOME)[0].getWelcome().getCapabilities().size(), 0u);
  open_jobs(peer);
  ship(0);
  advance(options.heartbeat_interval);
  advance(options.heartbeat_timeout + Duration::seconds(5));
  EXPECT_FALSE(is_closed(peer));
  advance(companion().batch_timeout);
  EXPECT_TRUE(is_closed(peer));
  EXPECT_EQ(status().deadlines_missed, 1u);
  EXPECT_THAT(listeners[0]->last_loss.message, HasSubstr("count/0"));
}

TEST_F(SessionTest, ACompanionWithAHeartbeatAtWorkMayNot) {
  heartbeat_at_work = true;
  companion().batch_timeout = Duration::seconds(3600);
  start();
  const ConnectionId peer = connect_spawned();
  const auto granted = sent(peer, Envelope::WELCOME)[0].getWelcome().getCapabilities();
  ASSERT_EQ(granted.size(), 1u);
  EXPECT_EQ(granted[0], std::string(kHeartbeatAtWork));
  open_jobs(peer);
  ship(0);
  advance(options.heartbeat_interval);
  EXPECT_EQ(companions->next_wakeup(), clock.monotonic() + options.heartbeat_interval);
  advance(options.heartbeat_timeout - Duration::microseconds(1));
  EXPECT_FALSE(is_closed(peer));
  advance(Duration::microseconds(1));
  EXPECT_TRUE(is_closed(peer));
  EXPECT_THAT(listeners[0]->last_loss.message,
              HasSubstr("did not answer a ping within 20s while it had a batch of count/0"));
  EXPECT_THAT(transport.processes[0].signals, ElementsAre(CompanionTransport::Signal::kKill));
}

TEST_F(SessionTest, AHeartbeatAtWorkCountsWhileAJobIsOpened) {
  heartbeat_at_work = true;
  companion().startup_timeout = Duration::seconds(3600);
  start();
  const ConnectionId peer = connect_spawned();
  advance(options.heartbeat_interval);
  advance(options.heartbeat_timeout);
  EXPECT_TRUE(is_closed(peer));
}

TEST_F(SessionTest, AnsweringPingsDoesNotExcuseALateAnswer) {
  heartbeat_at_work = true;
  start();
  const ConnectionId peer = connect_spawned();
  open_jobs(peer);
  ship(0);
  for (Duration waited; waited < companion().batch_timeout;
       waited = waited + options.heartbeat_interval) {
    ASSERT_FALSE(is_closed(peer));
    advance(options.heartbeat_interval);
    if (!is_closed(peer)) {
      receive(peer, [](auto envelope) { envelope.initPong(); });
    }
  }
  EXPECT_TRUE(is_closed(peer));
  EXPECT_THAT(listeners[0]->last_loss.message, HasSubstr("(batch_timeout)"));
}

TEST_F(SessionTest, BatchesThatWaitInTheCompanionAreTimedOneAfterTheOther) {
  start(2);
  const ConnectionId peer = connect_spawned();
  open_jobs(peer);
  ship(0);
  ship(1);
  const Duration almost = companion().batch_timeout - Duration::microseconds(1);
  advance(almost);
  answer(peer, *listeners[0]->job());
  advance(almost);
  EXPECT_FALSE(is_closed(peer));
  answer(peer, *listeners[1]->job());
  EXPECT_THAT(listeners[1]->events, ElementsAre("ready", "done"));
}

TEST_F(SessionTest, LogsAreForwardedWithTheirJob) {
  start();
  const ConnectionId peer = connect_spawned();
  const uint64_t job = sent(peer, Envelope::OPEN_JOB)[0].getOpenJob().getJob();
  receive(peer, [&](auto envelope) {
    auto entry = envelope.initLog();
    entry.setLevel(wire::LogLevel::WARNING);
    entry.setMessage("odd word");
    entry.setJob(job);
    auto field = entry.initFields(1)[0];
    field.setName("word");
    field.setValue("xyzzy");
  });
  const LogEntry& entry = log.entries.back();
  EXPECT_EQ(entry.level, LogLevel::kWarning);
  EXPECT_EQ(entry.message, "odd word");
  EXPECT_THAT(entry.fields, ElementsAre(LogField{"companion", "words"}, LogField{"job", "count/0"},
                                        LogField{"word", "xyzzy"}));
}

TEST_F(SessionTest, WhatANewerPeerSaysIsIgnored) {
  start();
  const ConnectionId peer = connect_spawned();
  receive(peer, [](auto envelope) { envelope.setUnknown(); });
  EXPECT_FALSE(is_closed(peer));
}

TEST_F(SessionTest, LoadStatesIsAnsweredThatAllIsLoaded) {
  start();
  const ConnectionId peer = connect_spawned();
  open_jobs(peer);
  ship(0);
  receive(peer, [&](auto envelope) {
    auto load = envelope.initLoadStates();
    load.setJob(listeners[0]->job()->value());
    load.setRequest(9);
  });
  ASSERT_EQ(sent(peer, Envelope::STATES_LOADED).size(), 1u);
  const auto loaded = sent(peer, Envelope::STATES_LOADED)[0].getStatesLoaded();
  EXPECT_EQ(loaded.getRequest(), 9u);
  EXPECT_EQ(loaded.getError().getCode(), static_cast<uint16_t>(ErrorCode::kNotSupported));
  EXPECT_FALSE(is_closed(peer));
}

using Fill = void (*)(Envelope::Builder);
class ViolationTest : public SessionTest, public ::testing::WithParamInterface<Fill> {};

TEST_P(ViolationTest, EndsTheSessionAndReplacesTheProcess) {
  start();
  const ConnectionId peer = connect_spawned();
  open_jobs(peer);
  receive(peer, GetParam());
  EXPECT_TRUE(is_closed(peer));
  EXPECT_THAT(listeners[0]->events, ElementsAre("ready", "lost"));
  EXPECT_EQ(status().protocol_violations, 1u);
  EXPECT_EQ(sent(peer, Envelope::GOODBYE).size(), 1u);
  EXPECT_THAT(transport.processes[0].signals, ElementsAre(CompanionTransport::Signal::kTerminate));
  exit_spawned(0, "was killed by signal 15 (Terminated)");
  advance(companion().restart_delay_min);
  EXPECT_EQ(transport.processes.size(), 2u);
}

INSTANTIATE_TEST_SUITE_P(
    Frames, ViolationTest,
    ::testing::Values([](Envelope::Builder e) { e.initHello(); },
                      [](Envelope::Builder e) { e.initWelcome(); },
                      [](Envelope::Builder e) { e.initBatch(); },
                      [](Envelope::Builder e) { e.initDrain(); },
                      [](Envelope::Builder e) { e.initStatesLoaded(); },
                      [](Envelope::Builder e) { e.initJobReady().setJob(1); },   // open already
                      [](Envelope::Builder e) { e.initJobReady().setJob(99); },  // unknown
                      [](Envelope::Builder e) { e.initJobFailed().setJob(99); },
                      [](Envelope::Builder e) { e.initBatchDone().setJob(1); },  // no batch out
                      [](Envelope::Builder e) { e.initBatchFailed().setJob(99); },
                      [](Envelope::Builder e) { e.initLoadStates().setJob(1); }));

}  // namespace
}  // namespace retinue::worker::testing
