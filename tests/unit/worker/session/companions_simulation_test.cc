// Random companions: they come, crash, hang, freeze, break the protocol and exit in any order.
// Whatever they do, a job is open at one place at most, and every job is open again once they
// behave. Those with a heartbeat at work are found by their silence when they are frozen, and never
// accused of it otherwise.
#include <random>

#include "tests/unit/worker/session/fixture.h"

namespace retinue::worker::testing {
namespace {

using Signal = CompanionTransport::Signal;

class Simulation : public CompanionsFixture, public ::testing::WithParamInterface<uint32_t> {
 protected:
  struct Peer {
    size_t process;  // in transport.processes
    std::set<uint64_t> jobs_out;
    bool has_heartbeat = false;
    bool is_frozen = false;
    std::optional<Duration> unanswered_since = {};  // of a frozen one: its first ping since
  };

  uint32_t pick(size_t count) { return static_cast<uint32_t>(random_() % count); }

  void begin(uint32_t jobs) {
    companion().processes = 1 + pick(3);
    start(jobs);
  }

  bool runs(size_t process) const { return !ended_.contains(process); }

  void connect_someone() {
    for (size_t i = 0; i < transport.processes.size(); ++i) {
      const bool has_connected =
          std::ranges::any_of(ever_connected_, [&](size_t each) { return each == i; });
      if (runs(i) && !has_connected) {
        ever_connected_.insert(i);
        heartbeat_at_work = pick(2) == 0;
        peers_[connect_spawned(i)] = {i, {}, heartbeat_at_work};
        return;
      }
    }
  }
  void disconnect(ConnectionId peer) {
    peers_.erase(peer);
    companions->on_disconnected(peer, {ErrorCode::kConnectionClosed, "closed its connection"});
  }
  void exit_process(size_t process) {
    ended_.insert(process);
    exit_spawned(process);
    forget_closed();
  }
  // A process that was sent SIGKILL ends; one that was sent SIGTERM may.
  void obey_signals(bool at_once) {
    for (size_t i = 0; i < transport.processes.size(); ++i) {
      const auto& signals = transport.processes[i].signals;
      const bool is_killed = !signals.empty() && signals.back() == Signal::kKill;
      if (runs(i) && !signals.empty() && (is_killed || at_once || pick(2) == 0)) {
        exit_process(i);
      }
    }
  }
  void freeze(ConnectionId connection) { peers_.at(connection).is_frozen = true; }
  std::vector<ConnectionId> awake() const {
    std::vector<ConnectionId> connections;
    for (const auto& [connection, peer] : peers_) {
      if (!peer.is_frozen) {
        connections.push_back(connection);
      }
    }
    return connections;
  }
  // A tick, and what peers that are awake do about its pings.
  void pass(Duration time) {
    advance(time);
    last_tick_ = clock.monotonic();
    for (auto& [connection, peer] : peers_) {
      if (is_closed(connection)) {
        silent_ += peer.unanswered_since || !peer.has_heartbeat ? 1 : 0;
        continue;
      }
      const size_t pings = sent(connection, Envelope::PING).size();
      const bool is_pinged = pings > std::exchange(pings_[connection], pings);
      if (peer.is_frozen && is_pinged && !peer.unanswered_since) {
        peer.unanswered_since = last_tick_;
      } else if (peer.has_heartbeat && !peer.is_frozen) {
        receive(connection, [](auto envelope) { envelope.initPong(); });
      }
    }
    forget_closed();
  }
  void check_heartbeats() {
    for (const auto& [connection, peer] : peers_) {
      ASSERT_FALSE(peer.has_heartbeat && peer.unanswered_since &&
                   last_tick_ >= *peer.unanswered_since + options.heartbeat_timeout)
          << "a frozen companion is found, whatever it has out";
    }
    const auto accusations = std::ranges::count_if(log.entries, [](const LogEntry& entry) {
      return std::ranges::any_of(entry.fields, [](const LogField& field) {
        return std::string_view(field.value).starts_with("did not answer a ping");
      });
    });
    ASSERT_LE(accusations, silent_) << "only those who did not answer a ping are";
  }
  void forget_closed() {
    std::erase_if(peers_, [&](const auto& entry) { return is_closed(entry.first); });
  }
  void ship_all() {
    for (size_t i = 0; i < slots.size(); ++i) {
      const auto job = companions->job_id(slots[i]);
      if (!job) {
        continue;
      }
      for (auto& [connection, peer] : peers_) {
        if (holds(connection, *job) && peer.jobs_out.insert(job->value()).second) {
          ship(i);
        }
      }
    }
  }
  void answer_one(ConnectionId connection) {
    Peer& peer = peers_.at(connection);
    if (makes_progress_ && !peer.jobs_out.empty()) {
      const JobId job(*peer.jobs_out.begin());
      peer.jobs_out.erase(job.value());
      answer(connection, job);
      for (size_t i = 0; i < slots.size(); ++i) {
        if (companions->job_id(slots[i]) == job) {
          companions->note_progress(slots[i]);
        }
      }
    }
  }
  bool holds(ConnectionId connection, JobId job) const {
    return std::ranges::any_of(sent(connection, Envelope::OPEN_JOB), [&](const auto& frame) {
      return frame.getOpenJob().getJob() == job.value();
    });
  }

  void check_invariants() {
    std::set<JobId> ids;
    for (size_t i = 0; i < slots.size(); ++i) {
      const auto job = companions->job_id(slots[i]);
      ASSERT_EQ(job, listeners[i]->job()) << "the listener knows what is so";
      if (job) {
        ASSERT_TRUE(ids.insert(*job).second) << "an id of two jobs";
        const auto holders = std::ranges::count_if(
            peers_, [&](const auto& entry) { return holds(entry.first, *job); });
        ASSERT_EQ(holders, 1) << "open on one live session";
      }
    }
    ASSERT_FALSE(companions->next_wakeup() && *companions->next_wakeup() < last_tick_)
        << "tick() has done what was due";
    ASSERT_NO_FATAL_FAILURE(check_heartbeats());
  }

  void step() {
    const std::vector<ConnectionId> all = awake();
    const uint32_t action = pick(100);
    if (action < 30) {
      connect_someone();
    } else if (action < 35 && !all.empty()) {
      disconnect(all[pick(all.size())]);
    } else if (action < 40 && !transport.processes.empty()) {
      const size_t process = pick(transport.processes.size());
      if (runs(process)) {
        exit_process(process);
      }
    } else if (action < 43 && !all.empty()) {
      receive(all[pick(all.size())], [](auto envelope) { envelope.initBatch(); });
    } else if (action < 45 && !all.empty()) {
      freeze(all[pick(all.size())]);
    } else if (action < 60 && !all.empty()) {
      open_jobs(all[pick(all.size())]);
    } else if (action < 70) {
      ship_all();
    } else if (action < 88 && !all.empty()) {
      answer_one(all[pick(all.size())]);
    } else {
      const int64_t seconds[] = {0, 1, 1, 2, 30, 70};
      pass(Duration::seconds(seconds[pick(6)]));
      obey_signals(false);
    }
    forget_closed();
  }

  void behave() {
    for (int round = 0; round < 200; ++round) {
      obey_signals(true);
      pass(Duration::seconds(1));
      for (int i = 0; i < 3; ++i) {
        connect_someone();
      }
      for (const ConnectionId connection : awake()) {
        open_jobs(connection);
        receive(connection, [](auto envelope) { envelope.initPong(); });
        while (peers_.contains(connection) && !peers_.at(connection).jobs_out.empty()) {
          answer_one(connection);
        }
      }
      // Those that closed their connection and linger.
      for (size_t i = 0; i < transport.processes.size(); ++i) {
        const bool has_peer = std::ranges::any_of(
            peers_, [&](const auto& entry) { return entry.second.process == i; });
        if (runs(i) && ever_connected_.contains(i) && !has_peer) {
          exit_process(i);
        }
      }
    }
  }

  std::mt19937 random_{GetParam()};
  std::map<ConnectionId, Peer> peers_;
  bool makes_progress_ = true;
  std::map<ConnectionId, size_t> pings_;  // seen by a peer
  int64_t silent_ = 0;                    // peers that did not answer pings, and are closed
  std::set<size_t> ever_connected_;
  std::set<size_t> ended_;
  Duration last_tick_;
};

TEST_P(Simulation, JobsAreOpenOnceAndComeBack) {
  companion().restarts_without_progress_max = 1'000'000;
  begin(1 + pick(7));
  for (int i = 0; i < 300; ++i) {
    step();
    ASSERT_NO_FATAL_FAILURE(check_invariants()) << "step " << i;
  }
  behave();
  ASSERT_NO_FATAL_FAILURE(check_invariants());
  EXPECT_FALSE(companions->fatal_error()) << companions->fatal_error()->message;
  for (const auto& listener : listeners) {
    EXPECT_TRUE(listener->job()) << "open again";
  }
  EXPECT_EQ(status().processes_connected, companion().processes);

  std::vector<size_t> told;
  for (const auto& listener : listeners) {
    told.push_back(listener->events.size());
  }
  companions.reset();
  for (size_t i = 0; i < listeners.size(); ++i) {
    EXPECT_EQ(listeners[i]->events.size(), told[i]);
  }
}

TEST_P(Simulation, WithoutProgressTheBudgetEndsIt) {
  companion().restarts_without_progress_max = 1 + pick(4);
  makes_progress_ = false;
  begin(1 + pick(3));
  const size_t spawns_max = companion().processes * (companion().restarts_without_progress_max + 1);
  for (int i = 0; i < 3000 && !companions->fatal_error(); ++i) {
    const uint32_t action = pick(88);
    if (action >= 30 && action < 60) {
      step();
    } else {
      connect_someone();
      obey_signals(true);
      const size_t process = pick(transport.processes.size());
      if (runs(process) && pick(3) == 0) {
        exit_process(process);
      }
      pass(companion().restart_delay_max);
    }
  }
  EXPECT_TRUE(companions->fatal_error());
  EXPECT_LE(transport.processes.size(), spawns_max + companion().processes);
}

INSTANTIATE_TEST_SUITE_P(Seeds, Simulation, ::testing::Range(1u, 61u));

}  // namespace
}  // namespace retinue::worker::testing
