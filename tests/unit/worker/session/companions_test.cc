// Jobs and processes: who gets what, restarts, budgets, the drain.
#include "worker/session/companions.h"

#include "tests/unit/worker/session/fixture.h"
#include "worker/session/assignment.h"
#include "worker/session/supervision.h"

namespace retinue::worker::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Signal = CompanionTransport::Signal;

class CompanionsTest : public CompanionsFixture {
 protected:
  size_t opened_at(ConnectionId connection) const {
    return sent(connection, Envelope::OPEN_JOB).size();
  }
};

TEST(AssignJobs, DealsEvenlyAndStopsAtTheShare) {
  const std::vector<JobSlot> waiting = {JobSlot(0), JobSlot(1), JobSlot(2), JobSlot(3)};
  const auto assigned = assign_jobs(waiting, {{ConnectionId(7), 2}, {ConnectionId(8), 0}}, 3);
  EXPECT_THAT(
      assigned,
      ElementsAre(std::pair(JobSlot(0), ConnectionId(8)), std::pair(JobSlot(1), ConnectionId(8)),
                  std::pair(JobSlot(2), ConnectionId(7)), std::pair(JobSlot(3), ConnectionId(8))));
  EXPECT_EQ(assign_jobs(waiting, {{ConnectionId(7), 2}}, 3).size(), 1u);
  EXPECT_TRUE(assign_jobs(waiting, {}, 3).empty());
}

TEST(RestartDelay, DoublesUpToItsBound) {
  CompanionSpec spec;
  spec.restart_delay_min = Duration::milliseconds(100);
  spec.restart_delay_max = Duration::milliseconds(500);
  EXPECT_EQ(restart_delay(spec, 1), Duration::milliseconds(100));
  EXPECT_EQ(restart_delay(spec, 2), Duration::milliseconds(200));
  EXPECT_EQ(restart_delay(spec, 3), Duration::milliseconds(400));
  EXPECT_EQ(restart_delay(spec, 4), Duration::milliseconds(500));
  EXPECT_EQ(restart_delay(spec, 4'000'000'000), Duration::milliseconds(500));
}

TEST_F(CompanionsTest, ProcessesAreSpawnedWithWhatTheyNeed) {
  companion().processes = 2;
  start();
  ASSERT_EQ(transport.processes.size(), 2u);
  const auto& process = transport.processes[0];
  EXPECT_THAT(process.request.command, ElementsAre("/spec/bin/words", "--fast"));
  EXPECT_EQ(process.variable("RETINUE_SOCKET"), "/run/w.sock");
  EXPECT_EQ(process.variable("RETINUE_COMPANION"), "words");
  EXPECT_EQ(process.variable("MODE"), "test");
  EXPECT_NE(process.variable("RETINUE_TOKEN"), transport.processes[1].variable("RETINUE_TOKEN"));
  EXPECT_EQ(transport.processes[1].request.index, 1u);
}

TEST_F(CompanionsTest, JobsWaitForTheProcessesOfTheFirstStart) {
  companion().processes = 2;
  start(5);
  const ConnectionId first = connect_spawned(0);
  EXPECT_EQ(opened_at(first), 3u);
  const ConnectionId second = connect_spawned(1);
  EXPECT_EQ(opened_at(first), 3u);
  EXPECT_EQ(opened_at(second), 2u);
}

TEST_F(CompanionsTest, JobsDoNotWaitForAProcessThatFailed) {
  companion().processes = 2;
  start(4);
  const ConnectionId first = connect_spawned(0);
  EXPECT_EQ(opened_at(first), 2u);
  exit_spawned(1);
  companions->tick();
  EXPECT_EQ(opened_at(first), 4u);
}

TEST_F(CompanionsTest, OnlyTheJobsOfALostSessionMove) {
  companion().processes = 2;
  start(4);
  const ConnectionId first = connect_spawned(0);
  const ConnectionId second = connect_spawned(1);
  open_jobs(first);
  open_jobs(second);
  const auto kept = sent(second, Envelope::OPEN_JOB).size();
  companions->on_disconnected(first, {ErrorCode::kConnectionClosed, "closed its connection"});
  EXPECT_EQ(opened_at(second), kept + 2);
  open_jobs(second);
  size_t lost = 0;
  for (const auto& listener : listeners) {
    EXPECT_TRUE(listener->job());
    lost += listener->events.size() == 3 ? 1 : 0;
  }
  EXPECT_EQ(lost, 2u);
}

TEST_F(CompanionsTest, ACrashIsToldAsTheProcessEnded) {
  start();
  const ConnectionId peer = connect_spawned();
  open_jobs(peer);
  companions->on_disconnected(peer, {ErrorCode::kConnectionClosed, "closed its connection"});
  EXPECT_TRUE(transport.processes[0].signals.empty()) << "it may have last words";
  exit_spawned(0, "was killed by signal 11 (Segmentation fault)");
  EXPECT_THAT(status().last_error, HasSubstr("signal 11"));
  advance(companion().restart_delay_min - Duration::microseconds(1));
  EXPECT_EQ(transport.processes.size(), 1u);
  advance(Duration::microseconds(1));
  EXPECT_EQ(transport.processes.size(), 2u);
  EXPECT_EQ(status().restarts, 1u);
}

TEST_F(CompanionsTest, AnExitThatComesBeforeTheEndOfItsConnectionIsCountedOnce) {
  start();
  const ConnectionId peer = connect_spawned();
  open_jobs(peer);
  exit_spawned(0);
  EXPECT_TRUE(is_closed(peer));
  EXPECT_THAT(listeners[0]->events, ElementsAre("ready", "lost"));
  EXPECT_THAT(listeners[0]->last_loss.message, HasSubstr("exited with code 3"));
  advance(companion().restart_delay_min);
  EXPECT_EQ(transport.processes.size(), 2u);
}

TEST_F(CompanionsTest, AProcessThatLingersIsTerminatedThenKilled) {
  start();
  const ConnectionId peer = connect_spawned();
  companions->on_disconnected(peer, {ErrorCode::kConnectionClosed, "closed its connection"});
  advance(options.kill_delay);
  EXPECT_THAT(transport.processes[0].signals, ElementsAre(Signal::kTerminate));
  advance(options.kill_delay);
  EXPECT_THAT(transport.processes[0].signals, ElementsAre(Signal::kTerminate, Signal::kKill));
  advance(options.kill_delay);
  EXPECT_EQ(transport.processes[0].signals.size(), 2u);
}

TEST_F(CompanionsTest, RestartsAreBounded) {
  companion().restarts_without_progress_max = 3;
  start();
  for (size_t i = 0; i < 3; ++i) {
    exit_spawned(i);
    EXPECT_FALSE(companions->fatal_error()) << i;
    advance(companion().restart_delay_max);
    ASSERT_EQ(transport.processes.size(), i + 2);
  }
  exit_spawned(3, "exited with code 42");
  ASSERT_TRUE(companions->fatal_error());
  EXPECT_THAT(companions->fatal_error()->message, HasSubstr("\"words\" failed 4 times"));
  EXPECT_THAT(companions->fatal_error()->message, HasSubstr("exited with code 42"));
  EXPECT_THAT(companions->fatal_error()->message, HasSubstr("[words/0]"));
  advance(Duration::seconds(100));
  EXPECT_EQ(transport.processes.size(), 4u);
}

TEST_F(CompanionsTest, ProgressRestoresTheBudgetAndTheDelay) {
  companion().restarts_without_progress_max = 2;
  start();
  for (size_t i = 0; i < 6; ++i) {
    const ConnectionId peer = connect_spawned();
    open_jobs(peer);
    ship(0);
    answer(peer, *listeners[0]->job());
    companions->note_progress(slots[0]);
    exit_spawned(i);
    advance(companion().restart_delay_min);
    ASSERT_EQ(transport.processes.size(), i + 2);
  }
  EXPECT_FALSE(companions->fatal_error());
}

TEST_F(CompanionsTest, ABatchThatTakesItsCompanionDownEachTimeIsFatalThoughOthersProgress) {
  companion().restarts_without_progress_max = 2;
  start(2);
  for (size_t i = 0; !companions->fatal_error(); ++i) {
    ASSERT_LT(i, 3u);
    const ConnectionId peer = connect_spawned();
    open_jobs(peer);
    ship(0);
    ship(1);
    answer(peer, *listeners[1]->job());
    companions->note_progress(slots[1]);
    exit_spawned(i);
    advance(companion().restart_delay_min);
  }
  EXPECT_THAT(companions->fatal_error()->message,
              HasSubstr("partition 0 of computation \"count\""));
}

TEST_F(CompanionsTest, TheOldestBatchOfADeadProcessIsSuspect) {
  start(3);
  const ConnectionId peer = connect_spawned();
  open_jobs(peer);
  ship(1);
  ship(0);
  exit_spawned(0);
  EXPECT_THAT(listeners[0]->events, ElementsAre("ready", "lost"));
  EXPECT_THAT(listeners[1]->events, ElementsAre("ready", "lost, suspect"));
  EXPECT_THAT(listeners[2]->events, ElementsAre("ready", "lost"));
}

TEST_F(CompanionsTest, ASuspectThatIsCutRestoresTheBudgetAndTheDelay) {
  companion().restarts_without_progress_max = 2;
  start(2);
  for (size_t i = 0; i < 6; ++i) {
    const ConnectionId peer = connect_spawned();
    open_jobs(peer);
    ship(0);
    ship(1);
    companions->note_suspect_cut(slots[0]);
    exit_spawned(i);
    advance(companion().restart_delay_min);
    ASSERT_EQ(transport.processes.size(), i + 2);
  }
  EXPECT_FALSE(companions->fatal_error()) << "nor are those to blame that only waited";
}

TEST_F(CompanionsTest, AProgramThatCannotBeStartedIsFatalAtOnce) {
  transport.spawn_error = Error{ErrorCode::kNotFound, "bin/words: no such file"};
  start();
  ASSERT_TRUE(companions->fatal_error());
  EXPECT_THAT(companions->fatal_error()->message, HasSubstr("bin/words: no such file"));
}

TEST_F(CompanionsTest, AStartThatFailsForNowIsTriedAgain) {
  transport.spawn_error = Error{ErrorCode::kIoError, "resource temporarily unavailable"};
  start();
  EXPECT_FALSE(companions->fatal_error());
  transport.spawn_error.reset();
  advance(companion().restart_delay_min);
  EXPECT_EQ(transport.processes.size(), 1u);
}

TEST_F(CompanionsTest, AProcessThatNeverSaysHelloIsKilled) {
  start();
  advance(companion().startup_timeout);
  EXPECT_THAT(transport.processes[0].signals, ElementsAre(Signal::kKill));
  EXPECT_EQ(status().deadlines_missed, 1u);
  exit_spawned(0, "was killed by signal 9 (Killed)");
  advance(companion().restart_delay_min);
  EXPECT_EQ(transport.processes.size(), 2u);
}

TEST_F(CompanionsTest, UserCodeMayFailToOpenAJobThreeTimes) {
  start();
  const ConnectionId peer = connect_spawned();
  const auto fail = [&](size_t nth, ErrorCode code) {
    ASSERT_EQ(opened_at(peer), nth + 1);
    const uint64_t job = sent(peer, Envelope::OPEN_JOB)[nth].getOpenJob().getJob();
    receive(peer, [&](auto envelope) {
      envelope.initJobFailed().setJob(job);
      auto error = envelope.getJobFailed().initError();
      error.setCode(static_cast<uint16_t>(code));
      error.setMessage("the model did not load");
    });
  };
  fail(0, ErrorCode::kUserCodeFailed);
  EXPECT_FALSE(companions->fatal_error());
  EXPECT_FALSE(is_closed(peer));
  advance(companion().restart_delay_min);
  fail(1, ErrorCode::kUserCodeFailed);
  EXPECT_FALSE(companions->fatal_error());
  const auto is_about_jobs = [](const LogEntry& entry) {
    return entry.message.starts_with("job failed");
  };
  EXPECT_EQ(std::ranges::count_if(log.entries, is_about_jobs), 1) << "the reason is the same";
  advance(companion().restart_delay_min * 2);
  fail(2, ErrorCode::kUserCodeFailed);
  ASSERT_TRUE(companions->fatal_error());
  EXPECT_EQ(companions->fatal_error()->message,
            "partition 0 of computation \"count\" failed, 3 times in a row: companion \"words\" "
            "cannot open computation \"count\" (function \"count_words\"): the model did not load");
}

TEST_F(CompanionsTest, AJobThatCannotBeOpenedForNowIsTriedAgain) {
  companion().restarts_without_progress_max = 4;
  start();
  const ConnectionId peer = connect_spawned();
  for (size_t nth = 0; nth < 5; ++nth) {
    EXPECT_FALSE(companions->fatal_error());
    ASSERT_EQ(opened_at(peer), nth + 1);
    const uint64_t job = sent(peer, Envelope::OPEN_JOB)[nth].getOpenJob().getJob();
    receive(peer, [&](auto envelope) {
      envelope.initJobFailed().setJob(job);
      envelope.getJobFailed().initError().setCode(static_cast<uint16_t>(ErrorCode::kUnavailable));
    });
    advance(companion().restart_delay_max);
  }
  EXPECT_TRUE(companions->fatal_error());
}

TEST_F(CompanionsTest, AJobThatDoesNotFitIsFatalAtOnce) {
  start();
  const ConnectionId peer = connect_spawned();
  const uint64_t job = sent(peer, Envelope::OPEN_JOB)[0].getOpenJob().getJob();
  receive(peer, [&](auto envelope) {
    envelope.initJobFailed().setJob(job);
    envelope.getJobFailed().initError().setCode(static_cast<uint16_t>(ErrorCode::kSchemaMismatch));
  });
  ASSERT_TRUE(companions->fatal_error());
  EXPECT_EQ(companions->fatal_error()->code, ErrorCode::kSchemaMismatch);
}

TEST_F(CompanionsTest, ARejectedAnswerEndsTheSessionFromWithinTheListener) {
  start(2);
  const ConnectionId peer = connect_spawned();
  open_jobs(peer);
  ship(0);
  listeners[0]->on_done = [&] {
    companions->reject_answer(slots[0], {ErrorCode::kProtocolViolation, "an unknown stream"});
    EXPECT_THAT(listeners[0]->events, ElementsAre("ready", "done", "lost"));
    EXPECT_THAT(listeners[1]->events, ElementsAre("ready", "lost"));
    EXPECT_FALSE(companions->job_id(slots[0]));
  };
  answer(peer, *listeners[0]->job());
  EXPECT_TRUE(is_closed(peer));
  EXPECT_EQ(status().protocol_violations, 1u);
  EXPECT_THAT(sent(peer, Envelope::GOODBYE)[0].getGoodbye().getReason().cStr(),
              HasSubstr("an unknown stream"));
}

TEST_F(CompanionsTest, AHandStartedCompanionIsWaitedFor) {
  companion().command.clear();
  start();
  EXPECT_TRUE(transport.processes.empty());
  const ConnectionId first = connect();
  say_hello(first, "secret");
  open_jobs(first);
  companions->on_disconnected(first, {ErrorCode::kConnectionClosed, "closed its connection"});
  advance(companion().startup_timeout - Duration::microseconds(1));
  EXPECT_FALSE(companions->fatal_error());
  const ConnectionId second = connect();
  say_hello(second, "secret");
  open_jobs(second);
  EXPECT_THAT(listeners[0]->events, ElementsAre("ready", "lost", "ready"));
  companions->on_disconnected(second, {ErrorCode::kConnectionClosed, "closed its connection"});
  advance(companion().startup_timeout);
  ASSERT_TRUE(companions->fatal_error());
  EXPECT_THAT(companions->fatal_error()->message,
              AllOf(HasSubstr("variables of /data/companion.env and RETINUE_COMPANION=words"),
                    HasSubstr("(/companions/words/startup_timeout)")));
}

TEST_F(CompanionsTest, TheDrainEndsInOrder) {
  start();
  const ConnectionId peer = connect_spawned();
  open_jobs(peer);
  companions->drain();
  EXPECT_EQ(sent(peer, Envelope::DRAIN).size(), 1u);
  EXPECT_FALSE(companions->is_drained());
  receive(peer, [](auto envelope) { envelope.initGoodbye(); });
  EXPECT_TRUE(is_closed(peer));
  exit_spawned(0, "exited with code 0");
  EXPECT_TRUE(companions->is_drained());
  EXPECT_FALSE(companions->fatal_error());
  EXPECT_THAT(listeners[0]->events, ElementsAre("ready"));
}

TEST_F(CompanionsTest, ADrainThatIsNotHeededEndsByForce) {
  companion().processes = 2;
  start();
  const ConnectionId peer = connect_spawned(0);
  companions->drain();
  EXPECT_THAT(transport.processes[1].signals, ElementsAre(Signal::kTerminate)) << "not connected";
  advance(options.kill_delay);
  EXPECT_TRUE(is_closed(peer));
  EXPECT_THAT(transport.processes[0].signals, ElementsAre(Signal::kTerminate));
  EXPECT_THAT(transport.processes[1].signals, ElementsAre(Signal::kTerminate, Signal::kKill));
  advance(options.kill_delay);
  EXPECT_THAT(transport.processes[0].signals, ElementsAre(Signal::kTerminate, Signal::kKill));
  exit_spawned(0);
  EXPECT_FALSE(companions->is_drained());
  exit_spawned(1);
  EXPECT_TRUE(companions->is_drained());
  const ConnectionId late = connect();
  say_hello(late, "secret");
  EXPECT_EQ(reject_code(late), ErrorCode::kDraining);
}

}  // namespace
}  // namespace retinue::worker::testing
