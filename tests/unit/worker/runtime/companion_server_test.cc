#include "worker/runtime/companion_server.h"

#include <sys/stat.h>
#include <sys/wait.h>

#include <fstream>
#include <random>

#include "tests/unit/worker/runtime/fixture.h"
#include "worker/runtime/listening_socket.h"

namespace retinue::worker::testing {
namespace {

using ::testing::HasSubstr;

// False for a zombie, too: whoever adopted it may be slow to reap it.
bool is_running(int pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string state;
  for (int i = 0; i < 3; ++i) {
    stat >> state;
  }
  return stat && state != "Z" && state != "X";
}

class CompanionServerTest : public ::testing::Test {
 protected:
  CompanionServerTest() {
    log.on_write = [this] { loop.wake(); };
    server.report_to(events);
    EXPECT_TRUE(server.listen(path));
  }

  ::testing::AssertionResult until(const std::function<bool()>& condition) {
    return run_until(loop, condition);
  }
  Result<uint64_t> spawn(std::vector<std::string> command, uint64_t id = 1) {
    SpawnRequest request;
    request.process = ProcessId(id);
    request.companion = CompanionName("words");
    request.index = 2;
    request.command = std::move(command);
    request.environment = {{"GREETING", "hello there"}};
    request.working_directory = folder.path().string();
    request.spec_path = "/companions/words";
    return server.spawn(request);
  }
  ::testing::AssertionResult until_exited(uint64_t id = 1) {
    return until([&] { return events.exited.contains(ProcessId(id)); });
  }

  retinue::testing::Folder folder;
  const std::filesystem::path path = folder.path() / "worker.sock";
  RecordingLog log;
  RecordingEvents events;
  EventLoop loop;
  CompanionServer server{loop, log, {.outgoing_bytes_limit = size_t{1} << 20}};
};

// --- the socket

TEST_F(CompanionServerTest, OnlyTheUserMayConnect) {
  struct stat status = {};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
}

TEST_F(CompanionServerTest, ASocketThatIsAnsweredIsNotTaken) {
  const Result<int> second = bind_unix_socket(path);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::kDirectoryInUse);
}

TEST_F(CompanionServerTest, AStaleSocketIsReplaced) {
  const auto stale = folder.path() / "stale.sock";
  ::close(bind_unix_socket(stale).value());  // as a killed worker leaves it
  ASSERT_TRUE(std::filesystem::exists(stale));
  CompanionServer second(loop, log);
  second.report_to(events);
  EXPECT_TRUE(second.listen(stale));
  Peer peer(stale);
  EXPECT_TRUE(until([&] { return events.connected.size() == 1; }));
}

TEST_F(CompanionServerTest, AFileThatIsNoSocketIsLeftAlone) {
  const auto file = folder.path() / "notes.txt";
  std::ofstream(file) << "mine";
  const Result<int> bound = bind_unix_socket(file);
  ASSERT_FALSE(bound);
  EXPECT_THAT(bound.error().message, HasSubstr("is no socket"));
  EXPECT_EQ(std::filesystem::file_size(file), 4u);
}

TEST_F(CompanionServerTest, APathThatIsTooLongIsRefusedWithTheBound) {
  const Result<int> bound = bind_unix_socket("/tmp/" + std::string(103, 'x'));
  ASSERT_FALSE(bound);
  EXPECT_EQ(bound.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(bound.error().message, HasSubstr("107"));
}

TEST(ListeningSocket, IsGoneWithItsServer) {
  const retinue::testing::Folder folder;
  RecordingLog log;
  RecordingEvents events;
  EventLoop loop;
  {
    CompanionServer server(loop, log);
    server.report_to(events);
    ASSERT_TRUE(server.listen(folder.path() / "s"));
  }
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "s"));
}

// --- frames

TEST_F(CompanionServerTest, FramesGoBothWays) {
  Peer peer(path);
  peer.write(ping_bytes(1) + ping_bytes(2));
  ASSERT_TRUE(until([&] { return events.frames.size() == 2; }));
  EXPECT_EQ(events.frames[1].second.envelope().getPing().getNonce(), 2u);
  for (uint64_t nonce = 7; nonce < 9; ++nonce) {
    auto writer = server.take_writer();
    writer->begin().initPong().setNonce(nonce);
    server.send(events.connected[0], std::move(writer));
  }
  server.close(events.connected[0]);
  EXPECT_EQ(peer.read()->envelope().getPong().getNonce(), 7u);
  EXPECT_EQ(peer.read()->envelope().getPong().getNonce(), 8u);
  settle(loop);
  EXPECT_FALSE(peer.read()) << "closed";
  EXPECT_TRUE(events.disconnected.empty());
}

TEST_F(CompanionServerTest, AFrameMayComeByteByByte) {
  Peer peer(path);
  const std::string bytes = ping_bytes(5);
  for (size_t i = 0; i + 1 < bytes.size(); ++i) {
    peer.write(bytes.substr(i, 1));
    settle(loop);
    ASSERT_TRUE(events.frames.empty());
  }
  peer.write(bytes.substr(bytes.size() - 1));
  EXPECT_TRUE(until([&] { return events.frames.size() == 1; }));
}

TEST_F(CompanionServerTest, AHangUpIsReportedAfterTheFramesBeforeIt) {
  Peer peer(path);
  peer.write(ping_bytes(1));
  peer.hang_up();
  ASSERT_TRUE(until([&] { return !events.disconnected.empty(); }));
  EXPECT_EQ(events.frames.size(), 1u);
  EXPECT_EQ(events.disconnected[0].second.code, ErrorCode::kConnectionClosed);
}

TEST_F(CompanionServerTest, HalfAFrameIsNoFrame) {
  Peer peer(path);
  peer.write(ping_bytes(1).substr(0, 12));
  peer.hang_up();
  ASSERT_TRUE(until([&] { return !events.disconnected.empty(); }));
  EXPECT_TRUE(events.frames.empty());
  EXPECT_THAT(events.disconnected[0].second.message, HasSubstr("in the middle of a message"));
}

TEST_F(CompanionServerTest, AnAnnouncedFrameOverTheBoundEndsTheConnection) {
  Peer peer(path);
  const uint32_t head[2] = {0, (limits::kHelloBytesLimit / 8) + 1};
  peer.write({reinterpret_cast<const char*>(head), sizeof head});
  ASSERT_TRUE(until([&] { return !events.disconnected.empty(); }));
  EXPECT_EQ(events.disconnected[0].second.code, ErrorCode::kLimitExceeded);
  EXPECT_FALSE(peer.read());
}

TEST_F(CompanionServerTest, LargeFramesPassOnceTheyAreAccepted) {
  Peer peer(path);
  ASSERT_TRUE(until([&] { return !events.connected.empty(); }));
  server.accept_large_frames(events.connected[0]);
  FrameWriter writer;
  writer.begin().initGoodbye().setReason(std::string(2 * limits::kHelloBytesLimit, 'x'));
  const std::string bytes = writer.to_bytes();
  size_t written = 0;
  ASSERT_TRUE(until([&] {  // as much a turn as the socket surely takes
    loop.wake();
    if (written < bytes.size()) {
      const auto piece = std::string_view(bytes).substr(written, 16 << 10);
      peer.write(piece);
      written += piece.size();
    }
    return !events.frames.empty();
  }));
  EXPECT_EQ(events.frames[0].second.byte_size(), bytes.size());
}

TEST_F(CompanionServerTest, RandomBytesHarmNobodyElse) {
  Peer good(path);
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    Peer bad(path);
    std::string bytes(64, '\0');
    for (char& byte : bytes) {
      byte = static_cast<char>(random());
    }
    bad.write(bytes);
    bad.hang_up();
  }
  ASSERT_TRUE(until([&] { return events.disconnected.size() == 50; }));
  good.write(ping_bytes(3));
  EXPECT_TRUE(until([&] { return events.frames.size() == 1; }));
}

TEST_F(CompanionServerTest, NothingIsReportedAfterClose) {
  Peer peer(path);
  events.on_each_frame = [&](ConnectionId connection) { server.close(connection); };
  peer.write(ping_bytes(1) + ping_bytes(2));
  ASSERT_TRUE(until([&] { return !events.frames.empty(); }));
  EXPECT_FALSE(peer.read());
  EXPECT_EQ(events.frames.size(), 1u);
  EXPECT_TRUE(events.disconnected.empty());
}

TEST_F(CompanionServerTest, APeerThatDoesNotReadIsCutOff) {
  Peer peer(path);
  ASSERT_TRUE(until([&] { return !events.connected.empty(); }));
  for (int i = 0; i < 64; ++i) {
    auto writer = server.take_writer();
    writer->begin().initGoodbye().setReason(std::string(64 << 10, 'x'));
    server.send(events.connected[0], std::move(writer));
    EXPECT_TRUE(events.disconnected.empty()) << "not from within send()";
  }
  ASSERT_TRUE(until([&] { return !events.disconnected.empty(); }));
  EXPECT_EQ(events.disconnected[0].second.code, ErrorCode::kLimitExceeded);
}

// --- processes

TEST_F(CompanionServerTest, AProcessRunsWithItsEnvironmentAndItsExitIsTold) {
  ASSERT_TRUE(spawn({"sh", "-c", "echo \"$GREETING\"; pwd; echo oops >&2; exit 3"}));
  ASSERT_TRUE(until_exited());
  EXPECT_EQ(events.exited[ProcessId(1)], "exited with code 3");
  EXPECT_TRUE(log.has("[words/2] hello there"));
  EXPECT_TRUE(log.has("[words/2] " + std::filesystem::canonical(folder.path()).string()));
  EXPECT_TRUE(log.has("[words/2] oops"));
}

TEST_F(CompanionServerTest, AProcessThatHangsIsKilledWithWhatItStarted) {
  ASSERT_TRUE(spawn({"sh", "-c", "trap '' TERM; sleep 1000 & echo $!; wait; sleep 1000"}));
  ASSERT_TRUE(until([&] { return !log.messages.empty(); }));
  const int child = std::stoi(log.messages[0].substr(std::strlen("[words/2] ")));
  server.signal(ProcessId(1), CompanionTransport::Signal::kTerminate);
  server.signal(ProcessId(1), CompanionTransport::Signal::kKill);
  ASSERT_TRUE(until_exited());
  EXPECT_EQ(events.exited[ProcessId(1)], "was killed by signal 9 (Killed)");
  EXPECT_TRUE(until([&] {
    loop.wake();
    return !is_running(child);
  }));
}

TEST_F(CompanionServerTest, TerminateIsASignalToTheProcess) {
  ASSERT_TRUE(spawn({"sh", "-c", "trap 'exit 5' TERM; echo ready; while :; do sleep 0.01; done"}));
  ASSERT_TRUE(until([&] { return log.has("[words/2] ready"); }));
  server.signal(ProcessId(1), CompanionTransport::Signal::kTerminate);
  ASSERT_TRUE(until_exited());
  EXPECT_EQ(events.exited[ProcessId(1)], "exited with code 5");
}

TEST_F(CompanionServerTest, AProgramThatIsNotThereIsNamed) {
  const auto outcome = spawn({"/nowhere/words"});
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(outcome.error().message,
            "/nowhere/words: no such file or directory. Correct /companions/words/command");
}

TEST_F(CompanionServerTest, AFileThatIsNoProgramIsNamed) {
  const auto file = folder.path() / "data";
  std::ofstream(file) << "no program";
  const auto outcome = spawn({file.string()});
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::kInvalidSpec);
  EXPECT_THAT(outcome.error().message, HasSubstr("permission denied (is it executable?)"));
}

TEST_F(CompanionServerTest, AWorkingFolderThatIsNotThereIsNamed) {
  SpawnRequest request;
  request.command = {"true"};
  request.working_directory = "/nowhere/at/all";
  request.spec_path = "/companions/words";
  const auto outcome = server.spawn(request);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().message,
            "its working directory /nowhere/at/all is not there. Correct "
            "/companions/words/working_directory");
}

TEST(CompanionServerEnd, KillsWhatRuns) {
  EventLoop loop;
  RecordingLog log;
  RecordingEvents events;
  uint64_t pid = 0;
  {
    CompanionServer server(loop, log);
    server.report_to(events);
    SpawnRequest request;
    request.command = {"sleep", "1000"};
    pid = server.spawn(request).value();
  }
  int status = 0;
  ASSERT_EQ(::waitpid(static_cast<pid_t>(pid), &status, 0), static_cast<pid_t>(pid));
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_TRUE(events.exited.empty());
}

}  // namespace
}  // namespace retinue::worker::testing
