// CompanionTransport: what the session layer asks of the outside world. The runtime implements it
// with libuv; a test implements it with vectors.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "protocol/base/ids.h"
#include "protocol/base/result.h"
#include "protocol/frame/frame_reader.h"
#include "protocol/frame/frame_writer.h"
#include "worker/spec/spec.h"

namespace retinue::worker {

// One accepted connection; never reused.
using ConnectionId = StrongNumber<struct ConnectionIdTag, uint64_t>;
// One spawned process; never reused.
using ProcessId = StrongNumber<struct ProcessIdTag, uint64_t>;

struct SpawnRequest {
  ProcessId process;
  CompanionName companion;
  uint32_t index = 0;                                            // among the companion's processes
  std::vector<std::string> command;                              // argv
  std::vector<std::pair<std::string, std::string>> environment;  // added to the worker's own
  std::string working_directory;
  std::string spec_path;  // of the companion, for errors
};

// Threads: one. Nothing calls back into Companions from within these: what a call brings about
// (a broken connection, an exit) is reported in a later turn.
class CompanionTransport {
 public:
  virtual ~CompanionTransport() = default;

  // Sends a frame, after those sent before. Takes the writer and gives it back to the pool.
  virtual void send(ConnectionId connection, std::unique_ptr<FrameWriter> frame) = 0;
  // A writer to build the next frame in, with buffers of earlier frames.
  virtual std::unique_ptr<FrameWriter> take_writer() = 0;
  // Closes after what was sent has gone out. on_disconnected is not called for it.
  virtual void close(ConnectionId connection) = 0;
  // Until a Hello is accepted frames are bounded tighter (limits::kHelloBytesLimit); this lifts the
  // bound to limits::kFrameBytesLimit.
  virtual void accept_large_frames(ConnectionId connection) = 0;
  // Errors: kNotFound and kInvalidSpec, which say what to correct in the spec; kIoError.
  virtual Result<uint64_t> spawn(const SpawnRequest& request) = 0;  // the pid
  enum class Signal : uint8_t { kTerminate, kKill };
  // Signals the process and all that it started.
  virtual void signal(ProcessId process, Signal signal) = 0;
};

// What the transport reports, on the thread of the loop.
class TransportEvents {
 public:
  virtual ~TransportEvents() = default;

  virtual void on_connected(ConnectionId connection) = 0;
  virtual void on_frame(ConnectionId connection, Frame frame) = 0;
  // The peer closed, or its bytes were no frames (kMalformedFrame, kLimitExceeded), or it does not
  // read what it is sent (kLimitExceeded).
  virtual void on_disconnected(ConnectionId connection, const Error& reason) = 0;
  // `status` reads "exited with code 3" or "was killed by signal 9 (Killed)".
  virtual void on_process_exited(ProcessId process, std::string_view status) = 0;
};

}  // namespace retinue::worker
