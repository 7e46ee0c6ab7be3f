// RuntimeContext: what a function knows about where it runs.
// Threads: the one that processes the job's batches; log_* from any.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "companion_sdk/core/batch_view.h"
#include "companion_sdk/core/companion_session.h"
#include "companion_sdk/core/job_spec.h"
#include "companion_sdk/cpp/output.h"
#include "companion_sdk/cpp/state_client.h"
#include "protocol/base/clock.h"
#include "protocol/values/schema.h"
#include "protocol/yson/node.h"

namespace retinue::companion {

// Where log lines of functions go: to the worker's log. Threads: any.
class LogSink {
 public:
  virtual ~LogSink() = default;
  virtual void log(LogLevel level, JobId job, std::string_view message,
                   const LogFields& fields) = 0;
};

class RuntimeContext {
 public:
  // --- only in init
  // Throws StateError for a state that is not declared, was asked for as another type, or has a
  // format that T does not.
  template <State T>
  MutableStateClient<T> state_client(std::string_view name);

  // --- of the job
  // Throws SchemaError for a stream that the computation does not have.
  OutputStream output_stream(std::string_view name) const;
  const TableSchema& stream_schema(std::string_view name) const;
  const TableSchema& key_schema() const { return job_.key_schema; }
  // A column of a stream or of the key. Throws SchemaError naming the columns there are.
  ColumnIndex column(std::string_view stream, std::string_view column) const;
  ColumnIndex key_column(std::string_view column) const;

  // Maps. The dynamic ones may differ from batch to batch: read them where they are used.
  const yson::Node& parameters() const { return job_.parameters; }
  const yson::Node& dynamic_parameters() const { return job_.dynamic_parameters; }
  const std::string& computation() const { return job_.computation; }
  const std::string& function() const { return job_.function; }
  PartitionIndex partition() const { return job_.partition; }
  uint32_t partition_count() const { return job_.partition_count; }

  // --- of the batch; in init they throw UsageError
  // The worker's time of the batch: use it instead of a clock.
  Timestamp now() const { return batch().now(); }
  // nullopt: the stream has none yet. Throws SchemaError for an unknown stream.
  std::optional<Timestamp> watermark(std::string_view stream) const;
  Epoch epoch() const { return batch().epoch(); }
  // 1 the first time this batch is processed.
  uint32_t attempt() const { return batch().attempt(); }

  // --- to the worker's log
  void log_debug(std::string_view message, const LogFields& fields = {}) const {
    log_.log(LogLevel::kDebug, job_.id, message, fields);
  }
  void log_info(std::string_view message, const LogFields& fields = {}) const {
    log_.log(LogLevel::kInfo, job_.id, message, fields);
  }
  void log_warning(std::string_view message, const LogFields& fields = {}) const {
    log_.log(LogLevel::kWarning, job_.id, message, fields);
  }
  void log_error(std::string_view message, const LogFields& fields = {}) const {
    log_.log(LogLevel::kError, job_.id, message, fields);
  }

  // --- for the runner
  RuntimeContext(const JobSpec& job, LogSink& log) : job_(job), log_(log) {}
  void end_init() { is_in_init_ = false; }
  // Begins and, with nullptr, ends a batch.
  void set_batch(const BatchView* batch);
  // Throws what encoding a state throws, as StateError naming the state.
  void flush_states(BatchAnswer& answer);

 private:
  StateTableBase* find_table(std::string_view name) const;
  // The declared state; checks that this is init.
  StateIndex declared_state(std::string_view name) const;
  [[noreturn]] void throw_other_type(std::string_view name) const;
  [[noreturn]] void throw_other_format(StateIndex state, std::string_view supported) const;
  const BatchView& batch() const;

  const JobSpec& job_;
  LogSink& log_;
  bool is_in_init_ = true;
  const BatchView* batch_ = nullptr;
  std::vector<std::unique_ptr<StateTableBase>> tables_;
};

template <State T>
MutableStateClient<T> RuntimeContext::state_client(std::string_view name) {
  const StateIndex index = declared_state(name);
  if (StateTableBase* table = find_table(name)) {
    if (table->type() != typeid(T)) {
      throw_other_type(name);
    }
    return MutableStateClient<T>(static_cast<StateTable<T>&>(*table));
  }
  const InternalStateSpec& spec = job_.state(index);
  if (!StateCodec<T>::supports(spec.format)) {
    throw_other_format(index, StateCodec<T>::supported());
  }
  auto table = std::make_unique<StateTable<T>>(index, spec);
  MutableStateClient<T> client(*table);
  tables_.push_back(std::move(table));
  return client;
}

}  // namespace retinue::companion
