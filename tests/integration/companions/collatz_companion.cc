// The steps of Collatz's sequence: "step" counts each number that comes, and emits the next one to
// "next", or a 1 to "done"; "pass" sends what it gets from "next" round to "again".
#include <cstdint>

#include "companion_sdk/cpp/companion.h"

namespace {

using namespace retinue::companion;

class Step final : public ProcessFunction {
 public:
  void init(RuntimeContext& context) override {
    visits_ = context.state_client<int64_t>("visits");
    next_ = context.output_stream("next");
    done_ = context.output_stream("done");
  }

  void process_message(const Message& message, OutputCollector& output, RuntimeContext&) override {
    const auto n = message.get<int64_t>("n");
    *visits_.get(message) += 1;
    if (n == 1) {
      output.row(done_).set("n", n).emit();
    } else {
      output.row(next_).set("n", n % 2 == 0 ? n / 2 : 3 * n + 1).emit();
    }
  }

 private:
  MutableStateClient<int64_t> visits_;
  OutputStream next_;
  OutputStream done_;
};

class Pass final : public ProcessFunction {
 public:
  void init(RuntimeContext& context) override { again_ = context.output_stream("again"); }

  void process_message(const Message& message, OutputCollector& output, RuntimeContext&) override {
    output.row(again_).set("n", message.get<int64_t>("n")).emit();
  }

 private:
  OutputStream again_;
};

}  // namespace

int main(int argc, char** argv) {
  Registry registry;
  registry.add<Step>("step");
  registry.add<Pass>("pass");
  return run_companion(argc, argv, registry);
}
