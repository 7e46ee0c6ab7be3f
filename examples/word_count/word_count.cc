// Counts words: `split` cuts lines into words, `count` keeps a total a word.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>

#include "companion_sdk/cpp/companion.h"

namespace {

using namespace retinue::companion;

// Lower-case runs of ASCII letters, as `tr -cs A-Za-z '\n' | tr A-Z a-z` gives them.
class Split final : public ProcessFunction {
 public:
  void init(RuntimeContext& context) override {
    line_ = context.column("lines", "line");
    words_ = context.output_stream("words");
    word_ = words_.column("word");
  }

  void process_message(const Message& message, OutputCollector& output, RuntimeContext&) override {
    std::string word;
    const auto emit = [&] {
      if (!word.empty()) {
        output.row(words_).set(word_, word).emit();
        word.clear();
      }
    };
    for (const char c : message.get<std::string_view>(line_)) {
      if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) {
        word.push_back(static_cast<char>(c | 0x20));
      } else {
        emit();
      }
    }
    emit();
  }

 private:
  retinue::ColumnIndex line_;
  OutputStream words_;
  retinue::ColumnIndex word_;
};

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
  registry.add<Split>("split");
  registry.add<Count>("count");
  return run_companion(argc, argv, registry);
}
