// run_companion: the main of a companion.
//
//   int main(int argc, char** argv) {
//     retinue::companion::Registry registry;
//     registry.add<WordCount>("word_count");
//     return retinue::companion::run_companion(argc, argv, registry);
//   }
//
// It connects to the worker and serves until told to stop. Handlers run on the calling thread, one
// batch at a time; a second thread reads the socket and answers the worker's pings, so heartbeats
// go on however long a handler takes, and a handler that hangs is found by the batch's deadline.
// That thread also sees the worker go, and ends the process when a handler does not come to an end
// then. More parallelism is more processes: the worker spreads partitions over them.
//
// stdout and stderr are left alone: the worker captures those of companions it starts, line by
// line.
#pragma once

#include <string>

#include "companion_sdk/cpp/registry.h"
#include "protocol/base/clock.h"

namespace retinue::companion {

// What run_companion returns, for main to return.
inline constexpr int kExitDone = 0;          // drained, SIGTERM or SIGINT, or the worker left
inline constexpr int kExitUsage = 2;         // wrong arguments or environment
inline constexpr int kExitNoConnection = 3;  // nobody listened at the address
inline constexpr int kExitRejected = 4;      // the worker refused the Hello
inline constexpr int kExitWorkerGone = 5;    // the connection broke without a Goodbye
inline constexpr int kExitViolated = 6;      // the worker broke the protocol, or is incompatible
// What the process ends with, at once, when a handler still runs a while after the connection
// ended.
inline constexpr int kExitCutOff = 7;

// RETINUE_SOCKET, RETINUE_TOKEN and RETINUE_COMPANION say where to connect and as whom; the flags
// --socket, --token-file and --companion override them; --help prints them. Started by hand, it
// waits up to --connect-timeout seconds (default 30) for the worker to listen.
int run_companion(int argc, char** argv, const Registry& registry);

struct SessionSettings {
  std::string companion;
  std::string token;
  // Becomes readable when the companion shall finish its batch and leave; -1: never.
  int stop_descriptor = -1;
  // How long a handler may go on once the connection has ended: nobody will take its answer. Then
  // the process ends, kExitCutOff.
  Duration grace = Duration::seconds(5);
};

// The same on a connected socket, which it closes. Says on stderr why a session ended badly.
int run_session(int descriptor, const SessionSettings& settings, const Registry& registry);

}  // namespace retinue::companion
