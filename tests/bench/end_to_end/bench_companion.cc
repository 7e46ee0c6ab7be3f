// The companion of the end-to-end benchmark: counts the messages of a key.
#include <cstdint>

#include "companion_sdk/cpp/companion.h"

namespace {

using namespace retinue::companion;

struct Total {
  int64_t count = 0;
};
RETINUE_YSON_STRUCT(Total, count);

class Count final : public ProcessFunction {
 public:
  void init(RuntimeContext& context) override { total_ = context.state_client<Total>("total"); }

  void process_message(const Message& message, OutputCollector&, RuntimeContext&) override {
    total_.get(message)->count += 1;
  }

 private:
  MutableStateClient<Total> total_;
};

}  // namespace

int main(int argc, char** argv) {
  Registry registry;
  registry.add<Count>("count");
  return run_companion(argc, argv, registry);
}
