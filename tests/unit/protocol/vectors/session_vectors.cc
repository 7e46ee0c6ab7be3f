#include <string>

#include "protocol/base/capabilities.h"
#include "protocol/base/limits.h"
#include "protocol/frame/wire_values.h"
#include "tests/unit/protocol/vectors/vector_set.h"

namespace retinue::vectors {

namespace {

void set_version(wire::Version::Builder out, uint16_t major, uint16_t minor) {
  out.setMajor(major);
  out.setMinor(minor);
}

void add_hellos(VectorSet& set) {
  set.add("hello", [](wire::Envelope::Builder envelope) {
    auto hello = envelope.initHello();
    set_version(hello.initMinVersion(), 1, 0);
    set_version(hello.initMaxVersion(), 1, 0);
    hello.setSdk("retinue-cpp 0.1.0");
    hello.setLanguage("c++");
    hello.setPid(4242);
    hello.setToken("a token");
    hello.setCompanion("words");
    auto functions = hello.initFunctions(2);
    functions[0].setName("count");
    functions[0].setProcessesTimers(true);
    functions[0].setProcessesVisits(true);
    functions[1].setName("split");
  });
  set.add("hello_heartbeat", [](wire::Envelope::Builder envelope) {
    auto hello = envelope.initHello();
    set_version(hello.initMinVersion(), 1, 0);
    set_version(hello.initMaxVersion(), 1, 0);
    hello.setCompanion("words");
    hello.initFunctions(1)[0].setName("count");
    hello.initCapabilities(1).set(0, std::string(kHeartbeatAtWork));
  });
  // A newer SDK: a range of versions, and a capability that no worker of 1.0 knows.
  set.add("hello_newer", [](wire::Envelope::Builder envelope) {
    auto hello = envelope.initHello();
    set_version(hello.initMinVersion(), 1, 0);
    set_version(hello.initMaxVersion(), 2, 3);
    hello.setSdk("retinue-go 2.3.0");
    hello.setLanguage("go");
    hello.setCompanion("words");
    hello.initFunctions(1)[0].setName("count");
    hello.initCapabilities(1).set(0, "shared-memory");
  });
}

void add_answers(VectorSet& set) {
  set.add("welcome", [](wire::Envelope::Builder envelope) {
    auto welcome = envelope.initWelcome();
    set_version(welcome.initVersion(), 1, 0);
    welcome.setSessionId(3);
    welcome.setWorker("retinue 0.1.0");
    welcome.setPipeline("word-count");
    welcome.setHeartbeatIntervalUs(5'000'000);
    auto out = welcome.initLimits();
    out.setFrameBytes(limits::kFrameBytesLimit);
    out.setValueBytes(limits::kValueBytesLimit);
    out.setKeyBytes(limits::kKeyBytesLimit);
    out.setBatchRows(limits::kBatchRowsDefault);
    out.setBatchesInFlight(1);
  });
  // The answer to hello_heartbeat. Limits that are not told are those of PROTOCOL.md.
  set.add("welcome_heartbeat", [](wire::Envelope::Builder envelope) {
    auto welcome = envelope.initWelcome();
    set_version(welcome.initVersion(), 1, 0);
    welcome.setHeartbeatIntervalUs(5'000'000);
    welcome.initCapabilities(1).set(0, std::string(kHeartbeatAtWork));
  });
  set.add("reject_token", [](wire::Envelope::Builder envelope) {
    auto reject = envelope.initReject();
    write_error(reject.initError(), {ErrorCode::kUnauthorized, "the token is wrong"},
                "Pass on RETINUE_TOKEN of the running worker.");
    set_version(reject.initMinVersion(), 1, 0);
    set_version(reject.initMaxVersion(), 1, 0);
  });
  set.add("reject_version", [](wire::Envelope::Builder envelope) {
    auto reject = envelope.initReject();
    write_error(reject.initError(),
                {ErrorCode::kVersionMismatch, "the companion speaks 2.0 to 2.3, this worker 1.0"},
                "Upgrade the worker, or use an SDK that speaks 1.0.");
    set_version(reject.initMinVersion(), 1, 0);
    set_version(reject.initMaxVersion(), 1, 0);
  });
}

}  // namespace

void add_session_vectors(VectorSet& set) {
  add_hellos(set);
  add_answers(set);
  set.add("ping", [](wire::Envelope::Builder envelope) {
    envelope.initPing().setNonce(0x0123456789abcdef);
  });
  set.add("pong", [](wire::Envelope::Builder envelope) {
    envelope.initPong().setNonce(0x0123456789abcdef);
  });
  set.add("log", [](wire::Envelope::Builder envelope) {
    auto log = envelope.initLog();
    log.setLevel(wire::LogLevel::WARNING);
    log.setMessage("a slow lookup: \u00fc\u4e16");
    log.setJob(kJob);
    auto fields = log.initFields(2);
    fields[0].setName("host");
    fields[0].setValue("db-3");
    fields[1].setName("empty");
    fields[1].setValue("");
    log.setTimestampUs(kNowUs);
  });
  set.add("log_least", [](wire::Envelope::Builder envelope) { envelope.initLog(); });
  set.add("drain", [](wire::Envelope::Builder envelope) {
    envelope.initDrain().setDeadlineUs(kNowUs + 10'000'000);
  });
  set.add("goodbye",
          [](wire::Envelope::Builder envelope) { envelope.initGoodbye().setReason("drained"); });
}

}  // namespace retinue::vectors
