#include "worker/spec/spec_loader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "protocol/base/limits.h"
#include "protocol/yson/writer.h"
#include "tests/unit/worker/spec/sample_spec.h"
#include "worker/json/json_writer.h"

namespace retinue::worker {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::StartsWith;

class SpecFiles : public testing::Test {
 protected:
  SpecFiles() : folder_(testing::TempDir() + "spec_files_" + std::to_string(::getpid())) {
    std::filesystem::create_directories(folder_);
  }
  ~SpecFiles() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path write(std::string_view name, std::string_view text) const {
    const std::filesystem::path path = folder_ / name;
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }

  const std::filesystem::path folder_;
};

TEST(LoadSpec, ReadsStreams) {
  const PipelineSpec spec = loaded(sample_spec());
  EXPECT_EQ(spec.name, "sample");
  EXPECT_EQ(spec.folder, "/pipelines/sample");
  ASSERT_EQ(spec.streams.size(), 5u);
  const auto columns = spec.streams.at(StreamId("counts")).schema.columns();
  ASSERT_EQ(columns.size(), 4u);
  EXPECT_EQ(columns[0], (Column{"word", ColumnType::kString, false, ""}));
  EXPECT_EQ(columns[1], (Column{"count", ColumnType::kInt64, false, ""}));
  EXPECT_EQ(columns[2], (Column{"share", ColumnType::kDouble, false, ""}));
  EXPECT_EQ(columns[3], (Column{"is_new", ColumnType::kBoolean, false, ""}));
  EXPECT_TRUE(spec.streams.at(StreamId("words")).schema.columns()[0].required);
}

TEST(LoadSpec, ReadsCompanions) {
  const PipelineSpec spec = loaded(sample_spec());
  const CompanionSpec& counter = spec.companions.at(CompanionName("counter"));
  EXPECT_THAT(counter.command, ElementsAre("/pipelines/sample/bin/counter", "--verbose", "data/x"));
  EXPECT_THAT(counter.environment, ElementsAre(Pair("EMPTY", ""), Pair("LANG", "C")));
  EXPECT_EQ(counter.working_directory, "/pipelines/sample/work");
  EXPECT_EQ(counter.processes, 4u);
  EXPECT_EQ(counter.startup_timeout, Duration::seconds(20));
  EXPECT_EQ(counter.batch_timeout, Duration::seconds(90));
  EXPECT_EQ(counter.restart_delay_min, Duration::milliseconds(50));
  EXPECT_EQ(counter.restart_delay_max, Duration::seconds(1));
  EXPECT_EQ(counter.restarts_without_progress_max, 3u);

  const CompanionSpec& by_hand = spec.companions.at(CompanionName("by_hand"));
  EXPECT_THAT(by_hand.command, IsEmpty());
  EXPECT_EQ(by_hand.working_directory, "/pipelines/sample");
  EXPECT_EQ(by_hand.processes, 1u);
  EXPECT_EQ(by_hand.batch_timeout, CompanionSpec{}.batch_timeout);
}

TEST(LoadSpec, ReadsComputations) {
  const PipelineSpec spec = loaded(sample_spec());
  const ComputationSpec& read = spec.computations.at(ComputationId("read"));
  EXPECT_EQ(read.kind, ComputationKind::kOrderedSource);
  EXPECT_EQ(read.source_stream_id, StreamId("lines"));
  EXPECT_EQ(read.processing_function, FunctionName("split"));
  EXPECT_EQ(yson::to_string(read.parameters, yson::Format::kText), R"({"separator"=" "})");
  EXPECT_EQ(read.internal_states.at(StateName("position")).format, StateFormat::kRaw);
  ASSERT_TRUE(read.source.has_value());
  EXPECT_EQ(read.source->type, SourceType::kTextLines);
  EXPECT_THAT(read.source->paths, ElementsAre("/pipelines/sample/input/*.txt.gz", "/more.txt"));
  EXPECT_EQ(read.source->compression, Compression::kGzip);
  EXPECT_EQ(read.source->on_bad_line, BadLinePolicy::kSkip);
  EXPECT_EQ(read.source->file_column, "path");
  EXPECT_EQ(read.source->line_number_column, "number");

  const ComputationSpec& events = spec.computations.at(ComputationId("events"));
  EXPECT_EQ(events.kind, ComputationKind::kPassthroughSource);
  EXPECT_THAT(events.source->paths, ElementsAre("-"));
  EXPECT_EQ(events.source->dead_letter_path, "/pipelines/sample/bad/events.jsonl");
  EXPECT_TRUE(events.companion.empty());
  EXPECT_TRUE(events.processing_function.empty());
  EXPECT_EQ(events.parameters, yson::Node(yson::Map{}));

  const ComputationSpec& count = spec.computations.at(ComputationId("count"));
  EXPECT_EQ(count.processing_function, FunctionName("count"));
  EXPECT_THAT(count.input_stream_ids, ElementsAre(StreamId("words"), StreamId("events")));
  EXPECT_THAT(count.output_stream_ids, ElementsAre(StreamId("counts")));
  const auto key = count.group_by_schema.columns();
  ASSERT_EQ(key.size(), 2u);
  EXPECT_EQ(key[0], (Column{"hash", ColumnType::kUint64, true, "farm_hash(word)"}));
  EXPECT_EQ(key[1], (Column{"word", ColumnType::kString, true, ""}));
  EXPECT_EQ(count.internal_states.at(StateName("count")).format, StateFormat::kYson);
}

TEST(LoadSpec, ReadsSinks) {
  const PipelineSpec spec = loaded(sample_spec());
  const SinkSpec& file = spec.sinks.at(SinkName("file"));
  EXPECT_EQ(file.type, SinkType::kJsonLines);
  EXPECT_EQ(file.path, "/pipelines/sample/out/{partition}.jsonl");
  const SinkSpec& screen = spec.sinks.at(SinkName("screen"));
  EXPECT_EQ(screen.type, SinkType::kStdout);
  EXPECT_THAT(screen.input_stream_ids, ElementsAre(StreamId("counts"), StreamId("events")));
}

TEST(LoadSpec, ReadsTheDynamicSpec) {
  const PipelineSpec spec = loaded(sample_spec());
  EXPECT_EQ(spec.dynamic_spec.state_cache_bytes_limit, uint64_t{1} << 30);
  ASSERT_EQ(spec.dynamic_spec.computations.size(), 4u);
  const DynamicComputationSpec& count = spec.dynamic_spec.computations.at(ComputationId("count"));
  EXPECT_EQ(count.max_rows_per_batch, 500u);
  EXPECT_EQ(count.max_bytes_per_batch, 512u << 10);
  EXPECT_EQ(count.batch_duration, Duration::milliseconds(20));
  EXPECT_EQ(count.desired_partition_count, 8u);
  EXPECT_EQ(count.max_attempts, 5u);
  EXPECT_EQ(count.retry_delay, Duration::seconds(1));
  EXPECT_EQ(count.retry_delay_max, Duration::seconds(20));
  EXPECT_EQ(count.max_crashes_per_batch, 2u);
  EXPECT_EQ(count.on_failure, FailureAction::kDeadLetter);
  EXPECT_EQ(count.inbox_bytes_limit, 1'000'000u);
  EXPECT_EQ(yson::to_string(count.parameters, yson::Format::kText), R"({"threshold"=10})");
  const DynamicComputationSpec& watch = spec.dynamic_spec.computations.at(ComputationId("watch"));
  EXPECT_EQ(watch.max_rows_per_batch, limits::kBatchRowsDefault);
  EXPECT_EQ(watch.max_bytes_per_batch, limits::kBatchBytesDefault);
  EXPECT_EQ(watch.desired_partition_count, 1u);
  EXPECT_EQ(watch.parameters, yson::Node(yson::Map{}));
}

TEST(LoadSpec, KeepsOtherCommandsAndTildesAsTheyAre) {
  yson::Node node = sample_spec();
  put(node, "/companions/counter/command", R"(["python3", "a/b.py", "~"])");
  put(node, "/companions/counter/working_directory", "\"~\"");
  put(node, "/sinks/file/path", "\"../out.jsonl\"");
  const PipelineSpec spec = loaded(node);
  const CompanionSpec& counter = spec.companions.at(CompanionName("counter"));
  EXPECT_THAT(counter.command, ElementsAre("python3", "a/b.py", "~"));
  EXPECT_EQ(counter.working_directory, "/pipelines/sample/~");
  EXPECT_EQ(spec.sinks.at(SinkName("file")).path, "/pipelines/out.jsonl");
}

TEST(LoadSpec, EmptyListsAndMapsMeanNothingWhereNothingMayStand) {
  yson::Node node = sample_spec();
  put(node, "/computations/events/output_stream_ids", "[]");
  put(node, "/computations/events/group_by_schema", "[]");
  put(node, "/computations/events/parameters", "{}");
  put(node, "/computations/read/input_stream_ids", "[]");
  loaded(node);
}

TEST(LoadSpec, YsonIsTheSameTree) {
  const std::string text = yson::to_string(sample_spec(), yson::Format::kPretty);
  const auto spec = load_spec_text(text, SpecFormat::kYson, "/pipelines/sample");
  ASSERT_TRUE(spec.ok()) << spec.error().message;
  EXPECT_EQ(spec->computations.size(), 4u);
}

TEST(LoadSpec, AttributesAreRefused) {
  const auto report = check_spec_text("<a=1>{}", SpecFormat::kYson, ".");
  ASSERT_TRUE(report.ok());
  EXPECT_THAT(report->problems, testing::Contains(SpecProblem{
                                    "", "expected no attributes: they mean nothing in a spec"}));
}

TEST(LoadSpec, ErrorsHaveALineForEachProblem) {
  yson::Node node = sample_spec();
  put(node, "/name", "1");
  put(node, "/sinks/screen/type", "\"stdot\"");
  const auto spec = load_spec_text(node_to_json(node), SpecFormat::kJson, "/");
  ASSERT_FALSE(spec.ok());
  EXPECT_EQ(spec.error().code, ErrorCode::kInvalidSpec);
  EXPECT_EQ(spec.error().message,
            "/name: expected a name of A-Z a-z 0-9 _ . -, at most 256 characters long, found 1\n"
            "/sinks/screen/type: expected one of \"json_lines\" or \"stdout\", found \"stdot\" "
            "(did you mean \"stdout\"?)");
}

TEST(LoadSpec, MalformedTextIsItsOwnError) {
  const auto json = load_spec_text("{\"name\": }", SpecFormat::kJson, ".");
  ASSERT_FALSE(json.ok());
  EXPECT_EQ(json.error().code, ErrorCode::kInvalidJson);
  const auto yson = load_spec_text("{name=", SpecFormat::kYson, ".");
  ASSERT_FALSE(yson.ok());
  EXPECT_EQ(yson.error().code, ErrorCode::kInvalidYson);
}

TEST_F(SpecFiles, TakesTheFormatFromTheExtensionOrTheText) {
  const std::string json = "// a comment\n" + node_to_json(sample_spec(), JsonFormat::kPretty);
  const std::string text = yson::to_string(sample_spec(), yson::Format::kPretty);
  for (const auto& path :
       {write("a.json", json), write("b.yson", text), write("c", json), write("d.conf", text)}) {
    const auto spec = load_spec(path);
    ASSERT_TRUE(spec.ok()) << path << ": " << spec.error().message;
    EXPECT_EQ(spec->folder, folder_);
    EXPECT_EQ(spec->sinks.at(SinkName("file")).path, (folder_ / "out/{partition}.jsonl").string());
  }
  EXPECT_FALSE(load_spec(write("e.json", text)).ok());
}

TEST_F(SpecFiles, SyntaxErrorsNameFileAndLine) {
  const auto path = write("a.json", "{\n  \"name\": \"x\",\n}");
  const auto spec = load_spec(path);
  ASSERT_FALSE(spec.ok());
  EXPECT_EQ(spec.error().message,
            path.string() + ": line 2, column 14: remove the comma before the closing }");
}

TEST_F(SpecFiles, FilesThatCannotBeRead) {
  const auto missing = load_spec(folder_ / "missing.json");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(missing.error().message, HasSubstr("missing.json"));
  const auto folder = load_spec(folder_);
  ASSERT_FALSE(folder.ok());
  EXPECT_EQ(folder.error().code, ErrorCode::kIoError);
  std::filesystem::create_symlink("loop.json", folder_ / "loop.json");
  const auto loop = load_spec(folder_ / "loop.json");
  ASSERT_FALSE(loop.ok());
  EXPECT_EQ(loop.error().code, ErrorCode::kIoError);
  EXPECT_THAT(loop.error().message, HasSubstr("Too many levels of symbolic links"));
  const auto huge = load_spec(write("huge.json", std::string(limits::kYsonBytesLimit + 10, ' ')));
  ASSERT_FALSE(huge.ok());
  EXPECT_EQ(huge.error().code, ErrorCode::kLimitExceeded);
  EXPECT_THAT(huge.error().message, HasSubstr("larger than 16777216 bytes"));
  EXPECT_FALSE(load_spec(write("empty.json", "")).ok());
}

TEST(LoadSpec, TheFolderBecomesAbsolute) {
  const auto spec =
      load_spec_text(node_to_json(sample_spec()), SpecFormat::kJson, "some/../place/");
  ASSERT_TRUE(spec.ok());
  EXPECT_EQ(spec->folder, std::filesystem::current_path() / "place");
  const auto here = load_spec_text(node_to_json(sample_spec()), SpecFormat::kJson, "");
  ASSERT_TRUE(here.ok());
  EXPECT_EQ(here->folder, std::filesystem::current_path());
}

}  // namespace
}  // namespace retinue::worker
