#include "worker/engine/pipeline_record.h"

#include "tests/unit/worker/engine/world.h"
#include "worker/engine/pipeline_change.h"

namespace retinue::worker::testing {
namespace {

using ::testing::HasSubstr;

class PipelineRecordTest : public ::testing::Test {
 protected:
  Result<void> run() {
    RETINUE_ASSIGN(const Topology topology, resolve_topology(spec, store));
    return check_and_record_pipeline(spec, topology, store, log);
  }
  void expect_refused(const std::string& path, const std::string& before, const std::string& now) {
    const auto checked = run();
    ASSERT_FALSE(checked.ok()) << path;
    EXPECT_EQ(checked.error().code, ErrorCode::kInvalidSpec);
    EXPECT_THAT(checked.error().message, HasSubstr(path + ": the data directory was written with " +
                                                   before + ", the spec now has " + now));
    spec = word_pipeline();
    EXPECT_TRUE(run().ok()) << "a refused run changes nothing";
  }
  ComputationSpec& count() { return spec.computations.at(ComputationId("count")); }

  PipelineSpec spec = word_pipeline();
  MemoryStore store;
  RecordingLog log;
};

TEST_F(PipelineRecordTest, RemembersThePipeline) {
  EXPECT_EQ(load_pipeline_record(store).error().code, ErrorCode::kNotFound);
  ASSERT_TRUE(run().ok());
  ASSERT_TRUE(run().ok());
  const auto record = load_pipeline_record(store);
  ASSERT_TRUE(record.ok()) << record.error().to_string();
  EXPECT_EQ(record->name, "pipeline");
  ASSERT_EQ(record->computations.size(), 3u);
  const RecordedComputation& one = record->computations.at(ComputationId("count"));
  EXPECT_EQ(one.kind, ComputationKind::kTransform);
  EXPECT_EQ(one.partition_count, 3u);
  EXPECT_EQ(one.key_schema, count().group_by_schema);
  EXPECT_EQ(one.states, (std::map<StateName, StateFormat>{{StateName("n"), StateFormat::kRaw},
                                                          {StateName("odd"), StateFormat::kRaw}}));
  EXPECT_EQ(record->sinks,
            (std::map<SinkName, RecordedSink>{{SinkName("all"), {.partition_count = 1}},
                                              {SinkName("counts"), {.partition_count = 3}},
                                              {SinkName("sizes"), {.partition_count = 1}}}));
  EXPECT_EQ(record->streams.at(StreamId("words")), spec.streams.at(StreamId("words")).schema);
}

TEST_F(PipelineRecordTest, RefusesWhatMustNotChange) {
  ASSERT_TRUE(run().ok());
  spec.name = "other";
  expect_refused("/name", "pipeline", "other");
  spec.computations.at(ComputationId("read")).kind = ComputationKind::kPassthroughSource;
  expect_refused("/computations/read/kind", "ordered_source", "passthrough_source");
  spec.dynamic_spec.computations.at(ComputationId("count")).desired_partition_count = 4;
  expect_refused("/dynamic_spec/computations/count/desired_partition_count", "3", "4");
  count().group_by_schema = plain_key_schema(count().group_by_schema);
  expect_refused("/computations/count/group_by_schema",
                 "(hash uint64 = farm_hash(word), word string)", "(word string)");
  count().internal_states.at(StateName("n")).format = StateFormat::kYson;
  expect_refused("/computations/count/internal_states/n/format", "raw", "yson");
  spec.sinks.at(SinkName("counts")).path = "/counts";
  expect_refused("/sinks/counts: partition count", "3", "1");
}

TEST_F(PipelineRecordTest, WhatIsGoneStaysAndMustFitWhenItComesBack) {
  ASSERT_TRUE(run().ok());
  spec.computations.erase(ComputationId("sizes"));
  spec.sinks.erase(SinkName("sizes"));
  count().internal_states.erase(StateName("odd"));
  ASSERT_TRUE(run().ok());
  const auto record = load_pipeline_record(store);
  EXPECT_TRUE(record->computations.at(ComputationId("sizes")).is_gone);
  EXPECT_TRUE(record->sinks.at(SinkName("sizes")).is_gone);
  EXPECT_EQ(log.entries.size(), 2u);
  ASSERT_TRUE(run().ok());
  EXPECT_EQ(log.entries.size(), 2u) << "said once";
  EXPECT_TRUE(record->computations.at(ComputationId("count")).states.contains(StateName("odd")));
  spec = word_pipeline();
  count().internal_states.at(StateName("odd")).format = StateFormat::kYson;
  expect_refused("/computations/count/internal_states/odd/format", "raw", "yson");
  spec.dynamic_spec.computations.at(ComputationId("sizes")).desired_partition_count = 1;
  expect_refused("/dynamic_spec/computations/sizes/desired_partition_count", "2", "1");
}

TEST_F(PipelineRecordTest, GarbageIsRefused) {
  for (const char* record :
       {"", "[]", "{}", "{name=1}", "{name=a;streams=[];computations={};sinks={}}",
        "{name=a;streams={s=1};computations={};sinks={}}",
        "{name=a;streams={};computations=[];sinks={}}",
        "{name=a;streams={};computations={c=1};sinks={}}",
        "{name=a;streams={};computations={};sinks={s=x}}",
        "{name=a;streams={};computations={};sinks={s={partition_count=0u}}}",
        "{name=a;streams={};computations={};sinks={s={partition_count=99999999999u}}}",
        "{name=a;streams={};computations={c={kind=odd;partition_count=1u;key=[];states={}}};sinks={"
        "}}",
        "{name=a;streams={};computations={c={kind=transform;partition_count=0u;key=[];states={}}};"
        "sinks={}}",
        "{name=a;streams={};computations={c={kind=transform;partition_count=1u;key=[1];states={}}};"
        "sinks={}}",
        "{name=a;streams={};computations={c={kind=transform;partition_count=1u;key=[{name=a;"
        "streams={};type=odd}];"
        "states={}}};sinks={}}",
        "{name=a;streams={};computations={c={kind=transform;partition_count=1u;key=[{name=a;"
        "streams={};type=string;"
        "expression=5}];states={}}};sinks={}}",
        "{name=a;streams={};computations={c={kind=transform;partition_count=1u;key=[];states={n="
        "odd}}};"
        "sinks={}}",
        "{name=a;streams={};computations={c={kind=transform;partition_count=1u;key=[];states={n=5}}"
        "};"
        "sinks={}}"}) {
    store.put_record("pipeline", record);
    const auto read = load_pipeline_record(store);
    ASSERT_FALSE(read.ok()) << record;
    EXPECT_EQ(read.error().code, ErrorCode::kDataCorrupted) << record;
    EXPECT_FALSE(run().ok());
  }
}

TEST(Topology, ProducersStandBeforeTheirConsumers) {
  PipelineSpec spec = word_pipeline();
  // By name "a" would come first, and it reads what "count" emits.
  spec.computations[ComputationId("a")] = spec.computations.at(ComputationId("sizes"));
  spec.computations.erase(ComputationId("sizes"));
  spec.dynamic_spec.computations[ComputationId("a")];
  MemoryStore store;
  const Topology topology = resolve_topology(spec, store).value();
  ASSERT_EQ(topology.computations.size(), 3u);
  EXPECT_EQ(topology.computations[0]->id, ComputationId("read"));
  EXPECT_EQ(topology.computations[1]->id, ComputationId("count"));
  EXPECT_EQ(topology.computations[2]->id, ComputationId("a"));
  const ComputationPlan& count = *topology.computations[1];
  EXPECT_EQ(topology.producers_of(count.owner),
            std::vector<OwnerNumber>{topology.computations[0]->owner});
  EXPECT_TRUE(topology.producers_of(topology.computations[0]->owner).empty());
  // Its outputs go to "a", and to the sinks "all" and "counts".
  EXPECT_EQ(count.outputs[0].consumers.size(), 3u);
  // Numbers stay when the pipeline is resolved again.
  const Topology again = resolve_topology(spec, store).value();
  EXPECT_EQ(again.computations[1]->owner, count.owner);
  EXPECT_EQ(again.computations[1]->states[0].number, count.states[0].number);
}

}  // namespace
}  // namespace retinue::worker::testing
