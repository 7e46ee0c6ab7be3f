#include "worker/engine/engine.h"

#include <algorithm>

#include "worker/engine/batch_input.h"
#include "worker/engine/companion_partition.h"
#include "worker/engine/passthrough_partition.h"
#include "worker/engine/pipeline_change.h"
#include "worker/engine/sink_partition.h"

namespace retinue::worker {
namespace {

// Of a partition without states, whose cache only groups messages by key.
constexpr size_t kGroupingCacheBytes = size_t{4} << 20;

// The partitions that keep states share the cache's bound.
size_t cache_bytes(const PipelineSpec& spec, const Topology& topology,
                   const ComputationPlan& computation) {
  if (computation.states.empty()) {
    return kGroupingCacheBytes;
  }
  size_t partitions = 0;
  for (const auto& plan : topology.computations) {
    partitions += plan->states.empty() ? 0 : plan->partition_count;
  }
  return spec.dynamic_spec.state_cache_bytes_limit / partitions;
}

}  // namespace

Engine::Engine(EngineDependencies dependencies)
    : context_(dependencies), started_at_(dependencies.clock.monotonic()) {}

Engine::~Engine() = default;

Result<std::unique_ptr<Engine>> Engine::create(EngineDependencies dependencies) {
  std::unique_ptr<Engine> engine(new Engine(std::move(dependencies)));
  RETINUE_TRY(engine->build());
  return engine;
}

Result<void> Engine::build() {
  const EngineDependencies& dependencies = context_.dependencies();
  RETINUE_ASSIGN(topology_, resolve_topology(dependencies.spec, dependencies.store));
  RETINUE_TRY(check_and_record_pipeline(dependencies.spec, topology_, dependencies.store,
                                        dependencies.log));
  for (const auto& plan : topology_.computations) {
    RETINUE_TRY(add_computation(*plan));
  }
  for (const auto& sink : topology_.sinks) {
    for (uint32_t i = 0; i < sink->partition_count; ++i) {
      const PartitionIndex partition(i);
      context_.add_inbox({sink->owner, partition}, limits::kInboxBytesDefault);
      add_entry(std::make_unique<SinkPartition>(*sink, dependencies.spec.sinks.at(sink->name),
                                                partition, context_));
    }
  }
  connect_entries();
  context_.start_commits();
  for (Entry& entry : entries_) {
    RETINUE_TRY(entry.partition->restore());
  }
  for (Entry& entry : entries_) {
    RETINUE_TRY(entry.partition->begin());
  }
  return {};
}

Result<void> Engine::add_computation(const ComputationPlan& plan) {
  const PipelineSpec& spec = context_.dependencies().spec;
  const ComputationSpec& computation = spec.computations.at(plan.id);
  if (plan.kind == ComputationKind::kPassthroughSource) {
    add_entry(std::make_unique<PassthroughPartition>(plan, *computation.source, context_));
    return {};
  }
  for (uint32_t i = 0; i < plan.partition_count; ++i) {
    const PartitionRef ref{plan.owner, PartitionIndex(i)};
    std::unique_ptr<BatchInput> input;
    if (plan.kind == ComputationKind::kOrderedSource) {
      input = std::make_unique<SourceInput>(plan, *computation.source, context_);
    } else {
      context_.add_inbox(ref, plan.limits.inbox_bytes_limit);
      input = std::make_unique<InboxInput>(plan, ref, context_);
    }
    auto partition = std::make_unique<CompanionPartition>(
        plan, ref.partition, cache_bytes(spec, topology_, plan), std::move(input), context_);
    partition->register_job();
    add_entry(std::move(partition), plan.cycle);
  }
  return {};
}

void Engine::add_entry(std::unique_ptr<Partition> partition, std::optional<uint32_t> cycle) {
  entries_.push_back(
      {.partition = std::move(partition), .cycle = cycle, .producers = {}, .input_ended = false});
}

void Engine::connect_entries() {
  for (Entry& entry : entries_) {
    const std::vector<OwnerNumber> owners = topology_.producers_of(entry.partition->ref().owner);
    for (const Entry& other : entries_) {
      const bool is_of_its_cycle = entry.cycle && entry.cycle == other.cycle;
      if (!is_of_its_cycle &&
          std::ranges::find(owners, other.partition->ref().owner) != owners.end()) {
        entry.producers.push_back(other.partition.get());
      }
    }
  }
}

void Engine::turn() {
  if (state_ != State::kRunning) {
    return;
  }
  if (const auto& fatal = context_.dependencies().companions.fatal_error()) {
    return fail(*fatal);
  }
  if (auto taken = take_commits(); !taken) {
    return fail(std::move(taken).error());
  }
  if (auto run = run_partitions(); !run) {
    return fail(std::move(run).error());
  }
  note_input_errors();
  const auto all = [&](auto&& holds) {
    return std::ranges::all_of(entries_,
                               [&](const Entry& entry) { return holds(*entry.partition); });
  };
  const bool is_finished = all([](const Partition& partition) { return partition.is_finished(); });
  const bool is_stopped = context_.is_stopping() &&
                          all([](const Partition& partition) { return partition.is_quiet(); });
  if (input_error_ && (is_finished || is_stopped)) {
    fail(*input_error_);
  } else if (is_finished) {
    state_ = State::kFinished;
  } else if (is_stopped) {
    state_ = State::kStopped;
  }
}

// A source that cannot be read on ends the pipeline, once all that was read before is processed.
void Engine::note_input_errors() {
  for (const Entry& entry : entries_) {
    const Error* const error = entry.partition->input_error();
    if (!input_error_ && error != nullptr) {
      input_error_ = *error;
      context_.fail_input();
      context_.dependencies().log.error(
          "a source cannot be read on; the pipeline stops when what was read is processed",
          {{"error", error->to_string()}});
      context_.dependencies().wake();
    }
  }
}

Result<void> Engine::take_commits() {
  done_.clear();
  context_.commits().take_done(done_);
  for (Commits::Done& done : done_) {
    RETINUE_TRY(std::move(done.result));
    const PartitionRef committed = done.commit->partition;
    RETINUE_TRY(context_.publish(std::move(done.commit)));
    for (Entry& entry : entries_) {
      if (entry.partition->ref() == committed) {
        entry.partition->on_committed();
      }
    }
  }
  return {};
}

Result<void> Engine::run_partitions() {
  end_inputs();
  // Consumers first: they make room for what their producers send.
  for (auto entry = entries_.rbegin(); entry != entries_.rend(); ++entry) {
    RETINUE_TRY(entry->partition->turn());
  }
  return {};
}

bool Engine::has_input_ended(const Entry& entry) const {
  const auto producers_finished = [](const Entry& one) {
    return std::ranges::all_of(one.producers,
                               [](const Partition* producer) { return producer->is_finished(); });
  };
  if (!producers_finished(entry)) {
    return false;
  }
  // Whatever a cycle still has would be out, or wait in an inbox of it.
  return !entry.cycle || std::ranges::all_of(entries_, [&](const Entry& member) {
    return member.cycle != entry.cycle ||
           (producers_finished(member) && member.partition->is_idle());
  });
}

void Engine::end_inputs() {
  for (Entry& entry : entries_) {
    if (!entry.input_ended && has_input_ended(entry)) {
      entry.input_ended = true;
      entry.partition->on_input_ended();
    }
  }
}

std::optional<Duration> Engine::next_wakeup() const {
  std::optional<Duration> earliest;
  for (const Entry& entry : entries_) {
    const std::optional<Duration> wakeup = entry.partition->next_wakeup();
    if (wakeup && (!earliest || *wakeup < *earliest)) {
      earliest = wakeup;
    }
  }
  return state_ == State::kRunning ? earliest : std::nullopt;
}

void Engine::stop() {
  context_.stop();
}

void Engine::fail(Error error) {
  if (state_ == State::kRunning) {
    state_ = State::kFailed;
    error_ = std::move(error);
    context_.stop();
  }
}

Duration Engine::elapsed() const {
  return context_.dependencies().clock.monotonic() - started_at_;
}

Summary Engine::summary() const {
  Summary summary;
  summary.elapsed = elapsed();
  summary.epochs = context_.epochs();
  summary.source_bytes_total = 0;
  summary.stage_costs = context_.costs();
  summary.stage_costs.commit = context_.commits().store_time_ns();
  for (const auto& plan : topology_.computations) {
    summary.computations.push_back({.computation = plan->id.value()});
  }
  for (const Entry& entry : entries_) {
    entry.partition->add_to(summary);
  }
  if (std::ranges::all_of(topology_.computations, [](const auto& plan) {
        return plan->kind == ComputationKind::kPassthroughSource;
      })) {
    summary.messages_processed = summary.messages_in;
  }
  return summary;
}

}  // namespace retinue::worker
