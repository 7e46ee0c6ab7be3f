#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <future>
#include <thread>

#include "companion_sdk/core/test_worker.h"
#include "companion_sdk/cpp/connection.h"
#include "protocol/base/capabilities.h"
#include "tests/folder/folder.h"
#include "tests/unit/companion_sdk/cpp/functions.h"

namespace retinue::companion {
namespace {

// A worker on one end of a socket pair; the companion runs on a thread of its own.
class ScriptedWorker : public ::testing::Test {
 protected:
  ScriptedWorker() : worker_(job()) {}
  ~ScriptedWorker() override {
    if (exit_code_.valid()) {
      connection_.reset();
      exit_code_.wait();
    }
    close(stop_);
  }

  static JobSpec job() {
    const auto schema = [](std::vector<Column> columns) {
      return TableSchema::create(std::move(columns)).value();
    };
    JobSpec job;
    job.id = JobId(3);
    job.function = "f";
    job.key_schema = schema({column("word", ColumnType::kString)});
    job.streams = {{"words", StreamRole::kInput, SchemaRevision(1), job.key_schema},
                   {"counts", StreamRole::kOutput, SchemaRevision(1), job.key_schema}};
    return job;
  }

  void start(Scripted::OnMessage on_message) {
    registry_ = scripted({}, std::move(on_message));
    int ends[2];
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    connection_ = std::make_unique<Connection>(ends[0]);
    exit_code_ = std::async(std::launch::async, [this, end = ends[1]] {
      return run_session(
          end, {.companion = "c", .token = "t", .stop_descriptor = stop_, .grace = grace_},
          registry_);
    });
  }
  void welcome_and_open() {
    const Frame hello = next();
    ASSERT_TRUE(hello.envelope().isHello());
    const auto capabilities = hello.envelope().getHello().getCapabilities();
    ASSERT_EQ(capabilities.size(), 1U);
    EXPECT_EQ(capabilities[0], std::string(kHeartbeatAtWork));
    worker_.write_welcome(out_);
    send();
    worker_.write_open_job(out_);
    send();
    ASSERT_TRUE(next().envelope().isJobReady());
  }
  void send_batch(const std::string& text) {
    TestInput input;
    input.stream = "words";
    input.key = input.payload = {text};
    ASSERT_TRUE(worker_.add(input).ok());
    ASSERT_TRUE(worker_.write_batch(out_, Timestamp(1)).ok());
    send();
  }
  // A session whose handler works on a message until it is released.
  void enter_handler(const std::string& text, std::future<void> release) {
    start([this, released = release.share()](const Message&, OutputCollector&, RuntimeContext&) {
      entered_.set_value();
      released.wait();
    });
    welcome_and_open();
    send_batch(text);
    entered_.get_future().wait();
  }
  void send() { ASSERT_TRUE(connection_->send(out_).ok()); }
  Frame next() {
    for (;;) {
      if (auto frame = frames_.next()) {
        return std::move(*frame);
      }
      auto bytes = connection_->receive(frames_.prepare());
      RETINUE_CHECK(bytes.ok() && *bytes > 0 && frames_.commit(*bytes).ok(), "no more frames");
    }
  }

  const int stop_ = eventfd(0, EFD_CLOEXEC);
  Duration grace_ = Duration::seconds(3600);
  Registry registry_;
  TestWorker worker_;
  FrameWriter out_;
  FrameReader frames_;
  std::unique_ptr<Connection> connection_;
  std::promise<void> entered_;
  std::future<int> exit_code_;
};

TEST_F(ScriptedWorker, ServesAndDrains) {
  start([](const Message& m, OutputCollector& out, RuntimeContext&) {
    out.row("counts").set("word", m.get<std::string>("word") + "!").emit();
  });
  welcome_and_open();
  for (int i = 0; i < 3; ++i) {
    send_batch("w" + std::to_string(i));
    auto answer = worker_.read_answer(next());
    ASSERT_TRUE(answer.ok()) << answer.error().to_string();
    EXPECT_EQ(answer->rows("counts"), (std::vector<Row>{{"w" + std::to_string(i) + "!"}}));
  }
  send_batch("last");
  out_.begin().initDrain();
  send();
  EXPECT_TRUE(next().envelope().isBatchDone());
  EXPECT_TRUE(next().envelope().isGoodbye());
  EXPECT_EQ(exit_code_.get(), kExitDone);
}

TEST_F(ScriptedWorker, AnswersPingsWhileAHandlerWorks) {
  std::promise<void> release;
  auto released = release.get_future().share();
  start([released](const Message&, OutputCollector&, RuntimeContext&) { released.wait(); });
  welcome_and_open();
  send_batch("slow");
  out_.begin().initPing().setNonce(11);
  send();
  const Frame pong = next();
  ASSERT_TRUE(pong.envelope().isPong());
  EXPECT_EQ(pong.envelope().getPong().getNonce(), 11U);
  release.set_value();
  EXPECT_TRUE(next().envelope().isBatchDone());
}

// In a process of its own, which ends.
TEST_F(ScriptedWorker, AHandlerThatHangsDoesNotOutliveTheWorker) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto hang = [this] {
    grace_ = Duration();
    std::promise<void> never;
    enter_handler("slow", never.get_future());
    connection_.reset();
    exit_code_.wait();
  };
  EXPECT_EXIT(hang(), ::testing::ExitedWithCode(kExitCutOff), "a handler is not done");
}

TEST_F(ScriptedWorker, AHandlerThatEndsInTimeEndsTheSession) {
  std::promise<void> release;
  enter_handler("slow", release.get_future());
  connection_.reset();
  release.set_value();
  EXPECT_EQ(exit_code_.get(), kExitWorkerGone);
}

TEST_F(ScriptedWorker, StopsAfterTheCurrentBatch) {
  std::promise<void> release;
  enter_handler("current", release.get_future());
  const uint64_t one = 1;
  ASSERT_EQ(write(stop_, &one, sizeof one), static_cast<ssize_t>(sizeof one));
  // A ping that is answered proves that the stop, polled with it or before it, was seen.
  for (int i = 0; i < 2; ++i) {
    out_.begin().initPing().setNonce(1);
    send();
    ASSERT_TRUE(next().envelope().isPong());
  }
  send_batch("never processed");
  release.set_value();
  EXPECT_TRUE(next().envelope().isBatchDone());
  EXPECT_TRUE(next().envelope().isGoodbye());
  EXPECT_EQ(exit_code_.get(), kExitDone);
}

TEST_F(ScriptedWorker, SaysNothingButHelloBeforeTheWelcome) {
  start({});
  ASSERT_TRUE(next().envelope().isHello());
  const uint64_t one = 1;
  ASSERT_EQ(write(stop_, &one, sizeof one), static_cast<ssize_t>(sizeof one));
  EXPECT_EQ(exit_code_.get(), kExitDone);
  auto rest = connection_->receive(frames_.prepare());
  ASSERT_TRUE(rest.ok());
  EXPECT_EQ(*rest, 0U);
}

TEST_F(ScriptedWorker, WorkerThatVanishesIsToldApart) {
  start({});
  welcome_and_open();
  connection_.reset();
  EXPECT_EQ(exit_code_.get(), kExitWorkerGone);
}

TEST_F(ScriptedWorker, WorkerThatSaysGoodbyeIsNoError) {
  start({});
  welcome_and_open();
  out_.begin().initGoodbye().setReason("done");
  send();
  EXPECT_EQ(exit_code_.get(), kExitDone);
}

TEST_F(ScriptedWorker, RejectionIsAnExitCode) {
  start({});
  ASSERT_TRUE(next().envelope().isHello());
  auto error = out_.begin().initReject().initError();
  error.setCode(static_cast<uint16_t>(ErrorCode::kUnauthorized));
  error.setMessage("wrong token");
  send();
  EXPECT_EQ(exit_code_.get(), kExitRejected);
}

TEST_F(ScriptedWorker, GarbageIsAViolation) {
  start({});
  ASSERT_TRUE(next().envelope().isHello());
  const std::string garbage(64, '\xff');
  ASSERT_EQ(write(connection_->descriptor(), garbage.data(), garbage.size()),
            static_cast<ssize_t>(garbage.size()));
  EXPECT_EQ(exit_code_.get(), kExitViolated);
}

TEST_F(ScriptedWorker, ViolationIsAnsweredWithAGoodbye) {
  start({});
  welcome_and_open();
  out_.begin().initBatchDone();
  send();
  EXPECT_TRUE(next().envelope().isGoodbye());
  EXPECT_EQ(exit_code_.get(), kExitViolated);
}

TEST_F(ScriptedWorker, LogsReachTheWorker) {
  start([](const Message&, OutputCollector&, RuntimeContext& context) {
    context.log_error("look", {{"k", "v"}});
  });
  welcome_and_open();
  send_batch("x");
  const Frame log = next();
  ASSERT_TRUE(log.envelope().isLog());
  EXPECT_EQ(log.envelope().getLog().getJob(), 3U);
  EXPECT_TRUE(next().envelope().isBatchDone());
}

// --- run_companion

int run(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "companion");
  std::vector<char*> argv;
  for (std::string& argument : arguments) {
    argv.push_back(argument.data());
  }
  argv.push_back(nullptr);
  const Registry registry;
  return run_companion(static_cast<int>(arguments.size()), argv.data(), registry);
}

TEST(RunCompanion, ExplainsItself) {
  ::unsetenv("RETINUE_SOCKET");
  EXPECT_EQ(run({"--help"}), kExitDone);
  EXPECT_EQ(run({}), kExitUsage);
  EXPECT_EQ(run({"--nonsense"}), kExitUsage);
  EXPECT_EQ(run({"--socket", "/x", "stray"}), kExitUsage);
  EXPECT_EQ(run({"--socket", "no-port"}), kExitUsage);
  EXPECT_EQ(run({"--socket", std::string(300, '/')}), kExitUsage);
  EXPECT_EQ(run({"--socket", "/x", "--connect-timeout", "soon"}), kExitUsage);
  EXPECT_EQ(run({"--socket", "/x", "--token-file", "/nonexistent/token"}), kExitUsage);
}

// A port of this machine that nothing listens on, held until it goes.
class TcpPort {
 public:
  TcpPort() {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    RETINUE_CHECK(bind(descriptor_, reinterpret_cast<sockaddr*>(&address), size) == 0);
    RETINUE_CHECK(getsockname(descriptor_, reinterpret_cast<sockaddr*>(&address), &size) == 0);
    address_ = "127.0.0.1:" + std::to_string(ntohs(address.sin_port));
  }
  ~TcpPort() { close(descriptor_); }
  TcpPort(const TcpPort&) = delete;
  TcpPort& operator=(const TcpPort&) = delete;

  void start_listening() const { RETINUE_CHECK(listen(descriptor_, 1) == 0); }
  const std::string& address() const { return address_; }

 private:
  const int descriptor_ = socket(AF_INET, SOCK_STREAM, 0);
  std::string address_;
};

TEST(ConnectTo, ReachesATcpPort) {
  const TcpPort port;
  EXPECT_EQ(connect_to(port.address()).error().code, ErrorCode::kUnavailable);
  port.start_listening();
  const auto descriptor = connect_to(port.address());
  ASSERT_TRUE(descriptor.ok()) << descriptor.error().to_string();
  close(*descriptor);
}

TEST(RunCompanion, TellsThatNobodyListens) {
  const TcpPort port;
  EXPECT_EQ(run({"--socket", "/nonexistent/worker.sock", "--connect-timeout", "0"}),
            kExitNoConnection);
  EXPECT_EQ(run({"--socket", port.address(), "--connect-timeout", "0"}), kExitNoConnection);
}

TEST(RunCompanion, ConnectsAsTheEnvironmentSays) {
  const testing::Folder folder;
  const std::string path = folder.path("w.sock");
  const int listener = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(listen(listener, 1), 0);
  ::setenv("RETINUE_SOCKET", path.c_str(), 1);
  ::setenv("RETINUE_TOKEN", "from the environment", 1);
  ::setenv("RETINUE_COMPANION", "words", 1);
  std::string token;
  std::thread worker([&] {
    Connection connection(accept(listener, nullptr, nullptr));
    FrameReader frames;
    std::optional<Frame> hello;
    while (!(hello = frames.next())) {
      auto bytes = connection.receive(frames.prepare());
      RETINUE_CHECK(bytes.ok() && *bytes > 0 && frames.commit(*bytes).ok());
    }
    token = hello->envelope().getHello().getToken().cStr();
    FrameWriter out;
    out.begin().initGoodbye();
    RETINUE_CHECK(connection.send(out).ok());
    std::byte rest[64];
    // Until the companion is gone.
    for (auto bytes = connection.receive(rest); bytes.ok() && *bytes > 0;) {
      bytes = connection.receive(rest);
    }
  });
  EXPECT_EQ(run({}), kExitDone);
  worker.join();
  close(listener);
  EXPECT_EQ(token, "from the environment");
  ::unsetenv("RETINUE_SOCKET");
}

}  // namespace
}  // namespace retinue::companion
