// Counts the messages of a key, sums their values, and emits both. With the parameter "fail_at" it
// throws at that value; with "fail_once" beside it, a file, only if the file is not there yet. With
// "crash_at" and "hang_at" it does that.
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include "companion_sdk/cpp/companion.h"

namespace {

using namespace retinue::companion;

struct Total {
  int64_t count = 0;
  int64_t sum = 0;
};
RETINUE_YSON_STRUCT(Total, count, sum);

class Count final : public ProcessFunction {
 public:
  void init(RuntimeContext& context) override {
    total_ = context.state_client<Total>("total");
    counts_ = context.output_stream("counts");
    if (const auto* fail_at = context.parameters().find("fail_at")) {
      fail_at_ = fail_at->as_int64();
    }
    if (const auto* crash_at = context.parameters().find("crash_at")) {
      crash_at_ = crash_at->as_int64();
    }
    if (const auto* hang_at = context.parameters().find("hang_at")) {
      hang_at_ = hang_at->as_int64();
    }
    if (const auto* fail_once = context.parameters().find("fail_once")) {
      fail_once_ = fail_once->as_string();
    }
  }

  void process_message(const Message& message, OutputCollector& output, RuntimeContext&) override {
    const auto value = message.get<int64_t>("value");
    if (value == fail_at_ && (fail_once_.empty() || !std::filesystem::exists(fail_once_))) {
      std::ofstream(fail_once_) << "failed";
      throw std::runtime_error("told to fail");
    }
    if (value == crash_at_) {
      std::abort();
    }
    while (value == hang_at_) {
      pause();
    }
    auto total = total_.get(message);
    total->count += 1;
    total->sum += value;
    output.row(counts_)
        .set("key", message.key<std::string_view>("key"))
        .set("count", total->count)
        .set("sum", total->sum)
        .emit();
  }

 private:
  MutableStateClient<Total> total_;
  OutputStream counts_;
  int64_t fail_at_ = -1;
  int64_t crash_at_ = -1;
  int64_t hang_at_ = -1;
  std::string fail_once_;
};

}  // namespace

int main(int argc, char** argv) {
  Registry registry;
  registry.add<Count>("count");
  return run_companion(argc, argv, registry);
}
