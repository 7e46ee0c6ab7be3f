#include "companion_sdk/cpp/run_companion.h"

#include <fmt/format.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <string_view>

#include "companion_sdk/cpp/connection.h"
#include "protocol/base/clock.h"
#include "protocol/base/result.h"

namespace retinue::companion {
namespace {

constexpr std::string_view kHelp =
    R"(A Retinue companion: connects to a worker and runs its functions.

  --socket ADDRESS           path of the worker's socket, or host:port   (RETINUE_SOCKET)
  --token-file FILE          file that holds the worker's token          (RETINUE_TOKEN: the token)
  --companion NAME           its name under `companions` in the spec     (RETINUE_COMPANION)
  --connect-timeout SECONDS  how long to wait for the worker to listen; default 30
  --help

Exit codes: 0 done, 2 usage, 3 nobody listens, 4 refused by the worker, 5 the worker is gone,
6 the worker broke the protocol, 7 a handler went on after the worker was gone.
)";

struct Arguments {
  std::string socket;
  SessionSettings session;
  Duration connect_timeout = Duration::seconds(30);
  bool help = false;
};

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

Result<std::string> read_token(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string token{std::istreambuf_iterator<char>(file), {}};
  if (!file.is_open() || file.bad()) {
    return Error{ErrorCode::kInvalidArgument, "cannot read the token file " + path};
  }
  while (!token.empty() && (token.back() == '\n' || token.back() == '\r')) {
    token.pop_back();
  }
  return token;
}

Result<Duration> read_seconds(std::string_view text) {
  int64_t seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error != std::errc() || end != text.data() + text.size() || seconds < 0 ||
      seconds > 1'000'000'000) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("--connect-timeout takes seconds, not \"{}\"", text)};
  }
  return Duration::seconds(seconds);
}

Result<Arguments> read_arguments(int argc, char** argv) {
  enum Option { kSocket = 1, kTokenFile, kCompanion, kConnectTimeout, kHelpOption };
  static constexpr std::array<option, 6> kOptions = {
      option{"socket", required_argument, nullptr, kSocket},
      option{"token-file", required_argument, nullptr, kTokenFile},
      option{"companion", required_argument, nullptr, kCompanion},
      option{"connect-timeout", required_argument, nullptr, kConnectTimeout},
      option{"help", no_argument, nullptr, kHelpOption},
      option{}};
  Arguments arguments;
  arguments.socket = environment("RETINUE_SOCKET");
  arguments.session.token = environment("RETINUE_TOKEN");
  arguments.session.companion = environment("RETINUE_COMPANION");
  optind = 1;
  for (int chosen; (chosen = getopt_long(argc, argv, "", kOptions.data(), nullptr)) != -1;) {
    switch (chosen) {
      case kSocket: arguments.socket = optarg; break;
      case kTokenFile: {
        RETINUE_ASSIGN(arguments.session.token, read_token(optarg));
        break;
      }
      case kCompanion: arguments.session.companion = optarg; break;
      case kConnectTimeout: {
        RETINUE_ASSIGN(arguments.connect_timeout, read_seconds(optarg));
        break;
      }
      case kHelpOption: arguments.help = true; return arguments;
      default: return Error{ErrorCode::kInvalidArgument, "see --help"};
    }
  }
  if (optind < argc) {
    return Error{ErrorCode::kInvalidArgument, fmt::format("what is \"{}\"?", argv[optind])};
  }
  if (arguments.socket.empty()) {
    return Error{ErrorCode::kInvalidArgument,
                 "no worker to connect to: set RETINUE_SOCKET or give --socket; a companion is "
                 "usually started by the worker"};
  }
  return arguments;
}

// SIGTERM and SIGINT as a descriptor, for as long as it lives. Threads started meanwhile inherit
// the blocked signals, as they must for the descriptor to see them.
class StopSignals {
 public:
  StopSignals() {
    sigset_t stops;
    sigemptyset(&stops);
    sigaddset(&stops, SIGTERM);
    sigaddset(&stops, SIGINT);
    pthread_sigmask(SIG_BLOCK, &stops, &before_);
    descriptor_ = signalfd(-1, &stops, SFD_CLOEXEC);
  }
  ~StopSignals() {
    close(descriptor_);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  int descriptor() const { return descriptor_; }
  // False when a signal came meanwhile.
  bool wait(Duration timeout) const {
    pollfd entry{descriptor_, POLLIN, 0};
    return poll(&entry, 1, static_cast<int>(timeout.microseconds() / 1000)) == 0;
  }

 private:
  sigset_t before_;
  int descriptor_ = -1;
};

// nullopt: a signal came while waiting.
Result<std::optional<int>> connect_patiently(const Arguments& arguments, const StopSignals& stops) {
  const SystemClock clock;
  const Duration give_up_at = clock.monotonic() + arguments.connect_timeout;
  for (;;) {
    auto descriptor = connect_to(arguments.socket);
    if (descriptor) {
      return std::optional(*descriptor);
    }
    if (descriptor.error().code != ErrorCode::kUnavailable || clock.monotonic() >= give_up_at) {
      return std::move(descriptor).error();
    }
    if (!stops.wait(Duration::milliseconds(100))) {
      return std::optional<int>();
    }
  }
}

}  // namespace

int run_companion(int argc, char** argv, const Registry& registry) {
  auto arguments = read_arguments(argc, argv);
  if (!arguments) {
    fmt::print(stderr, "{}: {}\n", argc > 0 ? argv[0] : "companion", arguments.error().message);
    return kExitUsage;
  }
  if (arguments->help) {
    fmt::print("{}", kHelp);
    return kExitDone;
  }
  const StopSignals stops;
  auto descriptor = connect_patiently(*arguments, stops);
  if (!descriptor) {
    fmt::print(stderr, "retinue companion: {}\n", descriptor.error().message);
    return descriptor.error().code == ErrorCode::kUnavailable ? kExitNoConnection : kExitUsage;
  }
  if (!*descriptor) {
    return kExitDone;
  }
  arguments->session.stop_descriptor = stops.descriptor();
  return run_session(**descriptor, arguments->session, registry);
}

}  // namespace retinue::companion
