#include <gmock/gmock.h>

#include <stdexcept>

#include "tests/unit/companion_sdk/cpp/functions.h"

namespace retinue::companion {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const Row kA = {std::string("a")};

// The message of what the only input's handler threw.
std::string failure_of(Scripted::OnMessage on_message, Row payload = word("a")) {
  const Registry registry = scripted({}, std::move(on_message));
  TestHarness harness(registry, words());
  harness.message("words", std::move(payload));
  const TestAnswer answer = harness.run();
  return answer.ok() ? "" : answer.failure->error.message;
}

TEST(Function, ReadsEveryTypeOfColumn) {
  const Registry registry =
      scripted({}, [](const Message& m, OutputCollector&, RuntimeContext& context) {
        EXPECT_EQ(m.get<std::string_view>(context.column("words", "word")), "a");
        EXPECT_EQ(m.get<int64_t>("n"), -5);
        EXPECT_EQ(m.get<uint64_t>("u"), 6U);
        EXPECT_EQ(m.get<double>("d"), 0.5);
        EXPECT_EQ(m.get<bool>("b"), true);
        EXPECT_EQ(m.get<yson::Node>("any").as_int64(), 3);
        EXPECT_EQ(m.get<std::string>("any"), "3");
        EXPECT_EQ(m.get<std::optional<int64_t>>("n"), -5);
        EXPECT_EQ(m.key<std::string>("word"), "a");
        EXPECT_EQ(m.key<std::string_view>(context.key_column("word")), "a");
        EXPECT_EQ(m.key_row(), kA);
        EXPECT_EQ(m.stream(), "words");
        EXPECT_EQ(m.system_timestamp(), context.now());
        EXPECT_FALSE(m.is_late());
        EXPECT_EQ(m.id(), (MessageId{1, 0}));
      });
  TestHarness harness(registry, words());
  harness.message("words", {std::string("a"), int64_t{-5}, uint64_t{6}, 0.5, true, AnyValue{"3"}});
  const TestAnswer answer = harness.run();
  EXPECT_TRUE(answer.ok()) << answer.failure->error.message;
}

TEST(Function, WrongReadsNameStreamAndColumn) {
  EXPECT_THAT(failure_of([](auto& m, auto&, auto&) { (void)m.template get<double>("word"); }),
              HasSubstr("\"words\": column \"word\" is string, not double"));
  EXPECT_THAT(failure_of([](auto& m, auto&, auto&) { (void)m.template get<int64_t>("n"); }),
              HasSubstr("column \"n\" is null"));
  EXPECT_THAT(failure_of([](auto& m, auto&, auto&) { (void)m.template get<int64_t>("x"); }),
              HasSubstr("\"words\" has no column \"x\"; it has word, n"));
  EXPECT_THAT(
      failure_of([](auto& m, auto&, auto&) { (void)m.template get<int64_t>(ColumnIndex(9)); }),
      HasSubstr("has 6 columns, there is no column 9"));
}

TEST(Function, WritesEveryTypeOfColumn) {
  const Registry registry = scripted({}, [](const Message&, OutputCollector& out, RuntimeContext&) {
    out.row("counts")
        .set("word", std::string("x"))
        .set("n", 7U)
        .set("u", 8)
        .set("d", 2)
        .set("b", true)
        .set("any", yson::Node(3))
        .emit();
    out.row("counts")
        .set("word", "y")
        .set("n", std::nullopt)
        .set("u", std::optional<uint64_t>())
        .set("d", std::optional(1.5))
        .emit();
  });
  TestHarness harness(registry, words());
  harness.message("words", word("a"));
  const TestAnswer answer = harness.run();
  ASSERT_TRUE(answer.ok()) << answer.failure->error.message;
  EXPECT_EQ(answer.rows("counts"),
            (std::vector<Row>{{std::string("x"), int64_t{7}, uint64_t{8}, 2.0, true,
                               AnyValue{yson::to_string(yson::Node(3))}},
                              {std::string("y"), Null{}, Null{}, 1.5, Null{}, Null{}}}));
  EXPECT_THAT(answer.outputs[0].parents, ElementsAre(0));
  EXPECT_EQ(answer.outputs[0].event_timestamp, std::nullopt);
}

TEST(Function, WrongWritesNameStreamAndColumn) {
  EXPECT_THAT(
      failure_of([](auto&, auto& out, auto&) { out.row("counts").set("n", "x").emit(); }),
      HasSubstr("output stream \"counts\": column \"n\" is int64 and cannot hold a string"));
  EXPECT_THAT(failure_of([](auto&, auto& out, auto&) { out.row("counts").set("u", -1).emit(); }),
              HasSubstr("cannot hold the integer -1"));
  EXPECT_THAT(
      failure_of([](auto&, auto& out, auto&) { out.row("counts").set("n", 1).set("n", 2).emit(); }),
      HasSubstr("set twice"));
  EXPECT_THAT(failure_of([](auto&, auto& out, auto&) { out.row("counts").set("n", 1).emit(); }),
              HasSubstr("required column \"word\" is not set"));
  EXPECT_THAT(failure_of([](auto&, auto& out, auto&) { out.row("nope").emit(); }),
              HasSubstr("no output stream \"nope\""));
  EXPECT_THAT(failure_of([](auto&, auto& out, auto&) { out.row("words").emit(); }),
              HasSubstr("no output stream \"words\""));
  EXPECT_THAT(failure_of([](auto&, auto& out, auto&) { (void)out.row("side"); }),
              HasSubstr("never emitted"));
  EXPECT_THAT(failure_of([](auto&, auto& out, auto&) {
                auto row = out.row("side");
                auto again = out.row("side");
              }),
              HasSubstr("emit the last row"));
}

TEST(Function, ACaughtMistakeLeavesTheStreamUsable) {
  const Registry registry = scripted({}, [](const Message&, OutputCollector& out, RuntimeContext&) {
    EXPECT_THROW(out.row("counts").set("word", "lost").set("n", "x").emit(), SchemaError);
    out.row("counts").set("word", "kept").emit();
  });
  TestHarness harness(registry, words());
  harness.message("words", word("a"));
  const TestAnswer answer = harness.run();
  ASSERT_TRUE(answer.ok()) << answer.failure->error.message;
  EXPECT_EQ(answer.rows("counts").size(), 1U);
}

TEST(Function, ParentsAndEventTimesCanBeSet) {
  const Registry registry =
      scripted({}, [](const Message& m, OutputCollector& out, RuntimeContext&) {
        if (m.order() == OrderPosition(1)) {
          out.row("side").set_parents({OrderPosition(0), OrderPosition(1)}).emit();
          out.row("side").set_parent(m).set_event_timestamp(Timestamp(5)).emit();
        }
      });
  TestHarness harness(registry, words());
  harness.message("words", word("a"));
  harness.message("words", word("b"));
  const TestAnswer answer = harness.run();
  ASSERT_TRUE(answer.ok()) << answer.failure->error.message;
  EXPECT_THAT(answer.outputs[0].parents, ElementsAre(0, 1));
  EXPECT_EQ(answer.outputs[1].event_timestamp, Timestamp(5));
}

TEST(Function, ExceptionTellsInputTypeAndMessage) {
  auto client = std::make_shared<MutableStateClient<int64_t>>();
  const Registry registry =
      scripted([client](RuntimeContext& c) { *client = c.state_client<int64_t>("s"); },
               [client](const Message& m, OutputCollector& out, RuntimeContext&) {
                 *client->get(m) += 1;
                 out.row("counts").set("word", "x").emit();
                 if (m.get<std::string_view>("word") == "bad") {
                   try {
                     throw std::out_of_range("inner");
                   } catch (...) {
                     std::throw_with_nested(std::invalid_argument("outer"));
                   }
                 }
               });
  TestHarness harness(registry, words({{"s"}}));
  harness.message("words", word("good"));
  harness.message("words", word("bad"));
  harness.message("words", word("good"));
  const TestAnswer answer = harness.run();
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.failure->error.code, ErrorCode::kUserCodeFailed);
  EXPECT_EQ(answer.failure->error.message, "outer");
  EXPECT_EQ(answer.failure->input, OrderPosition(1));
  EXPECT_THAT(answer.failure->exception_type, HasSubstr("std::invalid_argument"));
  EXPECT_THAT(answer.failure->trace, HasSubstr("std::out_of_range: inner"));
  EXPECT_EQ(harness.raw_state("s", {std::string("good")}), std::nullopt);

  // Every tracked state was dropped.
  harness.message("words", word("good"));
  EXPECT_TRUE(harness.run().ok());
  EXPECT_EQ(harness.state<int64_t>("s", {std::string("good")}), 1);
}

TEST(Function, ThrowingAnythingIsReported) {
  EXPECT_THAT(failure_of([](auto&, auto&, auto&) { throw 42; }),
              HasSubstr("threw a value of type int"));
}

TEST(Function, TimersAndVisitsAreNotImplementedByDefault) {
  const Registry registry = scripted({}, {});
  TestHarness harness(registry, words());
  harness.message("words", word("a"));
  harness.timer("alarms", kA, Timestamp(1));
  TestAnswer answer = harness.run();
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.failure->input, OrderPosition(1));
  EXPECT_THAT(answer.failure->error.message, HasSubstr("not implemented by function \"f\""));
  harness.visit("sweep", kA);
  answer = harness.run();
  ASSERT_FALSE(answer.ok());
  EXPECT_THAT(answer.failure->error.message, HasSubstr("visit"));
}

// Writes down the order in which inputs came; sets and cancels timers.
class Recorder : public ProcessFunction {
 public:
  void process_message(const Message& m, OutputCollector& out, RuntimeContext& context) override {
    log_ += m.stream() + " ";
    out.set_timer("alarms", context.now() + Duration::seconds(1));
    out.cancel_timer("alarms", context.now());
  }
  void process_timer(const Timer& timer, OutputCollector&, RuntimeContext& context) override {
    EXPECT_EQ(timer.trigger(), Timestamp(7));
    log_ += "timer ";
    context.log_info(log_);
  }
  void process_visit(const Visit& visit, OutputCollector&, RuntimeContext& context) override {
    EXPECT_EQ(visit.pass(), 3U);
    log_ += "visit ";
    context.log_warning(log_);
  }

 private:
  std::string log_;
};

TEST(Function, SeesGroupsInTheirTotalOrder) {
  Registry registry;
  registry.add<Recorder>("f");
  EXPECT_TRUE(registry.served()[0].processes_timers);
  EXPECT_TRUE(registry.served()[0].processes_visits);
  TestHarness harness(registry, words());
  harness.message("words", word("a"));
  harness.message("more", {std::string("a")});
  harness.visit("sweep", kA, 3);
  harness.message("words", word("b"));
  harness.timer("alarms", kA, Timestamp(7));
  const TestAnswer answer = harness.run();
  ASSERT_TRUE(answer.ok()) << answer.failure->error.message;
  ASSERT_EQ(harness.logs().size(), 2U);
  EXPECT_EQ(harness.logs()[1].message, "words more visit words timer ");
  EXPECT_EQ(harness.logs()[0].level, LogLevel::kWarning);
  ASSERT_EQ(answer.new_timers.size(), 3U);
  EXPECT_EQ(answer.new_timers[2].key, (Row{std::string("b")}));
  EXPECT_EQ(answer.new_timers[2].trigger, harness.now() + Duration::seconds(1));
  EXPECT_EQ(answer.cancelled_timers.size(), 3U);
}

TEST(Function, ContextKnowsWhereItRuns) {
  const Registry registry = scripted(
      [](RuntimeContext& c) {
        EXPECT_THROW((void)c.now(), UsageError);
        EXPECT_THROW((void)c.output_stream("words"), SchemaError);
        EXPECT_THROW((void)c.stream_schema("x"), SchemaError);
        EXPECT_EQ(c.output_stream("side").column("order"), ColumnIndex(0));
        EXPECT_EQ(c.parameters().find("limit")->as_int64(), 5);
        EXPECT_EQ(c.computation(), "test");
        EXPECT_EQ(c.partition_count(), 1U);
      },
      [](const Message&, OutputCollector&, RuntimeContext& c) {
        EXPECT_EQ(c.watermark("words"), Timestamp(12));
        EXPECT_EQ(c.watermark("more"), std::nullopt);
        EXPECT_EQ(c.epoch(), Epoch(1));
        EXPECT_EQ(c.attempt(), 1U);
      });
  HarnessOptions options = words();
  options.parameters.set("limit", 5);
  TestHarness harness(registry, std::move(options));
  harness.set_watermark("words", Timestamp(12));
  harness.message("words", word("a"));
  EXPECT_TRUE(harness.run().ok());
}

// Emits how many inputs it saw, with all of them as parents.
class BatchCounter : public BatchProcessFunction {
 public:
  void process(const InputBatch& batch, OutputCollector& out, RuntimeContext&) override {
    struct Visitor {
      OutputCollector& out;
      void operator()(const Message& m) const {
        if (m.get<std::string_view>("word") == "bad") {
          throw std::runtime_error("bad");
        }
        out.row("side").set("order", m.order().value()).emit();
      }
      void operator()(const Timer&) const {}
      void operator()(const Visit&) const {}
    };
    batch.for_each(Visitor{out});
    if (batch.size() == 0) {
      out.row("side").emit();
    }
  }
};

TEST(BatchFunction, IteratesInOrderAndKnowsWhichFailed) {
  Registry registry;
  registry.add<BatchCounter>("f");
  TestHarness harness(registry, words());
  harness.message("words", word("a"));
  harness.message("more", {std::string("b")});
  TestAnswer answer = harness.run();
  ASSERT_TRUE(answer.ok()) << answer.failure->error.message;
  EXPECT_EQ(answer.rows("side"), (std::vector<Row>{{uint64_t{0}}, {uint64_t{1}}}));
  harness.message("words", word("a"));
  harness.message("words", word("bad"));
  answer = harness.run();
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.failure->input, OrderPosition(1));
  // Outside of an input there is no parent.
  answer = harness.run();
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.failure->input, std::nullopt);
  EXPECT_THAT(answer.failure->error.message, HasSubstr("parent"));
}

TEST(Function, EmptyBatchIsFine) {
  const Registry registry = scripted({}, {});
  TestHarness harness(registry, words());
  EXPECT_TRUE(harness.run().ok());
}

TEST(Registry, KnowsWhatIsNotOverriddenAndRefusesTwice) {
  Registry registry;
  registry.add("f", [] { return std::make_unique<Scripted>(nullptr, nullptr); });
  EXPECT_FALSE(registry.served()[0].processes_timers);
  EXPECT_FALSE(registry.served()[0].processes_visits);
  EXPECT_THROW(registry.add<Recorder>("f"), UsageError);
  EXPECT_EQ(registry.make("g"), nullptr);
}

TEST(Harness, RefusesAnUnknownFunction) {
  const Registry registry;
  EXPECT_THROW(TestHarness(registry, words()), std::runtime_error);
}

TEST(Harness, ComputesFarmHashKeys) {
  const Registry registry =
      scripted({}, [](const Message& m, OutputCollector& out, RuntimeContext&) {
        out.row("side").set("order", m.key<uint64_t>("hash")).emit();
      });
  HarnessOptions options = words();
  options.key_columns.insert(options.key_columns.begin(), {.name = "hash",
                                                           .type = ColumnType::kUint64,
                                                           .required = true,
                                                           .expression = "farm_hash(word)"});
  TestHarness harness(registry, std::move(options));
  harness.message("words", word(""));
  const TestAnswer answer = harness.run();
  ASSERT_TRUE(answer.ok()) << answer.failure->error.message;
  EXPECT_NE(answer.rows("side")[0][0], Value(uint64_t{0}));
}

}  // namespace
}  // namespace retinue::companion
