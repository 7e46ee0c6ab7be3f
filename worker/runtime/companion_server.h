// CompanionServer: the sockets and processes behind CompanionTransport, on the event loop.
//
// Threads: the loop's. Borrows: the loop, the log, the events.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>

#include "protocol/base/clock.h"
#include "protocol/base/result.h"
#include "worker/log/log.h"
#include "worker/runtime/event_loop.h"
#include "worker/session/transport.h"

namespace retinue::worker {

struct CompanionServerOptions {
  // Frames that wait for a peer to read them. More, and it counts as broken.
  size_t outgoing_bytes_limit = size_t{256} << 20;
  // Further ones are closed as they come.
  size_t connections_max = 1024;
  // How long what was sent may take to go out after close().
  Duration linger = Duration::seconds(2);
};

class CompanionServer final : public CompanionTransport {
 public:
  CompanionServer(EventLoop& loop, LogSink& log, CompanionServerOptions options = {});
  // Closes every connection, kills every process that still runs, removes the socket.
  ~CompanionServer() override;
  CompanionServer(const CompanionServer&) = delete;
  CompanionServer& operator=(const CompanionServer&) = delete;

  // Who is told what happens. Before listen() and spawn(); outlives the loop's last event.
  void report_to(TransportEvents& events);
  // Errors: those of bind_unix_socket.
  Result<void> listen(const std::filesystem::path& socket_path);

  void send(ConnectionId connection, std::unique_ptr<FrameWriter> frame) override;
  std::unique_ptr<FrameWriter> take_writer() override;
  void close(ConnectionId connection) override;
  void accept_large_frames(ConnectionId connection) override;
  Result<uint64_t> spawn(const SpawnRequest& request) override;
  void signal(ProcessId process, Signal signal) override;
  // For a program that ends without its destructor.
  void kill_processes();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace retinue::worker
