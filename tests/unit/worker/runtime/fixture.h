// An event loop that runs until something is so, and the world it reports to.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "tests/folder/folder.h"
#include "worker/log/log.h"
#include "worker/runtime/companion_server.h"
#include "worker/runtime/event_loop.h"

namespace retinue::worker::testing {

// Long enough for any machine; a test that reaches it fails.
inline constexpr Duration kGuard = Duration::seconds(60);

inline ::testing::AssertionResult run_until(EventLoop& loop,
                                            const std::function<bool()>& condition) {
  const Duration deadline = SystemClock().monotonic() + kGuard;
  bool is_met = false;
  loop.on_turn([&] {
    is_met = condition();
    if (is_met || SystemClock().monotonic() >= deadline) {
      loop.stop();
    }
  });
  loop.set_wakeup(deadline);
  loop.run();
  loop.set_wakeup(std::nullopt);
  loop.on_turn([] {});
  return is_met ? ::testing::AssertionSuccess()
                : ::testing::AssertionFailure() << "did not come about in time";
}

// Lets the loop handle what has happened by now.
inline void settle(EventLoop& loop) {
  int turns = 0;
  EXPECT_TRUE(run_until(loop, [&] {
    loop.wake();
    return ++turns == 4;
  }));
}

class RecordingLog final : public LogSink {
 public:
  void write(const LogEntry& entry) override {
    messages.push_back(entry.message);
    if (on_write) {
      on_write();
    }
  }
  bool has(const std::string& message) const {
    return std::ranges::find(messages, message) != messages.end();
  }
  std::vector<std::string> messages;
  std::function<void()> on_write;
};

class RecordingEvents final : public TransportEvents {
 public:
  void on_connected(ConnectionId connection) override { connected.push_back(connection); }
  void on_frame(ConnectionId connection, Frame frame) override {
    frames.emplace_back(connection, std::move(frame));
    if (on_each_frame) {
      on_each_frame(connection);
    }
  }
  void on_disconnected(ConnectionId connection, const Error& reason) override {
    disconnected.emplace_back(connection, reason);
  }
  void on_process_exited(ProcessId process, std::string_view status) override {
    exited[process] = status;
  }

  std::vector<ConnectionId> connected;
  std::vector<std::pair<ConnectionId, Frame>> frames;
  std::vector<std::pair<ConnectionId, Error>> disconnected;
  std::map<ProcessId, std::string> exited;
  std::function<void(ConnectionId)> on_each_frame;
};

// A companion's end of the socket, blocking.
class Peer {
 public:
  explicit Peer(const std::filesystem::path& path)
      : socket_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
    EXPECT_EQ(::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    const timeval guard = {.tv_sec = 60, .tv_usec = 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &guard, sizeof guard);
  }
  ~Peer() { hang_up(); }
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  void write(std::string_view bytes) {
    ASSERT_EQ(::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
  }
  void hang_up() {
    if (socket_ >= 0) {
      ::close(socket_);
      socket_ = -1;
    }
  }
  // The next frame; nullopt when the other side has closed.
  std::optional<Frame> read() {
    while (true) {
      if (auto frame = reader_.next()) {
        return frame;
      }
      const auto space = reader_.prepare();
      const ssize_t size = ::recv(socket_, space.data(), space.size(), 0);
      if (size <= 0) {
        return std::nullopt;
      }
      EXPECT_TRUE(reader_.commit(static_cast<size_t>(size)));
    }
  }

 private:
  int socket_;
  FrameReader reader_;
};

inline std::string ping_bytes(uint64_t nonce) {
  FrameWriter writer;
  writer.begin().initPing().setNonce(nonce);
  return writer.to_bytes();
}

}  // namespace retinue::worker::testing
