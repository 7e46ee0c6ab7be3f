#include "tests/unit/worker/engine/world.h"

#include <algorithm>

namespace retinue::worker::testing {

using wire::Envelope;

void HeldCommits::store(size_t count) {
  for (; count > 0 && !pending_.empty(); --count) {
    std::unique_ptr<EpochCommit> commit = std::move(pending_.front());
    pending_.pop_front();
    Result<void> result;
    if (failure_) {
      result = *failure_;
    } else {
      const EpochCommit* const one = commit.get();
      result = store_.commit({&one, 1}, true);
      if (!result) {
        failure_ = result.error();
      }
    }
    done_.push_back({.commit = std::move(commit), .result = std::move(result)});
  }
}

// --- source and sinks

struct World::Feed final : public ChunkFeed {
  Feed(World& world, const std::string& position)
      : world_(world), next_(position.empty() ? 0 : std::stoul(position)) {}

  std::optional<Result<std::unique_ptr<SourceChunk>>> take() override {
    if (ready_.empty()) {
      return std::nullopt;
    }
    Result<std::unique_ptr<SourceChunk>> taken = std::move(ready_.front());
    ready_.pop_front();
    return taken;
  }
  void recycle(std::unique_ptr<SourceChunk> chunk) override { chunk->partition = "recycled"; }

  bool give(uint32_t rows) {
    if (is_over_) {
      return false;
    }
    auto chunk = std::make_unique<SourceChunk>();
    chunk->partition = "-";
    chunk->rows = RowBatchBuilder(world_.spec.streams.at(StreamId("lines")).schema);
    for (; rows > 0 && next_ < world_.lines_.size() && next_ != world_.bad_line; --rows, ++next_) {
      chunk->rows.set_bytes(ColumnIndex(0), world_.lines_[next_]);
      chunk->rows.finish_row();
    }
    chunk->position = std::to_string(next_);
    chunk->bytes_done = next_;
    // The end is known with the last rows, or only after them.
    is_over_ = chunk->is_last = next_ == world_.lines_.size() && rows != 0;
    ready_.emplace_back(std::move(chunk));
    if (next_ == world_.bad_line) {
      ready_.emplace_back(Error{ErrorCode::kInvalidRecord, "bad line"});
      is_over_ = true;
    }
    return true;
  }

 private:
  World& world_;
  size_t next_;
  bool is_over_ = false;
  std::deque<Result<std::unique_ptr<SourceChunk>>> ready_;
};

struct World::FakeSink final : public Sink {
  FakeSink(World& world, std::vector<Row>& rows) : world_(world), rows_(rows) {}

  Result<void> examine(std::string_view position) override {
    EXPECT_TRUE(!position.empty() || rows_.empty()) << "output that nobody has a position of";
    length_ = position.empty() ? 0 : std::stoul(std::string(position));
    EXPECT_LE(length_, rows_.size()) << "committed output is gone";
    return {};
  }
  Result<void> restore() override {
    rows_.resize(std::min(length_, rows_.size()));
    return {};
  }
  Result<void> append(std::string_view stream, const TableSchema& schema, const RowBatchView& rows,
                      uint32_t begin, uint32_t end) override {
    EXPECT_EQ(schema, world_.spec.streams.at(StreamId(stream)).schema);
    for (uint32_t row = begin; row < end; ++row) {
      rows_.push_back(row_at(rows, row));
    }
    return {};
  }
  Result<std::string> flush() override {
    if (world_.next_sink_failure) {
      return *std::exchange(world_.next_sink_failure, std::nullopt);
    }
    return std::to_string(rows_.size());
  }

 private:
  World& world_;
  std::vector<Row>& rows_;
  size_t length_ = 0;
};

// --- the worker

EngineDependencies World::dependencies() {
  return {.spec = spec,
          .store = store,
          .companions = *run_->companions,
          .clock = clock,
          .log = run_->log,
          .wake = [] {},
          .run_blocking =
              [this](std::function<void()> work, std::function<void()> done) {
                run_->tasks.push_back({std::move(work), std::move(done)});
              },
          .open_source = [this](const SourceOpening& opening) -> Result<OpenedSource> {
            auto feed = std::make_unique<Feed>(*this, opening.position);
            run_->feed = feed.get();
            return OpenedSource{.feed = std::move(feed), .total_bytes = lines_.size(), .paths = {}};
          },
          .open_sink = [this](const SinkSpec& sink,
                              PartitionIndex partition) -> Result<std::unique_ptr<Sink>> {
            const auto end = sink.path.find('-');
            const std::string name = sink.path.substr(1, end == std::string::npos ? end : end - 1);
            return std::unique_ptr<Sink>(
                std::make_unique<FakeSink>(*this, sinks_[{name, partition.value()}]));
          },
          .open_commits = [this]() -> std::unique_ptr<Commits> {
            auto commits = std::make_unique<HeldCommits>(store);
            run_->commits = commits.get();
            return commits;
          }};
}

void World::make_passthrough() {
  ComputationSpec& read = spec.computations.at(ComputationId("read"));
  read.kind = ComputationKind::kPassthroughSource;
  read.source_stream_id = StreamId("words");
  read.output_stream_ids = {};
  read.internal_states.clear();
  spec.streams.at(StreamId("lines")).schema = spec.streams.at(StreamId("words")).schema;
}

Result<void> World::try_start() {
  run_ = std::make_unique<Run>();
  run_->companions = std::make_unique<Companions>(
      spec,
      CompanionsOptions{.token = "secret", .socket_address = "/w.sock", .environment_file = ""},
      run_->transport, run_->log, clock);
  RETINUE_ASSIGN(run_->engine, Engine::create(dependencies()));
  run_->companions->start();
  turn();
  return {};
}

void World::start() {
  const auto started = try_start();
  ASSERT_TRUE(started.ok()) << started.error().to_string();
}

void World::crash() {
  run_.reset();
}

void World::turn() {
  run_->engine->turn();
}

void World::advance(Duration by) {
  clock.advance(by);
  run_->companions->tick();
  turn();
}

void World::store_commits(size_t count) {
  run_->commits->store(count);
  turn();
}

bool World::give_lines(uint32_t rows) {
  if (!run_->feed->give(rows)) {
    return false;
  }
  turn();
  return true;
}

bool World::do_blocking_work() {
  if (run_->tasks.empty()) {
    return false;
  }
  Task& task = run_->tasks.front();
  if (!std::exchange(task.is_worked, true)) {
    task.work();
    return true;
  }
  const std::function<void()> done = std::move(task.done);
  run_->tasks.pop_front();
  done();
  turn();
  return true;
}

// --- companions

size_t World::live_processes() const {
  return run_->transport.processes.size() - run_->exited.size();
}

void World::connect_all() {
  for (size_t i = 0; i < run_->transport.processes.size(); ++i) {
    if (run_->exited.contains(i) || !run_->connected.insert(i).second) {
      continue;
    }
    const ConnectionId connection(++run_->last_connection);
    run_->transport.connections[connection];
    run_->peers[connection].process = i;
    run_->companions->on_connected(connection);
    answer(connection, [&](Envelope::Builder envelope) {
      auto hello = envelope.initHello();
      hello.initMinVersion().setMajor(1);
      hello.initMaxVersion().setMajor(1);
      hello.setToken(run_->transport.processes[i].variable("RETINUE_TOKEN"));
      hello.setCompanion("words");
      auto functions = hello.initFunctions(5);
      functions[0].setName("split");
      functions[1].setName("count");
      functions[2].setName("sizes");
      functions[3].setName("branch");
      functions[4].setName("pass");
    });
  }
}

void World::answer(ConnectionId from, const std::function<void(Envelope::Builder)>& fill) {
  run_->companions->on_frame(from, make_frame(fill));
  turn();
}

bool World::companions_step() {
  std::vector<ConnectionId> ready;
  for (auto& [connection, peer] : run_->peers) {
    const auto& wire = run_->transport.connections[connection];
    if (!wire.is_closed && peer.next_frame < wire.sent.size()) {
      ready.push_back(connection);
    }
  }
  for (const ConnectionId connection : ready) {
    const auto peer = run_->peers.find(connection);
    const auto& wire = run_->transport.connections[connection];
    if (peer == run_->peers.end() || wire.is_closed) {
      continue;
    }
    // Copied, for what is handled may send more.
    FrameWriter writer;
    const Envelope::Reader sent = wire.sent[peer->second.next_frame++].envelope();
    const std::string bytes = [&] {
      capnp::MallocMessageBuilder copy;
      copy.setRoot(sent);
      const auto words = capnp::messageToFlatArray(copy);
      return std::string(words.asChars().begin(), words.asChars().size());
    }();
    auto words = kj::heapArray<capnp::word>(bytes.size() / sizeof(capnp::word));
    std::memcpy(words.begin(), bytes.data(), bytes.size());
    const Frame frame = Frame::open(std::move(words)).value();
    handle(connection, peer->second, frame.envelope());
  }
  return !ready.empty();
}

void World::handle(ConnectionId from, Peer& peer, Envelope::Reader message) {
  switch (message.which()) {
    case Envelope::OPEN_JOB: {
      auto job = companion::read_open_job(message.getOpenJob());
      ASSERT_TRUE(job.ok()) << job.error().to_string();
      const uint64_t id = job->id.value();
      peer.functions[id] = job->function;
      peer.jobs[id] = std::make_unique<ScriptedJob>(std::move(job).value());
      return answer(from, [&](Envelope::Builder out) { out.initJobReady().setJob(id); });
    }
    case Envelope::PING:
      return answer(from, [&](Envelope::Builder out) {
        out.initPong().setNonce(message.getPing().getNonce());
      });
    case Envelope::BATCH: {
      const wire::Batch::Reader batch = message.getBatch();
      if (on_batch && on_batch(peer.functions.at(batch.getJob()), from, batch)) {
        return;
      }
      ScriptedJob& job = *peer.jobs.at(batch.getJob());
      return answer(from, [&](Envelope::Builder out) { job.process(batch, out.initBatchDone()); });
    }
    default: return;
  }
}

void World::fail_batch(ConnectionId to, wire::Batch::Reader batch, std::string message,
                       std::optional<uint32_t> order) {
  answer(to, [&](Envelope::Builder out) {
    auto failed = out.initBatchFailed();
    failed.setJob(batch.getJob());
    failed.setEpoch(batch.getEpoch());
    failed.setAttempt(batch.getAttempt());
    failed.initError().setCode(static_cast<uint16_t>(ErrorCode::kUserCodeFailed));
    failed.getError().setMessage(message);
    failed.setHasInput(order.has_value());
    failed.setOrder(order.value_or(0));
    failed.setExceptionType("Oops");
    failed.setTrace("trace of it");
  });
}

void World::crash_companion(size_t index) {
  for (const auto& [connection, peer] : run_->peers) {
    if (!run_->exited.contains(peer.process) && index-- == 0) {
      lose_process(connection);
      return;
    }
  }
}

void World::crash_companion_of(ConnectionId connection) {
  if (run_->peers.contains(connection)) {
    lose_process(connection);
  }
}

void World::lose_process(ConnectionId lost) {
  const size_t process = run_->peers.at(lost).process;
  const bool was_closed = run_->transport.connections[lost].is_closed;
  run_->exited.insert(process);
  run_->peers.erase(lost);
  if (!was_closed) {
    run_->companions->on_disconnected(lost, {ErrorCode::kConnectionClosed, "it closed"});
    turn();
  }
  run_->companions->on_process_exited(run_->transport.processes[process].request.process,
                                      "was killed by signal 9 (Killed)");
  turn();
}

void World::obey_signals() {
  for (size_t i = 0; i < run_->transport.processes.size(); ++i) {
    if (!run_->transport.processes[i].signals.empty() && run_->exited.insert(i).second) {
      std::erase_if(run_->peers, [&](const auto& entry) { return entry.second.process == i; });
      run_->companions->on_process_exited(run_->transport.processes[i].request.process,
                                          "exited with code 0");
      turn();
    }
  }
}

void World::settle() {
  for (bool moved = true; moved;) {
    moved = false;
    connect_all();
    moved |= companions_step();
    moved |= do_blocking_work();
    if (pending_commits() > 0) {
      store_commits();
      moved = true;
    }
  }
}

void World::run_to_end() {
  for (int i = 0; i < 10'000 && state() == Engine::State::kRunning; ++i) {
    settle();
    if (!give_lines(2)) {
      obey_signals();
      advance(Duration::milliseconds(500));
    }
  }
  settle();
}

}  // namespace retinue::worker::testing
