// rogue_companion MODE MARKER GOOD: misbehaves once, in the way that MODE names, and leaves the
// file MARKER; when it is started again and the file is there, it runs GOOD in its place.
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <string>

#include "protocol/frame/frame_reader.h"
#include "protocol/frame/frame_writer.h"

namespace {

using retinue::Frame;
using retinue::FrameReader;
using retinue::FrameWriter;
namespace wire = retinue::wire;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

class Connection {
 public:
  Connection() {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, environment("RETINUE_SOCKET").c_str(),
                 sizeof address.sun_path - 1);
    fd_ = socket(AF_UNIX, SOCK_STREAM, 0);
    if (connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
      std::exit(70);
    }
  }

  void send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = write(fd_, bytes.data(), bytes.size());
      if (sent <= 0) {
        std::exit(71);
      }
      bytes.remove_prefix(static_cast<size_t>(sent));
    }
  }
  void end_sending() { shutdown(fd_, SHUT_WR); }
  void send(FrameWriter& frame) { send(std::string_view(frame.to_bytes())); }

  // nullopt: the worker has closed the connection.
  std::optional<Frame> receive() {
    for (;;) {
      if (auto frame = reader_.next()) {
        return frame;
      }
      const auto space = reader_.prepare();
      const ssize_t size = read(fd_, space.data(), space.size());
      if (size <= 0 || !reader_.commit(static_cast<size_t>(size))) {
        return std::nullopt;
      }
    }
  }
  [[noreturn]] void exit_when_closed() {
    while (receive()) {
    }
    std::exit(0);
  }

 private:
  int fd_ = -1;
  FrameReader reader_;
};

void say_hello(Connection& connection, const std::string& token, uint16_t major) {
  FrameWriter frame;
  auto hello = frame.begin().initHello();
  hello.initMinVersion().setMajor(major);
  hello.initMaxVersion().setMajor(major);
  hello.setSdk("rogue 1");
  hello.setLanguage("c++");
  hello.setPid(static_cast<uint64_t>(getpid()));
  hello.setToken(token);
  hello.setCompanion(environment("RETINUE_COMPANION"));
  hello.initFunctions(1)[0].setName("count");
  connection.send(frame);
}

// Answers everything up to the first batch, which it returns.
std::optional<Frame> first_batch(Connection& connection) {
  while (auto frame = connection.receive()) {
    switch (frame->envelope().which()) {
      case wire::Envelope::OPEN_JOB: {
        FrameWriter ready;
        ready.begin().initJobReady().setJob(frame->envelope().getOpenJob().getJob());
        connection.send(ready);
        break;
      }
      case wire::Envelope::PING: {
        FrameWriter pong;
        pong.begin().initPong().setNonce(frame->envelope().getPing().getNonce());
        connection.send(pong);
        break;
      }
      case wire::Envelope::BATCH: return frame;
      default: break;
    }
  }
  return std::nullopt;
}

wire::BatchDone::Builder answer(FrameWriter& frame, wire::Batch::Reader batch) {
  auto done = frame.begin().initBatchDone();
  done.setJob(batch.getJob());
  done.setEpoch(batch.getEpoch());
  done.setAttempt(batch.getAttempt());
  return done;
}

// One state delta with one key index and the value `value`.
void add_delta(wire::BatchDone::Builder done, const char* state, uint32_t key,
               std::string_view value) {
  auto delta = done.initInternalStates(1)[0];
  delta.setName(state);
  delta.setKeyIndexes(capnp::Data::Reader(reinterpret_cast<const kj::byte*>(&key), sizeof key));
  auto values = delta.initValues();
  values.setType(wire::ColumnType::STRING);
  values.setValues(
      capnp::Data::Reader(reinterpret_cast<const kj::byte*>(value.data()), value.size()));
  const uint32_t offsets[] = {0, static_cast<uint32_t>(value.size())};
  values.setOffsets(
      capnp::Data::Reader(reinterpret_cast<const kj::byte*>(offsets), sizeof offsets));
}

using Misdeed = std::function<void(Connection&, wire::Batch::Reader, FrameWriter&)>;

const std::map<std::string, Misdeed>& misdeeds() {
  static const std::map<std::string, Misdeed> all = {
      {"unknown_key",
       [](Connection&, wire::Batch::Reader batch, FrameWriter& frame) {
         add_delta(answer(frame, batch), "total", 999'999, "{count=1}");
       }},
      {"unknown_state",
       [](Connection&, wire::Batch::Reader batch, FrameWriter& frame) {
         add_delta(answer(frame, batch), "totals", 0, "{count=1}");
       }},
      {"bad_yson",
       [](Connection&, wire::Batch::Reader batch, FrameWriter& frame) {
         add_delta(answer(frame, batch), "total", 0, "{count=");
       }},
      {"unknown_job",
       [](Connection&, wire::Batch::Reader batch, FrameWriter& frame) {
         answer(frame, batch).setJob(batch.getJob() + 1000);
       }},
      {"unknown_epoch",
       [](Connection&, wire::Batch::Reader batch, FrameWriter& frame) {
         answer(frame, batch).setEpoch(batch.getEpoch() + 1);
       }},
      {"unknown_stream",
       [](Connection&, wire::Batch::Reader batch, FrameWriter& frame) {
         answer(frame, batch).initOutputs(1)[0].setStream("nowhere");
       }},
      {"timer",
       [](Connection&, wire::Batch::Reader batch, FrameWriter& frame) {
         answer(frame, batch).initTimers(1)[0].setStream("timers");
       }},
      {"oversized_frame",
       [](Connection& connection, wire::Batch::Reader, FrameWriter&) {
         const uint32_t head[2] = {0, 0x7fffffff};  // one segment of 16 GiB
         connection.send(std::string_view(reinterpret_cast<const char*>(head), sizeof head));
         connection.exit_when_closed();
       }},
      {"half_a_frame",
       [](Connection& connection, wire::Batch::Reader batch, FrameWriter& frame) {
         add_delta(answer(frame, batch), "total", 0, "{count=1}");
         const std::string bytes = frame.to_bytes();
         connection.send(std::string_view(bytes).substr(0, bytes.size() / 2));
         // An exit with bytes unread would reset the connection instead.
         connection.end_sending();
         connection.exit_when_closed();
       }},
      {"random_bytes",
       [](Connection& connection, wire::Batch::Reader, FrameWriter&) {
         std::mt19937 random(1);
         std::string bytes;
         for (int i = 0; i < 100'000; ++i) {
           bytes.push_back(static_cast<char>(random()));
         }
         connection.send(bytes);
         connection.exit_when_closed();
       }},
      {"hang", [](Connection& connection, wire::Batch::Reader,
                  FrameWriter&) { connection.exit_when_closed(); }},
      {"exit", [](Connection&, wire::Batch::Reader, FrameWriter&) { std::exit(3); }},
      {"crash", [](Connection&, wire::Batch::Reader, FrameWriter&) { std::abort(); }},
  };
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    fmt::print(stderr, "usage: rogue_companion MODE MARKER GOOD\n");
    return 64;
  }
  const std::string mode = argv[1];
  if (std::filesystem::exists(argv[2])) {
    execl(argv[3], argv[3], nullptr);
    return 72;
  }
  if (mode == "exit_at_start") {
    return 3;
  }
  Connection connection;
  if (mode == "wrong_token" || mode == "future_version") {
    say_hello(connection, mode == "wrong_token" ? "wrong" : environment("RETINUE_TOKEN"),
              mode == "future_version" ? 99 : 1);
    const auto frame = connection.receive();
    if (frame && frame->envelope().isReject()) {
      fmt::print("rejected: {}\n", frame->envelope().getReject().getError().getCode());
    }
    return 0;
  }
  say_hello(connection, environment("RETINUE_TOKEN"), 1);
  const auto batch = first_batch(connection);
  if (!batch) {
    return 73;
  }
  std::ofstream(argv[2]) << mode;
  FrameWriter frame;
  misdeeds().at(mode)(connection, batch->envelope().getBatch(), frame);
  connection.send(frame);
  connection.exit_when_closed();
}
