#include <gmock/gmock.h>

#include <optional>
#include <thread>

#include "tests/unit/companion_sdk/cpp/functions.h"

namespace shop {

struct Totals {
  int64_t count = 0;
  std::string last;
  std::optional<double> ratio;
  std::map<std::string, std::vector<uint32_t>> seen;

  friend bool operator==(const Totals&, const Totals&) = default;
};
RETINUE_YSON_STRUCT(Totals, count, last, ratio, seen);

// The same state, written by another release.
struct OlderTotals {
  int64_t count = 0;
  bool retired = true;
};
RETINUE_YSON_STRUCT(OlderTotals, count, retired);

// Coded by hand, empty when negative.
struct Level {
  int value = -1;
};
inline void encode_state(std::string& out, const Level& level) {
  out += std::to_string(level.value);
}
inline void decode_state(std::string_view bytes, Level& level) {
  level.value = std::stoi(std::string(bytes));
}
inline bool is_empty(const Level& level) {
  return level.value < 0;
}
inline void clear_state(Level& level) {
  level.value = -100;
}

}  // namespace shop

namespace retinue::companion {
namespace {

using shop::Level;
using shop::OlderTotals;
using shop::Totals;
using ::testing::AllOf;
using ::testing::HasSubstr;

const Row kA = {std::string("a")};

// Runs `use` with the accessor of every message's key.
template <typename T>
Registry using_state(std::function<void(StateAccessor<T>)> use) {
  auto client = std::make_shared<MutableStateClient<T>>();
  return scripted([client](RuntimeContext& context) { *client = context.state_client<T>("s"); },
                  [client, use](const Message& message, OutputCollector&, RuntimeContext&) {
                    use(client->get(message));
                  });
}

HarnessOptions with_state(StateFormat format = StateFormat::kYson, bool auto_preload = true) {
  return words({{"s", format, auto_preload}});
}

TEST(State, IsKeptBetweenBatches) {
  const Registry registry = using_state<Totals>([](auto state) {
    state->count += 1;
    state->seen["x"].push_back(7);
  });
  TestHarness harness(registry, with_state());
  harness.message("words", word("a"));
  harness.message("words", word("b"));
  harness.message("words", word("a"));
  EXPECT_EQ(harness.run().state_changes.size(), 2U);
  harness.message("words", word("a"));
  harness.run();
  const auto totals = harness.state<Totals>("s", kA);
  ASSERT_TRUE(totals.has_value());
  EXPECT_EQ(totals->count, 3);
  EXPECT_EQ(totals->seen.at("x").size(), 3U);
  EXPECT_EQ(harness.state<Totals>("s", {std::string("c")}), std::nullopt);
}

TEST(State, ReadingSendsNothing) {
  const Registry registry = using_state<Totals>([](auto state) { EXPECT_EQ(state->count, 4); });
  TestHarness harness(registry, with_state());
  harness.put_state("s", kA, Totals{.count = 4, .last = "x", .ratio = 0.5, .seen = {}});
  harness.message("words", word("a"));
  EXPECT_TRUE(harness.run().state_changes.empty());
}

TEST(State, ReadingAnAbsentOneSendsNothing) {
  const Registry registry = using_state<Totals>([](auto state) {
    EXPECT_FALSE(state.exists());
    EXPECT_EQ(*state, Totals{});
  });
  TestHarness harness(registry, with_state());
  harness.message("words", word("a"));
  EXPECT_TRUE(harness.run().state_changes.empty());
}

TEST(State, WritingTheSameValueSendsNothing) {
  const Registry registry = using_state<int64_t>([](auto state) { *state = 5; });
  TestHarness harness(registry, with_state());
  harness.put_state<int64_t>("s", kA, 5);
  harness.message("words", word("a"));
  EXPECT_TRUE(harness.run().state_changes.empty());
}

TEST(State, TheDefaultDeletesTheRow) {
  const Registry registry = using_state<int64_t>([](auto state) { *state -= 1; });
  TestHarness harness(registry, with_state());
  harness.put_state<int64_t>("s", kA, 1);
  harness.message("words", word("a"));
  const TestAnswer answer = harness.run();
  ASSERT_EQ(answer.state_changes.size(), 1U);
  EXPECT_EQ(answer.state_changes[0].bytes, std::nullopt);
  EXPECT_EQ(harness.state<int64_t>("s", kA), std::nullopt);
}

TEST(State, ClearDeletesAndCanBeWrittenAgain) {
  int round = 0;
  const Registry registry = using_state<int64_t>([&](auto state) {
    state.clear();
    EXPECT_FALSE(state.exists());
    EXPECT_EQ(*state, 0);
    if (++round == 2) {
      *state = 8;
    }
  });
  TestHarness harness(registry, with_state());
  harness.put_state<int64_t>("s", kA, 3);
  harness.message("words", word("a"));
  harness.run();
  EXPECT_EQ(harness.state<int64_t>("s", kA), std::nullopt);
  harness.message("words", word("a"));
  harness.run();
  EXPECT_EQ(harness.state<int64_t>("s", kA), 8);
}

TEST(State, CustomEmptinessAndClear) {
  const Registry registry = using_state<Level>([](auto state) { state->value -= 2; });
  TestHarness harness(registry, with_state(StateFormat::kRaw));
  harness.put_raw_state("s", kA, "3");
  harness.message("words", word("a"));
  harness.run();
  EXPECT_EQ(harness.raw_state("s", kA), "1");
  harness.message("words", word("a"));
  harness.run();
  EXPECT_EQ(harness.raw_state("s", kA), std::nullopt);

  const Registry clearing = using_state<Level>([](auto state) {
    state.clear();
    EXPECT_EQ(state->value, -100);
  });
  TestHarness cleared(clearing, with_state(StateFormat::kRaw));
  cleared.put_raw_state("s", kA, "3");
  cleared.message("words", word("a"));
  cleared.run();
  EXPECT_EQ(cleared.raw_state("s", kA), std::nullopt);
}

TEST(State, RawStringsAreTheBytes) {
  const Registry registry = using_state<std::string>([](auto state) { *state += '\0'; });
  TestHarness harness(registry, with_state(StateFormat::kRaw));
  harness.put_raw_state("s", kA, "x");
  harness.message("words", word("a"));
  harness.run();
  EXPECT_EQ(harness.raw_state("s", kA), std::string("x\0", 2));
}

TEST(State, AccessorsOfOneKeyShareOneObject) {
  auto client = std::make_shared<MutableStateClient<int64_t>>();
  const Registry registry = scripted(
      [&](RuntimeContext& context) {
        *client = context.state_client<int64_t>("s");
        EXPECT_NO_THROW((void)context.state_client<int64_t>("s"));
      },
      [&](const Message& message, OutputCollector&, RuntimeContext&) {
        auto first = client->get(message);
        auto second = client->get(message);
        *first = 10;
        EXPECT_EQ(&*first, &*second);
      });
  TestHarness harness(registry, with_state());
  harness.message("words", word("a"));
  EXPECT_TRUE(harness.run().ok());
}

TEST(State, StaleAccessorThrows) {
  std::optional<StateAccessor<int64_t>> kept;
  const Registry registry = using_state<int64_t>([&](auto state) {
    if (kept) {
      EXPECT_THROW((void)**kept, StaleStateError);
      EXPECT_THROW(kept->clear(), StaleStateError);
      EXPECT_THROW((void)kept->exists(), StaleStateError);
    }
    kept = state;
    EXPECT_NO_THROW((void)**kept);
    std::thread([&] { EXPECT_THROW((void)**kept, StaleStateError); }).join();
  });
  {
    TestHarness harness(registry, with_state());
    harness.message("words", word("a"));
    EXPECT_TRUE(harness.run().ok());
    EXPECT_THROW((void)**kept, StaleStateError);
    harness.message("words", word("a"));
    EXPECT_TRUE(harness.run().ok());
  }
  EXPECT_THROW((void)**kept, StaleStateError);  // its job is gone, too
}

TEST(State, UncaughtStaleAccessorFailsTheBatch) {
  std::optional<StateAccessor<int64_t>> kept;
  const Registry registry = using_state<int64_t>([&](auto state) {
    if (!kept) {
      kept = state;
    }
    **kept += 1;
  });
  TestHarness harness(registry, with_state());
  harness.message("words", word("a"));
  EXPECT_TRUE(harness.run().ok());
  harness.message("words", word("a"));
  const TestAnswer answer = harness.run();
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.failure->exception_type, "retinue::companion::StaleStateError");
  EXPECT_EQ(harness.state<int64_t>("s", kA), 1);
}

TEST(State, NotLoadedCanOnlyBeCleared) {
  bool read = false;
  const Registry registry = using_state<int64_t>([&](auto state) {
    if (read) {
      (void)*state;
    }
    state.clear();
  });
  TestHarness harness(registry, with_state(StateFormat::kYson, false));
  harness.put_state<int64_t>("s", kA, 3);
  harness.message("words", word("a"));
  EXPECT_TRUE(harness.run().ok());
  EXPECT_EQ(harness.state<int64_t>("s", kA), std::nullopt);
  read = true;
  harness.message("words", word("a"));
  const TestAnswer answer = harness.run();
  ASSERT_FALSE(answer.ok());
  EXPECT_THAT(answer.failure->error.message, HasSubstr("not loaded"));
}

TEST(State, FieldsComeAndGo) {
  const Registry registry = using_state<Totals>([](auto state) {
    EXPECT_EQ(state->count, 9);
    EXPECT_EQ(state->last, "");
    state->last = "z";
  });
  TestHarness harness(registry, with_state());
  harness.put_state("s", kA, OlderTotals{.count = 9, .retired = false});
  harness.message("words", word("a"));
  EXPECT_TRUE(harness.run().ok());
  EXPECT_EQ(harness.state<Totals>("s", kA)->last, "z");
}

TEST(State, UndecodableFailsNamingTheField) {
  const Registry registry = using_state<Totals>([](auto state) { (void)*state; });
  TestHarness harness(registry, with_state());
  harness.put_raw_state("s", kA, "{count=1;seen={x=[1;oops]}}");
  harness.message("words", word("a"));
  const TestAnswer answer = harness.run();
  ASSERT_FALSE(answer.ok());
  EXPECT_THAT(answer.failure->error.message, HasSubstr("\"s\""));
  EXPECT_THAT(answer.failure->error.message, HasSubstr("seen: x: [1]: expected uint64"));
}

std::string init_error(Scripted::Init init, HarnessOptions options) {
  const Registry registry = scripted(std::move(init), {});
  try {
    const TestHarness harness(registry, std::move(options));
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

TEST(State, FormatMismatchRefusesTheJobNamingBoth) {
  EXPECT_THAT(init_error([](RuntimeContext& c) { (void)c.state_client<int64_t>("s"); },
                         with_state(StateFormat::kRaw)),
              AllOf(HasSubstr("schema-mismatch"),
                    HasSubstr("state \"s\" is declared raw, but its C++ type is coded as yson")));
  EXPECT_THAT(init_error([](RuntimeContext& c) { (void)c.state_client<Level>("s"); }, with_state()),
              HasSubstr("declared yson, but its C++ type is coded as raw"));
}

TEST(State, UndeclaredAndOtherTypeRefuseTheJob) {
  EXPECT_THAT(
      init_error([](RuntimeContext& c) { (void)c.state_client<int64_t>("t"); }, with_state()),
      HasSubstr("declares no state \"t\"; it declares \"s\""));
  EXPECT_THAT(init_error(
                  [](RuntimeContext& c) {
                    (void)c.state_client<int64_t>("s");
                    (void)c.state_client<double>("s");
                  },
                  with_state()),
              HasSubstr("already open as another type"));
}

TEST(State, ClientsAreHadInInit) {
  const Registry registry = scripted({}, [](const Message&, OutputCollector&, RuntimeContext& c) {
    EXPECT_THROW((void)c.state_client<int64_t>("s"), UsageError);
  });
  TestHarness harness(registry, with_state());
  harness.message("words", word("a"));
  EXPECT_TRUE(harness.run().ok());
}

template <typename T>
T round_trip(const T& value) {
  std::string bytes;
  StateCodec<T>::encode(StateFormat::kYson, bytes, value);
  T read{};
  StateCodec<T>::decode(StateFormat::kYson, bytes, read);
  return read;
}

TEST(YsonCodec, RoundTrips) {
  EXPECT_EQ(round_trip<int8_t>(-128), -128);
  EXPECT_EQ(round_trip<uint64_t>(~uint64_t{0}), ~uint64_t{0});
  EXPECT_EQ(round_trip(true), true);
  EXPECT_EQ(round_trip(-0.25), -0.25);
  EXPECT_EQ(round_trip<std::string>("\0x"), "\0x");
  EXPECT_EQ(round_trip<std::optional<int>>(std::nullopt), std::nullopt);
  EXPECT_EQ(round_trip<std::optional<int>>(0), 0);
  const std::unordered_map<std::string, int> by_name = {{"b", 1}, {"a", 2}};
  EXPECT_EQ(round_trip(by_name), by_name);
  const std::map<int64_t, std::string> pairs = {{-1, "x"}, {5, ""}};
  EXPECT_EQ(round_trip(pairs), pairs);
}

TEST(YsonCodec, EqualMapsHaveEqualBytes) {
  std::unordered_map<std::string, int> many;
  std::map<std::string, int> sorted;
  for (int i = 0; i < 100; ++i) {
    many[std::to_string(i)] = sorted[std::to_string(i)] = i;
  }
  std::string a;
  std::string b;
  StateCodec<std::unordered_map<std::string, int>>::encode(StateFormat::kYson, a, many);
  StateCodec<std::map<std::string, int>>::encode(StateFormat::kYson, b, sorted);
  EXPECT_EQ(a, b);
}

TEST(YsonCodec, RefusesWhatDoesNotFit) {
  int8_t small = 0;
  EXPECT_THROW(StateCodec<int8_t>::decode(StateFormat::kYson, "128", small), StateError);
  uint32_t natural = 0;
  EXPECT_THROW(StateCodec<uint32_t>::decode(StateFormat::kYson, "-1", natural), StateError);
  bool flag = false;
  EXPECT_THROW(StateCodec<bool>::decode(StateFormat::kYson, "1", flag), StateError);
  EXPECT_THROW(StateCodec<bool>::decode(StateFormat::kYson, "{", flag), StateError);
}

}  // namespace
}  // namespace retinue::companion
