#include "worker/runtime/companion_server.h"

#include <fmt/format.h>
#include <unistd.h>
#include <uv.h>

#include <string>
#include <unordered_map>
#include <utility>

#include "protocol/base/check.h"
#include "worker/runtime/child_process.h"
#include "worker/runtime/connection.h"
#include "worker/runtime/listening_socket.h"
#include "worker/runtime/output_limit.h"
#include "worker/runtime/writer_pool.h"

namespace retinue::worker {
namespace {

constexpr int kBacklog = 128;

}  // namespace

struct CompanionServer::Impl {
  Impl(EventLoop& given_loop, LogSink& given_log, CompanionServerOptions given_options)
      : loop(given_loop), log(given_log), options(given_options) {}

  void accept();
  Connection* find(ConnectionId connection) const {
    const auto found = connections.find(connection);
    return found == connections.end() ? nullptr : found->second;
  }

  EventLoop& loop;
  LogSink& log;
  const CompanionServerOptions options;
  TransportEvents* events = nullptr;
  std::filesystem::path socket_path;
  uv_pipe_t* listener = nullptr;
  std::shared_ptr<WriterPool> writers = std::make_shared<WriterPool>();
  std::unordered_map<ConnectionId, Connection*> connections;
  std::unordered_map<ProcessId, ChildProcess*> processes;
  uint64_t last_connection = 0;
  const SystemClock clock;  // of what processes print
};

CompanionServer::CompanionServer(EventLoop& loop, LogSink& log, CompanionServerOptions options)
    : impl_(std::make_unique<Impl>(loop, log, options)) {}

CompanionServer::~CompanionServer() {
  for (const auto& [id, connection] : impl_->connections) {
    connection->abandon();
  }
  for (const auto& [id, process] : impl_->processes) {
    process->abandon();
  }
  if (impl_->listener != nullptr) {
    uv_close(reinterpret_cast<uv_handle_t*>(impl_->listener),
             [](uv_handle_t* handle) { delete reinterpret_cast<uv_pipe_t*>(handle); });
    ::unlink(impl_->socket_path.c_str());
  }
}

void CompanionServer::report_to(TransportEvents& events) {
  impl_->events = &events;
}

Result<void> CompanionServer::listen(const std::filesystem::path& socket_path) {
  RETINUE_CHECK(impl_->events != nullptr && impl_->listener == nullptr);
  RETINUE_ASSIGN(const int socket, bind_unix_socket(socket_path));
  impl_->socket_path = socket_path;
  impl_->listener = new uv_pipe_t;
  uv_pipe_init(impl_->loop.native(), impl_->listener, 0);
  impl_->listener->data = impl_.get();
  int outcome = uv_pipe_open(impl_->listener, socket);
  if (outcome == 0) {
    outcome = uv_listen(reinterpret_cast<uv_stream_t*>(impl_->listener), kBacklog,
                        [](uv_stream_t* stream, int status) {
                          if (status == 0) {
                            static_cast<Impl*>(stream->data)->accept();
                          }
                        });
  }
  if (outcome != 0) {
    return Error{ErrorCode::kIoError, fmt::format("cannot listen on {}: {}", socket_path.native(),
                                                  uv_strerror(outcome))};
  }
  return {};
}

void CompanionServer::Impl::accept() {
  loop.request_turn();
  auto* const connection =
      new Connection(loop, {options.outgoing_bytes_limit, options.linger}, writers);
  const ConnectionId id(++last_connection);
  const Result<void> accepted = connection->accept(
      reinterpret_cast<uv_stream_t*>(listener),
      [this, id](Frame frame) { events->on_frame(id, std::move(frame)); },
      [this, id](const Error& reason) {
        connections.erase(id);
        events->on_disconnected(id, reason);
      });
  if (!accepted) {
    log.warning("connection not accepted", {{"reason", accepted.error().message}});
    return;
  }
  if (connections.size() >= options.connections_max) {
    log.warning("connection not accepted", {{"reason", "there are too many"}});
    connection->abandon();
    return;
  }
  connections.emplace(id, connection);
  events->on_connected(id);
}

void CompanionServer::send(ConnectionId connection, std::unique_ptr<FrameWriter> frame) {
  if (Connection* const to = impl_->find(connection)) {
    to->send(std::move(frame));
  } else {
    impl_->writers->give_back(std::move(frame));
  }
}

std::unique_ptr<FrameWriter> CompanionServer::take_writer() {
  return impl_->writers->take();
}

void CompanionServer::close(ConnectionId connection) {
  const auto found = impl_->connections.find(connection);
  if (found != impl_->connections.end()) {
    found->second->close();
    impl_->connections.erase(found);
  }
}

void CompanionServer::accept_large_frames(ConnectionId connection) {
  if (Connection* const from = impl_->find(connection)) {
    from->accept_large_frames();
  }
}

Result<uint64_t> CompanionServer::spawn(const SpawnRequest& request) {
  Impl& impl = *impl_;
  const auto printed = std::make_shared<OutputLimit>(
      impl.clock,
      [&log = impl.log, name = fmt::format("[{}/{}] ", request.companion.value(), request.index)](
          std::string_view line) { log.info(name + std::string(line)); });
  auto* const process = new ChildProcess(
      impl.loop, [printed](std::string_view line) { printed->line(line); },
      [&impl, printed, id = request.process](std::string_view status) {
        printed->finish();
        impl.processes.erase(id);
        impl.events->on_process_exited(id, status);
      });
  RETINUE_ASSIGN(const uint64_t pid, process->spawn(request));
  impl.processes.emplace(request.process, process);
  return pid;
}

void CompanionServer::signal(ProcessId process, Signal signal) {
  const auto found = impl_->processes.find(process);
  if (found != impl_->processes.end()) {
    found->second->signal(signal);
  }
}

void CompanionServer::kill_processes() {
  for (const auto& [id, process] : impl_->processes) {
    process->signal(Signal::kKill);
  }
}

}  // namespace retinue::worker
