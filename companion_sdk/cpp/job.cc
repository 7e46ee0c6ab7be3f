#include "companion_sdk/cpp/job.h"

#include <cxxabi.h>
#include <fmt/format.h>
#include <time.h>

#include <cstdlib>
#include <exception>
#include <string>
#include <typeinfo>

#include "companion_sdk/cpp/epoch_scope.h"
#include "companion_sdk/cpp/exceptions.h"

namespace retinue::companion {
namespace {

std::string demangled(const std::type_info& type) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> name(
      abi::__cxa_demangle(type.name(), nullptr, nullptr, &status), std::free);
  return status == 0 ? name.get() : type.name();
}

void append_nested(const std::exception& exception, std::string& trace) {
  fmt::format_to(std::back_inserter(trace), "{}: {}\n", demangled(typeid(exception)),
                 exception.what());
  try {
    std::rethrow_if_nested(exception);
  } catch (const std::exception& nested) {
    append_nested(nested, trace);
  } catch (...) {
    trace += "an exception that is no std::exception\n";
  }
}

// Whether code and spec disagree, which trying again does not mend, or the code failed.
ErrorCode current_init_code() {
  try {
    throw;
  } catch (const SchemaError&) {
    return ErrorCode::kSchemaMismatch;
  } catch (const StateError&) {
    return ErrorCode::kSchemaMismatch;
  } catch (...) {
    return ErrorCode::kUserCodeFailed;
  }
}

// What is being handled right now, as a failure at `input`.
BatchFailure current_failure(std::optional<OrderPosition> input) {
  BatchFailure failure{
      .error = {ErrorCode::kUserCodeFailed, ""}, .input = input, .exception_type = {}, .trace = {}};
  try {
    throw;
  } catch (const std::exception& exception) {
    failure.error.message = exception.what();
    failure.exception_type = demangled(typeid(exception));
    append_nested(exception, failure.trace);
  } catch (...) {
    const std::type_info* type = abi::__cxa_current_exception_type();
    failure.exception_type = type != nullptr ? demangled(*type) : "unknown";
    failure.error.message = "the handler threw a value of type " + failure.exception_type;
  }
  return failure;
}

uint64_t nanoseconds(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(time.tv_nsec);
}

}  // namespace

Job::Job(std::shared_ptr<const JobSpec> spec, std::unique_ptr<Function> function, LogSink& log)
    : spec_(std::move(spec)),
      function_(std::move(function)),
      by_input_(dynamic_cast<ProcessFunction*>(function_.get())),
      by_batch_(dynamic_cast<BatchProcessFunction*>(function_.get())),
      context_(*spec_, log),
      output_(*spec_),
      answer_(*spec_) {}

Result<std::unique_ptr<Job>> Job::open(std::shared_ptr<const JobSpec> spec,
                                       const Registry& registry, LogSink& log) {
  try {
    std::unique_ptr<Function> function = registry.make(spec->function);
    if (function == nullptr) {
      return Error{ErrorCode::kFunctionNotServed,
                   fmt::format("this companion does not serve \"{}\"", spec->function)};
    }
    std::unique_ptr<Job> job(new Job(std::move(spec), std::move(function), log));
    if (job->by_input_ == nullptr && job->by_batch_ == nullptr) {
      throw UsageError("a function derives from ProcessFunction or BatchProcessFunction");
    }
    job->function_->init(job->context_);
    job->context_.end_init();
    return job;
  } catch (...) {
    const BatchFailure failure = current_failure({});
    return Error{current_init_code(),
                 fmt::format("init: {} ({})", failure.error.message, failure.exception_type)};
  }
}

std::optional<BatchFailure> Job::process(const BatchView& batch) {
  const uint64_t cpu_begin = nanoseconds(CLOCK_THREAD_CPUTIME_ID);
  const uint64_t wall_begin = nanoseconds(CLOCK_MONOTONIC);
  std::optional<BatchFailure> failure;
  const EpochScope epoch;
  answer_.begin(batch);
  output_.begin(batch, answer_);
  context_.set_batch(&batch);
  try {
    run_handlers(batch);
    output_.set_current({});
    context_.flush_states(answer_);
  } catch (...) {
    failure = current_failure(output_.current());
  }
  context_.set_batch(nullptr);
  answer_.set_cost(nanoseconds(CLOCK_THREAD_CPUTIME_ID) - cpu_begin,
                   nanoseconds(CLOCK_MONOTONIC) - wall_begin);
  return failure;
}

void Job::run_handlers(const BatchView& batch) {
  const InputBatch inputs(batch, output_);
  if (by_batch_ != nullptr) {
    by_batch_->process(inputs, output_, context_);
    output_.check_no_row_lost();
    return;
  }
  struct Handlers {
    Job& job;
    void operator()(const Message& message) const {
      job.by_input_->process_message(message, job.output_, job.context_);
    }
    void operator()(const Timer& timer) const {
      job.by_input_->process_timer(timer, job.output_, job.context_);
    }
    void operator()(const Visit& visit) const {
      job.by_input_->process_visit(visit, job.output_, job.context_);
    }
  };
  inputs.for_each(Handlers{*this});
}

}  // namespace retinue::companion
