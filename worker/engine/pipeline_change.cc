#include "worker/engine/pipeline_change.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>

#include "worker/engine/pipeline_record.h"
#include "worker/engine/queued_messages.h"

namespace retinue::worker {
namespace {

using MessageCounts = std::map<std::string, uint64_t>;  // by stream

Error changed(std::string_view path, std::string_view before, std::string_view now) {
  return Error{ErrorCode::kInvalidSpec,
               fmt::format("{}: the data directory was written with {}, the spec now has {}; put "
                           "it back, or use a new data directory",
                           path, before, now)};
}

std::string describe(const TableSchema& schema) {
  std::string text;
  for (const Column& column : schema.columns()) {
    text += fmt::format("{}{} {}{}{}{}", text.empty() ? "" : ", ", column.name,
                        column_type_name(column.type), column.required ? " required" : "",
                        column.expression.empty() ? "" : " = ", column.expression);
  }
  return "(" + text + ")";
}

// Whether rows of the one schema are rows of the other: columns were only added at its end, and
// null is allowed where it was.
bool reads_as(const TableSchema& before, const TableSchema& now) {
  for (uint32_t i = 0; i < before.size(); ++i) {
    const Column& was = before[ColumnIndex(i)];
    if (i >= now.size() || now[ColumnIndex(i)].name != was.name ||
        now[ColumnIndex(i)].type != was.type || (now[ColumnIndex(i)].required && !was.required)) {
      return false;
    }
  }
  for (uint32_t i = before.size(); i < now.size(); ++i) {
    if (now[ColumnIndex(i)].required) {
      return false;
    }
  }
  return true;
}

class PipelineChange {
 public:
  PipelineChange(const PipelineRecord& before, PipelineRecord& now, const Store& store,
                 LogSink& log)
      : before_(before), now_(now), store_(store), log_(log) {}

  // Checks everything, and adds to `now` what is gone from the spec.
  Result<void> check() {
    if (before_.name != now_.name) {
      return changed("/name", before_.name, now_.name);
    }
    for (const auto& [id, computation] : before_.computations) {
      const std::string path = fmt::format("/computations/{}", id.value());
      const auto found = now_.computations.find(id);
      if (found != now_.computations.end()) {
        RETINUE_TRY(compare(id, computation, found->second));
        found->second.states.insert(computation.states.begin(), computation.states.end());
        continue;
      }
      RETINUE_TRY(leave(path, computation.is_gone, NameKind::kComputation, id.value(),
                        computation.partition_count));
      now_.computations.emplace(id, computation).first->second.is_gone = true;
    }
    for (const auto& [name, sink] : before_.sinks) {
      const std::string path = fmt::format("/sinks/{}", name.value());
      const auto found = now_.sinks.find(name);
      if (found == now_.sinks.end()) {
        RETINUE_TRY(leave(path, sink.is_gone, NameKind::kSink, name.value(), sink.partition_count));
        now_.sinks.emplace(name, sink).first->second.is_gone = true;
      } else if (found->second.partition_count != sink.partition_count) {
        return changed(path + ": partition count", fmt::to_string(sink.partition_count),
                       fmt::to_string(found->second.partition_count));
      }
    }
    return check_streams();
  }

 private:
  static Result<void> compare(const ComputationId& id, const RecordedComputation& before,
                              const RecordedComputation& now) {
    const std::string path = fmt::format("/computations/{}", id.value());
    if (before.kind != now.kind) {
      return changed(path + "/kind", computation_kind_name(before.kind),
                     computation_kind_name(now.kind));
    }
    if (before.partition_count != now.partition_count) {
      return changed(
          fmt::format("/dynamic_spec/computations/{}/desired_partition_count", id.value()),
          fmt::to_string(before.partition_count), fmt::to_string(now.partition_count));
    }
    if (describe(before.key_schema) != describe(now.key_schema)) {
      return changed(path + "/group_by_schema", describe(before.key_schema),
                     describe(now.key_schema));
    }
    for (const auto& [name, format] : now.states) {
      const auto found = before.states.find(name);
      if (found != before.states.end() && found->second != format) {
        return changed(fmt::format("{}/internal_states/{}/format", path, name.value()),
                       state_format_name(found->second), state_format_name(format));
      }
    }
    return {};
  }

  // The spec no longer has it: nothing may wait for it.
  Result<void> leave(const std::string& path, bool was_gone, NameKind kind, const std::string& name,
                     uint32_t partition_count) {
    if (was_gone) {
      return {};
    }
    RETINUE_ASSIGN(const MessageCounts counts, queued(kind, name, partition_count));
    uint64_t waiting = 0;
    for (const auto& [stream, count] : counts) {
      waiting += count;
    }
    if (waiting > 0) {
      return Error{ErrorCode::kInvalidSpec,
                   fmt::format("{}: the spec does not have it any more, and {} messages wait for "
                               "it; put it back until they are processed, or use a new data "
                               "directory",
                               path, waiting)};
    }
    log_.warning(
        "the spec does not have it any more; its states and positions stay in the data "
        "directory, unused",
        {{"path", path}});
    return {};
  }

  Result<void> check_streams() const {
    for (const auto& [id, schema] : before_.streams) {
      const auto now = now_.streams.find(id);
      if (now == now_.streams.end() || reads_as(schema, now->second)) {
        continue;
      }
      RETINUE_ASSIGN(const uint64_t waiting, queued_of_stream(id.value()));
      if (waiting > 0) {
        return Error{ErrorCode::kInvalidSpec,
                     fmt::format("/streams/{}/schema: {} messages are queued with {}, the spec now "
                                 "has {}; while messages are queued, columns can only be added at "
                                 "the end and not as required: put it back until they are "
                                 "processed, or use a new data directory",
                                 id.value(), waiting, describe(schema), describe(now->second))};
      }
    }
    return {};
  }

  Result<uint64_t> queued_of_stream(const std::string& stream) const {
    uint64_t waiting = 0;
    const auto add = [&](const MessageCounts& counts) {
      const auto found = counts.find(stream);
      waiting += found == counts.end() ? 0 : found->second;
    };
    for (const auto& [id, computation] : before_.computations) {
      RETINUE_ASSIGN(const MessageCounts counts,
                     queued(NameKind::kComputation, id.value(), computation.partition_count));
      add(counts);
    }
    for (const auto& [name, sink] : before_.sinks) {
      RETINUE_ASSIGN(const MessageCounts counts,
                     queued(NameKind::kSink, name.value(), sink.partition_count));
      add(counts);
    }
    return waiting;
  }

  Result<MessageCounts> queued(NameKind kind, const std::string& name,
                               uint32_t partition_count) const {
    RETINUE_ASSIGN(const std::optional<uint32_t> owner, store_.find_name(kind, name));
    if (!owner) {
      return MessageCounts();
    }
    return count_queued_messages(store_, OwnerNumber(*owner), partition_count);
  }

  const PipelineRecord& before_;
  PipelineRecord& now_;
  const Store& store_;
  LogSink& log_;
};

}  // namespace

Result<void> check_and_record_pipeline(const PipelineSpec& spec, const Topology& topology,
                                       Store& store, LogSink& log) {
  PipelineRecord record = make_pipeline_record(spec, topology);
  RETINUE_ASSIGN(const std::optional<PipelineRecord> before, find_pipeline_record(store));
  if (before) {
    RETINUE_TRY(PipelineChange(*before, record, store, log).check());
  }
  return save_pipeline_record(record, store);
}

}  // namespace retinue::worker
