#include "protocol/frame/wire_values.h"
#include "tests/unit/protocol/vectors/vector_set.h"

namespace retinue::vectors {

namespace {

void set_stream(wire::Stream::Builder out, const char* name, wire::StreamRole role,
                uint32_t revision, const TableSchema& schema) {
  out.setName(name);
  out.setRole(role);
  out.setRevision(revision);
  write_schema(out.initSchema(), schema);
}

void set_streams(wire::OpenJob::Builder job) {
  auto streams = job.initStreams(7);
  set_stream(streams[0], "words", wire::StreamRole::INPUT, 1, words_schema());
  set_stream(streams[1], "more-words", wire::StreamRole::INPUT, 1, words_schema());
  set_stream(streams[2], "every", wire::StreamRole::INPUT, 3, every_schema());
  set_stream(streams[3], "counts", wire::StreamRole::OUTPUT, 1, words_schema());
  set_stream(streams[4], "flush", wire::StreamRole::TIMER, 0, TableSchema());
  set_stream(streams[5], "expire", wire::StreamRole::TIMER, 0, TableSchema());
  set_stream(streams[6], "sweep", wire::StreamRole::VISIT, 0, TableSchema());
}

void set_row_state(wire::RowStateSpec::Builder out, const char* name) {
  out.setName(name);
  write_schema(out.initKeySchema(), key_schema());
  write_schema(out.initValueSchema(), profile_schema());
}

void set_states(wire::OpenJob::Builder job) {
  auto internal = job.initInternalStates(3);
  internal[0].setName("counter");
  internal[0].setFormat(wire::StateFormat::RAW);
  internal[1].setName("settings");
  internal[1].setFormat(wire::StateFormat::YSON);
  internal[1].setAutoPreload(false);
  internal[2].setName("history");
  internal[2].setFormat(wire::StateFormat::PROTO);
  internal[2].setProtoType("example.History");
  set_row_state(job.initExternalStates(1)[0], "/profiles");
  auto joined = job.initJoinedStates(2);
  set_row_state(joined[0], "/countries");
  joined[0].setAutoPreload(false);
  set_row_state(joined[1], "/cities");
}

void add_open_jobs(VectorSet& set) {
  set.add("open_job_transform", [](wire::Envelope::Builder envelope) {
    auto job = envelope.initOpenJob();
    job.setJob(kJob);
    job.setComputation("counter");
    job.setPartitionCount(1);
    job.setKind(wire::ComputationKind::TRANSFORM);
    job.setFunction("count");
    write_schema(job.initKeySchema(), key_schema());
    set_streams(job);
    set_states(job);
    job.setParameters(kj::StringPtr("{threshold=10}").asBytes());
    job.setDynamicParameters(kj::StringPtr("{}").asBytes());
    job.setHighestKeyHash(UINT64_MAX);
  });
  set.add("open_job_ordered_source", [](wire::Envelope::Builder envelope) {
    auto job = envelope.initOpenJob();
    job.setJob(8);
    job.setComputation("reader");
    job.setPartition(1);
    job.setPartitionCount(4);
    job.setKind(wire::ComputationKind::ORDERED_SOURCE);
    job.setFunction("split");
    write_schema(
        job.initKeySchema(),
        TableSchema::create({{"source_partition", ColumnType::kString, true, ""}}).value());
    auto streams = job.initStreams(2);
    set_stream(streams[0], "lines", wire::StreamRole::INPUT, 1,
               TableSchema::create({{"line", ColumnType::kString, true, ""}}).value());
    set_stream(streams[1], "words", wire::StreamRole::OUTPUT, 1, words_schema());
    job.setLowestKeyHash(0x4000000000000000);
    job.setHighestKeyHash(0x7fffffffffffffff);
  });
  set.add("open_job_swift_map", [](wire::Envelope::Builder envelope) {
    auto job = envelope.initOpenJob();
    job.setJob(9);
    job.setComputation("mapper");
    job.setPartitionCount(1);
    job.setKind(wire::ComputationKind::SWIFT_MAP);
    job.setFunction("split");
    write_schema(job.initKeySchema(), key_schema());
    auto streams = job.initStreams(2);
    set_stream(streams[0], "words", wire::StreamRole::INPUT, 2, words_schema());
    set_stream(streams[1], "counts", wire::StreamRole::OUTPUT, 1, every_schema());
    job.setHighestKeyHash(UINT64_MAX);
  });
}

}  // namespace

void add_job_vectors(VectorSet& set) {
  add_open_jobs(set);
  set.add("job_ready",
          [](wire::Envelope::Builder envelope) { envelope.initJobReady().setJob(kJob); });
  set.add("job_failed", [](wire::Envelope::Builder envelope) {
    auto failed = envelope.initJobFailed();
    failed.setJob(kJob);
    write_error(failed.initError(),
                {ErrorCode::kSchemaMismatch, "stream \"words\" has no column \"wrod\""},
                "Correct the column's name.");
  });
  set.add("update_job_parameters", [](wire::Envelope::Builder envelope) {
    auto update = envelope.initUpdateJob();
    update.setJob(kJob);
    update.setDynamicParameters(kj::StringPtr("{threshold=20}").asBytes());
  });
  set.add("update_job_streams", [](wire::Envelope::Builder envelope) {
    auto update = envelope.initUpdateJob();
    update.setJob(kJob);
    set_stream(update.initStreams(1)[0], "words", wire::StreamRole::INPUT, 2,
               TableSchema::create({{"word", ColumnType::kString, true, ""},
                                    {"count", ColumnType::kInt64, false, ""},
                                    {"language", ColumnType::kString, false, ""}})
                   .value());
  });
  set.add("close_job", [](wire::Envelope::Builder envelope) {
    auto close = envelope.initCloseJob();
    close.setJob(kJob);
    close.setReason("the partition moves to another process");
  });
}

}  // namespace retinue::vectors
