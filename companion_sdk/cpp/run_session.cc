#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "companion_sdk/cpp/connection.h"
#include "companion_sdk/cpp/host.h"
#include "companion_sdk/cpp/inbox.h"
#include "companion_sdk/cpp/run_companion.h"
#include "protocol/base/clock.h"
#include "protocol/frame/frame_reader.h"
#include "protocol/frame/frame_writer.h"

namespace retinue::companion {
namespace {

// The pipe to a worker that died may be broken: then nobody is left to be told.
void complain(std::string_view message) {
  const std::string line = fmt::format("retinue companion: {}\n", message);
  (void)!std::fwrite(line.data(), 1, line.size(), stderr);
}

// Reads the socket on a thread of its own until the worker closes or it is destroyed. If the one
// happens and the other does not follow, it ends the process.
class SocketReader {
 public:
  SocketReader(Connection& connection, const SessionSettings& settings, Inbox& inbox)
      : connection_(connection),
        inbox_(inbox),
        stop_(settings.stop_descriptor),
        grace_(settings.grace),
        quit_(eventfd(0, EFD_CLOEXEC)),
        thread_([this] {
          if (auto ended = run()) {
            inbox_.close(*std::move(ended));
            cut_off();
          }
        }) {}

  ~SocketReader() {
    const uint64_t one = 1;
    (void)!write(quit_, &one, sizeof one);
    thread_.join();
    close(quit_);
  }
  SocketReader(const SocketReader&) = delete;
  SocketReader& operator=(const SocketReader&) = delete;

 private:
  // How the connection ended; nullopt: it did not.
  std::optional<Error> run() {
    // A negative descriptor is skipped by poll.
    std::array<pollfd, 3> waits = {pollfd{connection_.descriptor(), POLLIN, 0},
                                   pollfd{stop_, POLLIN, 0}, pollfd{quit_, POLLIN, 0}};
    for (;;) {
      if (poll(waits.data(), waits.size(), -1) < 0 && errno != EINTR) {
        return Error{ErrorCode::kIoError, "poll failed"};
      }
      if (waits[2].revents != 0) {
        return std::nullopt;
      }
      if (waits[1].revents != 0) {
        inbox_.request_stop();
        waits[1].fd = -1;
        waits[1].revents = 0;
      }
      if (waits[0].revents != 0) {
        if (auto read = read_once(); !read) {
          return std::move(read).error();
        }
      }
    }
  }

  // The thread that handles frames sees the end when its handler returns. One that hangs, or works
  // on for nobody, must not outlive the worker.
  void cut_off() {
    pollfd quit{quit_, POLLIN, 0};
    const auto milliseconds = static_cast<int>(grace_.microseconds() / 1000);
    if (poll(&quit, 1, milliseconds) == 0) {
      complain(fmt::format("the connection has ended, and a handler is not done {} later: exiting",
                           format_duration(grace_)));
      _exit(kExitCutOff);
    }
  }

  Result<void> read_once() {
    RETINUE_ASSIGN(const size_t bytes, connection_.receive(frames_.prepare()));
    if (bytes == 0) {
      return Error{ErrorCode::kConnectionClosed, "the worker closed the connection"};
    }
    RETINUE_TRY(frames_.commit(bytes));
    while (auto frame = frames_.next()) {
      if (answer_ping(*frame, pong_)) {
        RETINUE_TRY(connection_.send(pong_));
      } else {
        inbox_.push(std::move(*frame));
      }
    }
    return {};
  }

  Connection& connection_;
  Inbox& inbox_;
  const int stop_;
  const Duration grace_;
  const int quit_;
  FrameReader frames_;
  FrameWriter pong_;
  std::thread thread_;  // last: it uses the others
};

int exit_code(const SessionEnd& end) {
  switch (end.kind) {
    case SessionEnd::Kind::kDrained: return kExitDone;
    case SessionEnd::Kind::kWorkerSaidGoodbye:
      complain("the worker said goodbye: " + end.message);
      return kExitDone;
    case SessionEnd::Kind::kRejected:
      complain("the worker refused this companion: " + end.message);
      return kExitRejected;
    case SessionEnd::Kind::kViolated: complain(end.message); return kExitViolated;
    case SessionEnd::Kind::kDisconnected: break;
  }
  complain("the worker is gone: " + end.message);
  return kExitWorkerGone;
}

int exit_code(const Error& closed) {
  if (closed.code == ErrorCode::kConnectionClosed || closed.code == ErrorCode::kIoError) {
    complain("the worker is gone: " + closed.message);
    return kExitWorkerGone;
  }
  complain(closed.to_string());
  return kExitViolated;
}

int serve(Host& host, Inbox& inbox) {
  if (auto started = host.start(); !started) {
    return exit_code(started.error());
  }
  for (;;) {
    Inbox::Item item = inbox.pop();
    if (std::holds_alternative<StopRequested>(item)) {
      (void)host.leave("asked to stop");
      return kExitDone;
    }
    if (const auto* closed = std::get_if<Error>(&item)) {
      return exit_code(*closed);
    }
    if (const auto end = host.handle(std::move(std::get<Frame>(item)))) {
      return exit_code(*end);
    }
  }
}

}  // namespace

int run_session(int descriptor, const SessionSettings& settings, const Registry& registry) {
  Connection connection(descriptor);
  const SystemClock clock;
  Host host(registry, session_options(registry, settings.companion, settings.token), clock,
            connection);
  Inbox inbox;
  const SocketReader reader(connection, settings, inbox);
  const int code = serve(host, inbox);
  connection.finish_sending();
  return code;
}

}  // namespace retinue::companion
