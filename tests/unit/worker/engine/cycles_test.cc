// Computations that feed themselves, with inboxes that hold next to nothing.
#include <algorithm>
#include <random>

#include "tests/unit/worker/engine/world.h"

namespace retinue::worker::testing {
namespace {

constexpr size_t kInboxBytes = 600;
// Above any block that a batch of four makes.
constexpr size_t kBlockBytesMax = 400;
constexpr uint32_t kPartitions = 3;

// lines -> read ("split") -> words -> tree ("branch") -> branches -> back ("pass") -> and so on
// through `length` computations, the last of which feeds the tree again. A sink has the branches.
PipelineSpec tree_pipeline(uint32_t length) {
  PipelineSpec spec = word_pipeline();
  const TableSchema words = spec.streams.at(StreamId("words")).schema;
  ComputationSpec tree = spec.computations.at(ComputationId("count"));
  tree.internal_states.erase(StateName("odd"));
  ComputationSpec pass = tree;
  pass.processing_function = FunctionName("pass");
  pass.internal_states.clear();
  for (const char* const gone : {"count", "sizes"}) {
    spec.computations.erase(ComputationId(gone));
  }
  StreamId stream("branches");
  spec.streams = {{StreamId("lines"), spec.streams.at(StreamId("lines"))},
                  {StreamId("words"), {.schema = words}},
                  {stream, {.schema = words}}};
  tree.processing_function = FunctionName("branch");
  tree.output_stream_ids = {stream};
  for (uint32_t i = 1; i < length; ++i) {
    const std::string name = "back" + std::to_string(i);
    pass.input_stream_ids = {stream};
    stream = StreamId(name);
    pass.output_stream_ids = {stream};
    spec.streams[stream].schema = words;
    spec.computations[ComputationId(name)] = pass;
  }
  tree.input_stream_ids = {StreamId("words"), stream};
  spec.computations[ComputationId("tree")] = tree;
  spec.sinks = {
      {SinkName("branches"),
       {.type = SinkType::kJsonLines, .input_stream_ids = {StreamId("branches")}, .path = "/all"}}};
  spec.dynamic_spec.computations.clear();
  for (const auto& [id, computation] : spec.computations) {
    DynamicComputationSpec& dynamic = spec.dynamic_spec.computations[id];
    dynamic.max_attempts = dynamic.max_crashes_per_batch = 1'000'000;
    dynamic.max_rows_per_batch = 4;
    dynamic.inbox_bytes_limit = kInboxBytes;
    dynamic.desired_partition_count =
        computation.kind == ComputationKind::kOrderedSource ? 1 : kPartitions;
  }
  return spec;
}

// A tree of this height, for every line.
void expect_whole_trees(World& world, uint64_t height, uint64_t count) {
  ASSERT_EQ(world.state(), Engine::State::kFinished)
      << (world.state() == Engine::State::kFailed ? world.engine().error().to_string() : "");
  std::map<std::string, std::string> visits;
  for (uint64_t level = 0; level <= height; ++level) {
    visits[std::to_string(height - level)] = std::to_string(count << level);
  }
  EXPECT_EQ(world.stored_states("tree", "n"), visits);
  EXPECT_EQ(world.sink("all").size(), count * ((uint64_t{2} << height) - 2));
  EXPECT_EQ(world.store.block_count(), 0u);
}

// In the inbox of whoever has the most.
struct Queued {
  uint64_t messages = 0;
  uint64_t bytes_in_memory = 0;
};

Queued most_queued(World& world) {
  Queued most;
  for (const ComputationSummary& one : world.engine().summary().computations) {
    most.messages = std::max(most.messages, one.queued_messages);
    most.bytes_in_memory = std::max(most.bytes_in_memory, one.inbox_bytes);
  }
  return most;
}

class Cycles : public ::testing::TestWithParam<uint32_t> {};

TEST_P(Cycles, EndInBoundedMemory) {
  World world({"8", "8", "8"});
  world.spec = tree_pipeline(GetParam());
  world.start();
  uint64_t queued_max = 0;
  for (int i = 0; i < 20'000 && world.state() == Engine::State::kRunning; ++i) {
    world.connect_all();
    world.companions_step();
    world.do_blocking_work();
    world.give_lines(1);
    world.store_commits(2);
    const Queued most = most_queued(world);
    queued_max = std::max(queued_max, most.messages);
    // What is on its way to the store is held too: at most four commits of each producer.
    const size_t producers = kPartitions + 1;
    ASSERT_LE(most.bytes_in_memory,
              kPartitions * (kInboxBytes + kBlockBytesMax * (1 + 4 * producers)));
  }
  expect_whole_trees(world, 8, 3);
  EXPECT_GT(queued_max, 300u) << "nothing has spilled";
}

TEST_P(Cycles, ARestartDoesNotLoadWhatHasSpilled) {
  World world({"10"});
  world.spec = tree_pipeline(GetParam());
  world.start();
  world.settle();
  world.give_lines(5);
  for (int i = 0; i < 2000 && world.store.block_count() < 80; ++i) {
    world.companions_step();
    world.do_blocking_work();
    world.store_commits();
  }
  ASSERT_GE(world.store.block_count(), 80u);
  world.crash();
  const size_t loaded_before = world.store.loaded_block_count();
  world.start();
  EXPECT_LT(world.store.loaded_block_count() - loaded_before, 40u);
  EXPECT_GT(most_queued(world).messages, 50u) << "but it knows of it";
  world.run_to_end();
  expect_whole_trees(world, 10, 1);
}

INSTANTIATE_TEST_SUITE_P(Lengths, Cycles, ::testing::Values(2u, 3u));

class CycleSimulation : public ::testing::TestWithParam<uint32_t> {};

TEST_P(CycleSimulation, EndsAsAnUndisturbedRunDoes) {
  std::mt19937 random(GetParam());
  const auto pick = [&](uint32_t count) { return static_cast<uint32_t>(random() % count); };
  World world({"6", "6"});
  world.spec = tree_pipeline(2 + pick(3));
  for (auto& [id, computation] : world.spec.dynamic_spec.computations) {
    computation.inbox_bytes_limit = pick(3) == 0 ? 1 : 1 + pick(3000);
    computation.max_rows_per_batch = 1 + pick(6);
    computation.batch_duration = Duration::milliseconds(pick(2) == 0 ? 0 : 20);
  }
  uint32_t crashes_left = pick(8);
  ASSERT_NO_FATAL_FAILURE(world.start());
  for (int steps = 0; world.state() == Engine::State::kRunning; ++steps) {
    ASSERT_LT(steps, 300'000) << "it never ends";
    switch (pick(8)) {
      case 0: world.connect_all(); break;
      case 1:
      case 2: world.companions_step(); break;
      case 3: world.do_blocking_work(); break;
      case 4: world.store_commits(pick(5)); break;
      case 5: world.give_lines(pick(2)); break;
      case 6: world.advance(Duration::milliseconds(pick(40))); break;
      default:
        if (crashes_left > 0 && pick(60) == 0) {
          --crashes_left;
          world.crash();
          ASSERT_NO_FATAL_FAILURE(world.start());
        }
    }
  }
  expect_whole_trees(world, 6, 2);
}

INSTANTIATE_TEST_SUITE_P(Seeds, CycleSimulation, ::testing::Range(0u, 100u));

}  // namespace
}  // namespace retinue::worker::testing
