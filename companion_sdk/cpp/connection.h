// Connection: a blocking socket to the worker that several threads may send on.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "companion_sdk/cpp/host.h"
#include "protocol/base/result.h"
#include "protocol/frame/frame_writer.h"

namespace retinue::companion {

// Owns: the descriptor.
class Connection final : public Outbox {
 public:
  explicit Connection(int descriptor) : descriptor_(descriptor) {}
  ~Connection() override;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Threads: any; messages do not mix.
  Result<void> send(FrameWriter& message) override;
  // Threads: one. Waits for bytes; 0: the worker closed. Errors: kConnectionClosed.
  Result<size_t> receive(std::span<std::byte> into);
  // Nothing more will be sent.
  void finish_sending();

  int descriptor() const { return descriptor_; }

 private:
  Result<void> send_all(std::span<iovec> pieces);

  const int descriptor_;
  std::mutex mutex_;
  std::vector<iovec> pieces_;  // guarded by mutex_
};

// A path (anything with a slash, or unix:path) or host:port. The descriptor.
// Errors: kInvalidArgument for a malformed address, kUnavailable when nobody listens (yet).
Result<int> connect_to(std::string_view address);

}  // namespace retinue::companion
