// Connection: one accepted socket; frames in, frames out.
//
// Reads straight into the frame under construction, writes a frame's segments where they lie. libuv
// reads a connection a bounded number of times before it turns to the next, so none starves the
// others.
//
// Threads: the loop's. Owns itself: deleted once its handles are closed.
#pragma once

#include <uv.h>

#include <cstddef>
#include <functional>
#include <memory>

#include "protocol/frame/frame_reader.h"
#include "worker/runtime/event_loop.h"
#include "worker/runtime/writer_pool.h"
#include "worker/session/transport.h"

namespace retinue::worker {

struct ConnectionOptions {
  size_t outgoing_bytes_limit;
  Duration linger;  // how long what was sent may take to go out after close()
};

class Connection {
 public:
  // `gone` is called when the peer ended the connection or broke it, not for close() and abandon().
  using Gone = std::function<void(const Error& reason)>;
  using Received = std::function<void(Frame frame)>;

  Connection(EventLoop& loop, const ConnectionOptions& options,
             std::shared_ptr<WriterPool> writers);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Errors: kIoError. The connection is abandoned then.
  Result<void> accept(uv_stream_t* listener, Received received, Gone gone);
  void send(std::unique_ptr<FrameWriter> frame);
  void accept_large_frames() { reader_.set_frame_bytes_limit(limits::kFrameBytesLimit); }
  // Closes when what was sent has gone out. Nothing is reported from here on.
  void close();
  // Closes at once.
  void abandon();

 private:
  struct Write;

  ~Connection() = default;
  static Connection& of(const void* handle);
  void handle_read(ssize_t size);
  void handle_written(Write* write, int status);
  void fail(Error reason);
  uv_stream_t* stream() { return reinterpret_cast<uv_stream_t*>(&pipe_); }

  EventLoop& loop_;
  const ConnectionOptions options_;
  std::shared_ptr<WriterPool> writers_;
  uv_pipe_t pipe_;
  uv_timer_t linger_timer_;
  int open_handles_ = 2;
  FrameReader reader_{limits::kHelloBytesLimit};
  Received received_;
  Gone gone_;
  size_t outgoing_bytes_ = 0;
  bool is_closing_ = false;    // nothing is reported any more
  bool is_abandoned_ = false;  // the handles are closing
};

}  // namespace retinue::worker
