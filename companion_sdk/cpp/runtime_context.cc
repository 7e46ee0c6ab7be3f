#include "companion_sdk/cpp/runtime_context.h"

#include <fmt/format.h>

#include "companion_sdk/cpp/exceptions.h"

namespace retinue::companion {
namespace {

template <typename Items>
std::string names_of(const Items& items) {
  std::string names;
  for (const auto& item : items) {
    names += names.empty() ? "\"" : ", \"";
    names += item.name + "\"";
  }
  return names.empty() ? "none" : names;
}

StreamIndex find_stream(const JobSpec& job, std::string_view name) {
  if (const auto index = job.find_stream(name)) {
    return *index;
  }
  throw SchemaError(fmt::format("computation \"{}\" has no stream \"{}\"; it has {}",
                                job.computation, name, names_of(job.streams)));
}

}  // namespace

OutputStream RuntimeContext::output_stream(std::string_view name) const {
  const StreamIndex index = find_stream(job_, name);
  if (job_.stream(index).role != StreamRole::kOutput) {
    throw SchemaError(fmt::format("computation \"{}\": \"{}\" is no output stream but {}",
                                  job_.computation, name,
                                  stream_role_name(job_.stream(index).role)));
  }
  return {job_, index};
}

const TableSchema& RuntimeContext::stream_schema(std::string_view name) const {
  return job_.stream(find_stream(job_, name)).schema;
}

ColumnIndex RuntimeContext::column(std::string_view stream, std::string_view column) const {
  return find_column(stream_schema(stream), stream, column);
}

ColumnIndex RuntimeContext::key_column(std::string_view column) const {
  return find_column(job_.key_schema, "key", column);
}

std::optional<Timestamp> RuntimeContext::watermark(std::string_view stream) const {
  return batch().watermark(find_stream(job_, stream));
}

void RuntimeContext::set_batch(const BatchView* batch) {
  batch_ = batch;
  for (const auto& table : tables_) {
    if (batch != nullptr) {
      table->begin(*batch);
    } else {
      table->end();
    }
  }
}

void RuntimeContext::flush_states(BatchAnswer& answer) {
  for (const auto& table : tables_) {
    try {
      table->flush(answer);
    } catch (const std::exception& error) {
      throw StateError(
          fmt::format("state \"{}\" cannot be encoded: {}", table->name(), error.what()));
    }
  }
}

StateTableBase* RuntimeContext::find_table(std::string_view name) const {
  for (const auto& table : tables_) {
    if (table->name() == name) {
      return table.get();
    }
  }
  return nullptr;
}

StateIndex RuntimeContext::declared_state(std::string_view name) const {
  if (!is_in_init_) {
    throw UsageError("state clients are had in init, and kept");
  }
  if (const auto index = job_.find_state(name)) {
    return *index;
  }
  throw StateError(fmt::format("computation \"{}\" declares no state \"{}\"; it declares {}",
                               job_.computation, name, names_of(job_.internal_states)));
}

void RuntimeContext::throw_other_type(std::string_view name) const {
  throw StateError(fmt::format("state \"{}\" is already open as another type", name));
}

void RuntimeContext::throw_other_format(StateIndex state, std::string_view supported) const {
  throw StateError(fmt::format("state \"{}\" is declared {}, but its C++ type is coded as {}",
                               job_.state(state).name, state_format_name(job_.state(state).format),
                               supported));
}

const BatchView& RuntimeContext::batch() const {
  if (batch_ == nullptr) {
    throw UsageError("there is no batch in init");
  }
  return *batch_;
}

}  // namespace retinue::companion
