#include "tests/unit/worker/engine/word_pipeline.h"

#include <string>
#include <utility>
#include <vector>

namespace retinue::worker::testing {
namespace {

Column column(std::string name, ColumnType type, std::string expression = "") {
  return {.name = std::move(name), .type = type, .required = false, .expression = expression};
}

TableSchema schema(std::vector<Column> columns) {
  return TableSchema::create(std::move(columns)).value();
}

ComputationSpec transform(std::string function, TableSchema key, std::string input,
                          std::string output) {
  ComputationSpec computation;
  computation.kind = ComputationKind::kTransform;
  computation.companion = CompanionName("words");
  computation.processing_function = FunctionName(std::move(function));
  computation.group_by_schema = std::move(key);
  computation.input_stream_ids = {StreamId(std::move(input))};
  computation.output_stream_ids = {StreamId(std::move(output))};
  computation.internal_states[StateName("n")].format = StateFormat::kRaw;
  return computation;
}

SinkSpec file_sink(std::vector<StreamId> inputs, std::string path) {
  return {.type = SinkType::kJsonLines, .input_stream_ids = std::move(inputs), .path = path};
}

}  // namespace

PipelineSpec word_pipeline() {
  const Column word = column("word", ColumnType::kString);
  const Column n = column("n", ColumnType::kUint64);
  const Column size = column("size", ColumnType::kUint64);
  PipelineSpec spec;
  spec.name = "pipeline";
  spec.folder = "/spec";
  spec.streams[StreamId("lines")].schema = schema({column("line", ColumnType::kString)});
  spec.streams[StreamId("words")].schema = schema({word});
  spec.streams[StreamId("counts")].schema = schema({word, n, size});
  spec.streams[StreamId("sizes")].schema = schema({size, n});
  CompanionSpec& companion = spec.companions[CompanionName("words")];
  companion.command = {"bin/words"};
  companion.restarts_without_progress_max = 1'000'000;

  ComputationSpec& read = spec.computations[ComputationId("read")];
  read.kind = ComputationKind::kOrderedSource;
  read.source.emplace().paths = {"-"};
  read.source_stream_id = StreamId("lines");
  read.companion = CompanionName("words");
  read.processing_function = FunctionName("split");
  read.output_stream_ids = {StreamId("words")};
  read.internal_states[StateName("lines")].format = StateFormat::kRaw;

  ComputationSpec& count = spec.computations[ComputationId("count")];
  count = transform("count", schema({column("hash", ColumnType::kUint64, "farm_hash(word)"), word}),
                    "words", "counts");
  count.internal_states[StateName("odd")].format = StateFormat::kRaw;
  spec.computations[ComputationId("sizes")] = transform("sizes", schema({size}), "counts", "sizes");

  spec.sinks[SinkName("counts")] = file_sink({StreamId("counts")}, "/counts-{partition}");
  spec.sinks[SinkName("sizes")] = file_sink({StreamId("sizes")}, "/sizes");
  spec.sinks[SinkName("all")] = file_sink({StreamId("counts"), StreamId("sizes")}, "/all");
  for (const auto& [id, computation] : spec.computations) {
    spec.dynamic_spec.computations[id].max_attempts = 1'000'000;
    spec.dynamic_spec.computations[id].max_crashes_per_batch = 1'000'000;
  }
  spec.dynamic_spec.computations[ComputationId("count")].desired_partition_count = 3;
  spec.dynamic_spec.computations[ComputationId("sizes")].desired_partition_count = 2;
  return spec;
}

}  // namespace retinue::worker::testing
