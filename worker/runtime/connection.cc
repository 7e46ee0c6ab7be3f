#include "worker/runtime/connection.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

namespace retinue::worker {

struct Connection::Write {
  uv_write_t request;
  Connection* connection;
  std::unique_ptr<FrameWriter> frame;
  size_t bytes;
};

Connection::Connection(EventLoop& loop, const ConnectionOptions& options,
                       std::shared_ptr<WriterPool> writers)
    : loop_(loop), options_(options), writers_(std::move(writers)) {
  uv_pipe_init(loop.native(), &pipe_, 0);
  uv_timer_init(loop.native(), &linger_timer_);
  pipe_.data = this;
  linger_timer_.data = this;
}

Connection& Connection::of(const void* handle) {
  return *static_cast<Connection*>(static_cast<const uv_handle_t*>(handle)->data);
}

Result<void> Connection::accept(uv_stream_t* listener, Received received, Gone gone) {
  received_ = std::move(received);
  gone_ = std::move(gone);
  int outcome = uv_accept(listener, stream());
  if (outcome == 0) {
    outcome = uv_read_start(
        stream(),
        [](uv_handle_t* handle, size_t, uv_buf_t* buffer) {
          const auto space = of(handle).reader_.prepare();
          *buffer = uv_buf_init(reinterpret_cast<char*>(space.data()),
                                static_cast<unsigned>(space.size()));
        },
        [](uv_stream_t* from, ssize_t size, const uv_buf_t*) { of(from).handle_read(size); });
  }
  if (outcome != 0) {
    abandon();
    return Error{ErrorCode::kIoError,
                 fmt::format("cannot accept a connection: {}", uv_strerror(outcome))};
  }
  return {};
}

void Connection::handle_read(ssize_t size) {
  if (size == 0) {
    return;  // nothing there after all
  }
  loop_.request_turn();
  if (size == UV_EOF) {
    fail({ErrorCode::kConnectionClosed, reader_.at_boundary()
                                            ? "closed its connection"
                                            : "closed its connection in the middle of a message"});
    return;
  }
  if (size < 0) {
    fail({ErrorCode::kConnectionClosed,
          fmt::format("its connection broke: {}", uv_strerror(static_cast<int>(size)))});
    return;
  }
  const Result<void> outcome = reader_.commit(static_cast<size_t>(size));
  while (!is_closing_) {
    std::optional<Frame> frame = reader_.next();
    if (!frame) {
      break;
    }
    received_(*std::move(frame));
  }
  if (!outcome) {
    fail(outcome.error());
  }
}

void Connection::send(std::unique_ptr<FrameWriter> frame) {
  if (is_closing_) {
    writers_->give_back(std::move(frame));
    return;
  }
  const size_t bytes = frame->byte_size();
  if (outgoing_bytes_ + bytes > options_.outgoing_bytes_limit) {
    writers_->give_back(std::move(frame));
    // Not from within send(): the caller is in the midst of something.
    uv_timer_start(
        &linger_timer_,
        [](uv_timer_t* timer) {
          of(timer).fail({ErrorCode::kLimitExceeded, "does not read what it is sent"});
        },
        0, 0);
    return;
  }
  std::vector<uv_buf_t> buffers;
  for (const auto& piece : frame->pieces()) {
    buffers.push_back(uv_buf_init(const_cast<char*>(reinterpret_cast<const char*>(piece.data())),
                                  static_cast<unsigned>(piece.size())));
  }
  outgoing_bytes_ += bytes;
  auto* const write = new Write{{}, this, std::move(frame), bytes};
  write->request.data = write;
  const int outcome =
      uv_write(&write->request, stream(), buffers.data(), static_cast<unsigned>(buffers.size()),
               [](uv_write_t* request, int status) {
                 auto* const done = static_cast<Write*>(request->data);
                 done->connection->handle_written(done, status);
               });
  if (outcome != 0) {  // the socket is broken: the reading side will say so
    outgoing_bytes_ -= bytes;
    writers_->give_back(std::move(write->frame));
    delete write;
  }
}

void Connection::handle_written(Write* write, int status) {
  const std::unique_ptr<Write> owned(write);
  outgoing_bytes_ -= owned->bytes;
  writers_->give_back(std::move(owned->frame));
  if (is_abandoned_) {
    return;
  }
  if (is_closing_) {
    if (outgoing_bytes_ == 0 || status != 0) {
      abandon();
    }
  } else if (status != 0) {
    loop_.request_turn();
    fail({ErrorCode::kConnectionClosed,
          fmt::format("its connection broke: {}", uv_strerror(status))});
  }
}

void Connection::fail(Error reason) {
  if (is_closing_) {
    return;
  }
  const Gone gone = std::move(gone_);
  abandon();
  loop_.request_turn();
  gone(reason);
}

void Connection::close() {
  if (std::exchange(is_closing_, true)) {
    return;
  }
  if (outgoing_bytes_ == 0) {
    abandon();
    return;
  }
  uv_read_stop(stream());
  uv_timer_start(
      &linger_timer_, [](uv_timer_t* timer) { of(timer).abandon(); },
      static_cast<uint64_t>(options_.linger.microseconds() / 1000), 0);
}

void Connection::abandon() {
  is_closing_ = true;
  if (std::exchange(is_abandoned_, true)) {
    return;
  }
  const auto closed = [](uv_handle_t* handle) {
    Connection& self = of(handle);
    if (--self.open_handles_ == 0) {
      delete &self;
    }
  };
  uv_close(reinterpret_cast<uv_handle_t*>(&pipe_), closed);
  uv_close(reinterpret_cast<uv_handle_t*>(&linger_timer_), closed);
}

}  // namespace retinue::worker
