#include "worker/session/job_opening.h"

#include <gtest/gtest.h>

#include "protocol/frame/wire_values.h"
#include "protocol/yson/parser.h"
#include "tests/unit/worker/session/fixture.h"

namespace retinue::worker::testing {
namespace {

class JobOpeningTest : public CompanionsFixture {
 protected:
  ComputationSpec& count() { return spec.computations[ComputationId("count")]; }
  wire::OpenJob::Reader fill(PartitionIndex partition, uint32_t partition_count) {
    auto job = writer_.begin().initOpenJob();
    write_open_job(job, JobId(5), {ComputationId("count"), partition, partition_count}, spec);
    return job.asReader();
  }

 private:
  FrameWriter writer_;
};

yson::Node parse(capnp::Data::Reader data) {
  return yson::parse({reinterpret_cast<const char*>(data.begin()), data.size()}).value();
}

TEST_F(JobOpeningTest, ATransformIsDescribed) {
  count().internal_states[StateName("raw")].format = StateFormat::kRaw;
  count().internal_states[StateName("tree")].format = StateFormat::kYson;
  count().parameters.set("limit", 3);
  spec.dynamic_spec.computations[ComputationId("count")].parameters.set("rate", 0.5);
  const auto job = fill(PartitionIndex(3), 4);
  EXPECT_EQ(job.getJob(), 5u);
  EXPECT_EQ(job.getComputation(), "count");
  EXPECT_EQ(job.getPartition(), 3u);
  EXPECT_EQ(job.getPartitionCount(), 4u);
  EXPECT_EQ(job.getKind(), wire::ComputationKind::TRANSFORM);
  EXPECT_EQ(job.getFunction(), "count_words");
  EXPECT_EQ(read_schema(job.getKeySchema()).value(), count().group_by_schema);
  ASSERT_EQ(job.getStreams().size(), 2u);
  EXPECT_EQ(job.getStreams()[0].getName(), "lines");
  EXPECT_EQ(job.getStreams()[0].getRole(), wire::StreamRole::INPUT);
  EXPECT_EQ(job.getStreams()[1].getName(), "counts");
  EXPECT_EQ(job.getStreams()[1].getRole(), wire::StreamRole::OUTPUT);
  EXPECT_EQ(read_schema(job.getStreams()[0].getSchema()).value(), one_column("word"));
  ASSERT_EQ(job.getInternalStates().size(), 2u);
  EXPECT_EQ(job.getInternalStates()[0].getName(), "raw");
  EXPECT_EQ(job.getInternalStates()[0].getFormat(), wire::StateFormat::RAW);
  EXPECT_TRUE(job.getInternalStates()[1].getAutoPreload());
  EXPECT_EQ(parse(job.getParameters()), count().parameters);
  EXPECT_EQ(parse(job.getDynamicParameters()).find("rate")->as_double(), 0.5);
  EXPECT_EQ(job.getLowestKeyHash(), 0xc000'0000'0000'0000u);
  EXPECT_EQ(job.getHighestKeyHash(), 0xffff'ffff'ffff'ffffu);
}

TEST_F(JobOpeningTest, ParametersThatAreNotGivenAreAnEmptyMap) {
  const auto job = fill(PartitionIndex(0), 1);
  EXPECT_TRUE(parse(job.getParameters()).is_map());
  EXPECT_TRUE(parse(job.getDynamicParameters()).is_map());
}

TEST_F(JobOpeningTest, AnOrderedSourceIsKeyedByItsPartition) {
  count().kind = ComputationKind::kOrderedSource;
  count().input_stream_ids.clear();
  count().source_stream_id = StreamId("lines");
  const auto job = fill(PartitionIndex(1), 2);
  EXPECT_EQ(job.getKind(), wire::ComputationKind::ORDERED_SOURCE);
  const TableSchema key = read_schema(job.getKeySchema()).value();
  ASSERT_EQ(key.size(), 1u);
  EXPECT_EQ(key[ColumnIndex(0)].name, "source_partition");
  EXPECT_EQ(key[ColumnIndex(0)].type, ColumnType::kString);
  EXPECT_TRUE(key[ColumnIndex(0)].required);
  EXPECT_EQ(job.getStreams()[0].getName(), "lines");
  EXPECT_EQ(job.getStreams()[0].getRole(), wire::StreamRole::INPUT);
  EXPECT_EQ(job.getLowestKeyHash(), 0u);
  EXPECT_EQ(job.getHighestKeyHash(), 0xffff'ffff'ffff'ffffu);
}

}  // namespace
}  // namespace retinue::worker::testing
