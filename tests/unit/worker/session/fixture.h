// A Companions on a fake world: connections and processes are records, a companion's side is played
// by the test.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "protocol/base/capabilities.h"
#include "protocol/base/clock.h"
#include "protocol/frame/frame_reader.h"
#include "protocol/frame/frame_writer.h"
#include "worker/log/log.h"
#include "worker/session/companions.h"
#include "worker/session/hello.h"

namespace retinue::worker::testing {

using wire::Envelope;

inline Frame frame_of(FrameWriter& writer) {
  const std::string bytes = writer.to_bytes();
  auto words = kj::heapArray<capnp::word>(bytes.size() / sizeof(capnp::word));
  std::memcpy(words.begin(), bytes.data(), bytes.size());
  return Frame::open(std::move(words)).value();
}

inline Frame make_frame(const std::function<void(Envelope::Builder)>& fill) {
  FrameWriter writer;
  fill(writer.begin());
  return frame_of(writer);
}

inline TableSchema one_column(std::string name) {
  Column column;
  column.name = std::move(name);
  return TableSchema::create({std::move(column)}).value();
}

class FakeTransport final : public CompanionTransport {
 public:
  struct Connection {
    std::vector<Frame> sent;
    bool is_closed = false;
    bool takes_large_frames = false;
  };
  struct Process {
    SpawnRequest request;
    std::vector<Signal> signals;
    std::string variable(std::string_view name) const {
      std::string value;
      for (const auto& [each, its_value] : request.environment) {
        value = each == name ? its_value : value;
      }
      return value;
    }
  };

  void send(ConnectionId connection, std::unique_ptr<FrameWriter> frame) override {
    EXPECT_FALSE(connections[connection].is_closed) << "sent on a closed connection";
    connections[connection].sent.push_back(frame_of(*frame));
  }
  std::unique_ptr<FrameWriter> take_writer() override { return std::make_unique<FrameWriter>(); }
  void close(ConnectionId connection) override { connections[connection].is_closed = true; }
  void accept_large_frames(ConnectionId connection) override {
    connections[connection].takes_large_frames = true;
  }
  Result<uint64_t> spawn(const SpawnRequest& request) override {
    if (spawn_error) {
      return *spawn_error;
    }
    processes.push_back({request, {}});
    return 1000 + request.process.value();
  }
  void signal(ProcessId process, Signal signal) override {
    for (Process& each : processes) {
      if (each.request.process == process) {
        each.signals.push_back(signal);
      }
    }
  }

  std::map<ConnectionId, Connection> connections;
  std::vector<Process> processes;  // every one ever spawned
  std::optional<Error> spawn_error;
};

class RecordingLog final : public LogSink {
 public:
  void write(const LogEntry& entry) override { entries.push_back(entry); }
  std::vector<LogEntry> entries;
};

class RecordingListener final : public JobListener {
 public:
  void on_job_ready(JobId job) override {
    EXPECT_FALSE(job_) << "ready twice";
    job_ = job;
    events.push_back("ready");
  }
  void on_job_lost(const Error& reason, bool is_suspect) override {
    EXPECT_TRUE(job_) << "lost without being ready";
    job_.reset();
    events.push_back(is_suspect ? "lost, suspect" : "lost");
    last_loss = reason;
  }
  void on_batch_done(Frame frame) override {
    EXPECT_EQ(frame.envelope().getBatchDone().getJob(), job_.value_or(JobId(0)).value());
    events.push_back("done");
    if (on_done) {
      on_done();
    }
  }
  void on_batch_failed(Frame) override { events.push_back("failed"); }

  std::optional<JobId> job() const { return job_; }

  std::vector<std::string> events;
  Error last_loss;
  std::function<void()> on_done;

 private:
  std::optional<JobId> job_;
};

// One computation `count` with `jobs` partitions on companion `words`.
class CompanionsFixture : public ::testing::Test {
 protected:
  CompanionsFixture() {
    spec.name = "pipeline";
    spec.folder = "/spec";
    spec.streams[StreamId("lines")].schema = one_column("word");
    spec.streams[StreamId("counts")].schema = one_column("word");
    companion().command = {"bin/words", "--fast"};
    companion().environment["MODE"] = "test";
    ComputationSpec& count = spec.computations[ComputationId("count")];
    count.companion = CompanionName("words");
    count.processing_function = FunctionName("count_words");
    count.group_by_schema = one_column("word");
    count.input_stream_ids = {StreamId("lines")};
    count.output_stream_ids = {StreamId("counts")};
    options.token = "secret";
    options.socket_address = "/run/w.sock";
    options.environment_file = "/data/companion.env";
  }

  CompanionSpec& companion() { return spec.companions[CompanionName("words")]; }

  void start(uint32_t jobs = 1) {
    companions = std::make_unique<Companions>(spec, options, transport, log, clock);
    for (uint32_t i = 0; i < jobs; ++i) {
      listeners.push_back(std::make_unique<RecordingListener>());
      slots.push_back(
          companions->add_job(ComputationId("count"), PartitionIndex(i), *listeners.back()));
    }
    companions->start();
  }

  ConnectionId connect() {
    const ConnectionId connection(++last_connection);
    transport.connections[connection];
    companions->on_connected(connection);
    return connection;
  }
  void receive(ConnectionId from, const std::function<void(Envelope::Builder)>& fill) {
    companions->on_frame(from, make_frame(fill));
  }
  void say_hello(ConnectionId from, const std::string& token,
                 const std::string& function = "count_words", const std::string& name = "words") {
    receive(from, [&](auto envelope) {
      auto hello = envelope.initHello();
      hello.initMinVersion().setMajor(1);
      hello.initMaxVersion().setMajor(1);
      hello.setToken(token);
      hello.setCompanion(name);
      hello.initFunctions(1)[0].setName(function);
      if (heartbeat_at_work) {
        hello.initCapabilities(1).set(0, std::string(kHeartbeatAtWork));
      }
    });
  }
  // Connects the process that was spawned last.
  ConnectionId connect_spawned() { return connect_spawned(transport.processes.size() - 1); }
  ConnectionId connect_spawned(size_t index) {
    const ConnectionId connection = connect();
    say_hello(connection, transport.processes[index].variable("RETINUE_TOKEN"));
    return connection;
  }
  void exit_spawned(size_t index, std::string_view status = "exited with code 3") {
    companions->on_process_exited(transport.processes[index].request.process, status);
  }

  // The frames of one kind that were sent on a connection.
  std::vector<Envelope::Reader> sent(ConnectionId to, Envelope::Which kind) const {
    std::vector<Envelope::Reader> frames;
    for (const Frame& frame : transport.connections.at(to).sent) {
      if (frame.envelope().which() == kind) {
        frames.push_back(frame.envelope());
      }
    }
    return frames;
  }
  // Answers every OpenJob on a connection that is not answered yet.
  void open_jobs(ConnectionId at) {
    for (const auto& frame : sent(at, Envelope::OPEN_JOB)) {
      const uint64_t job = frame.getOpenJob().getJob();
      if (answered_opens.insert(job).second) {
        receive(at, [&](auto envelope) { envelope.initJobReady().setJob(job); });
      }
    }
  }
  void ship(size_t job) {
    auto writer = companions->take_writer();
    writer->begin().initBatch().setJob(companions->job_id(slots[job])->value());
    companions->ship(slots[job], std::move(writer));
  }
  void answer(ConnectionId from, JobId job) {
    receive(from, [&](auto envelope) { envelope.initBatchDone().setJob(job.value()); });
  }
  void advance(Duration by) {
    clock.advance(by);
    companions->tick();
  }
  bool is_closed(ConnectionId connection) { return transport.connections[connection].is_closed; }
  // The code of the one Reject that was sent.
  ErrorCode reject_code(ConnectionId to) {
    const auto rejects = sent(to, Envelope::REJECT);
    EXPECT_EQ(rejects.size(), 1u);
    return rejects.empty() ? ErrorCode::kInternal
                           : static_cast<ErrorCode>(rejects[0].getReject().getError().getCode());
  }
  CompanionStatus status() const { return companions->status().at(0); }

  PipelineSpec spec;
  CompanionsOptions options;
  FakeTransport transport;
  RecordingLog log;
  ManualClock clock;
  std::vector<std::unique_ptr<RecordingListener>> listeners;
  std::vector<JobSlot> slots;
  std::unique_ptr<Companions> companions;
  uint64_t last_connection = 0;
  bool heartbeat_at_work = false;  // of those who say Hello from now on
  std::set<uint64_t> answered_opens;
};

}  // namespace retinue::worker::testing
