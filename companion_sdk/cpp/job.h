// Job: one open job: a function object, its states and its answers.
// Threads: one at a time. Borrows: the log sink. Shares: the job's spec, with the session.
#pragma once

#include <memory>
#include <optional>

#include "companion_sdk/core/batch_answer.h"
#include "companion_sdk/core/batch_view.h"
#include "companion_sdk/core/companion_session.h"
#include "companion_sdk/cpp/output.h"
#include "companion_sdk/cpp/process_function.h"
#include "companion_sdk/cpp/registry.h"
#include "companion_sdk/cpp/runtime_context.h"
#include "protocol/base/result.h"

namespace retinue::companion {

class Job {
 public:
  // Makes the function and lets it init. Errors: kUserCodeFailed with what the function threw,
  // kFunctionNotServed.
  static Result<std::unique_ptr<Job>> open(std::shared_ptr<const JobSpec> spec,
                                           const Registry& registry, LogSink& log);

  // Runs the handlers of a batch. answer() then holds what they did, unless a failure comes back:
  // then nothing of the batch is left behind.
  std::optional<BatchFailure> process(const BatchView& batch);
  BatchAnswer& answer() { return answer_; }

 private:
  Job(std::shared_ptr<const JobSpec> spec, std::unique_ptr<Function> function, LogSink& log);

  void run_handlers(const BatchView& batch);

  const std::shared_ptr<const JobSpec> spec_;
  const std::unique_ptr<Function> function_;
  // The same object as function_; one of the two is set.
  ProcessFunction* const by_input_;
  BatchProcessFunction* const by_batch_;
  RuntimeContext context_;
  OutputCollector output_;
  BatchAnswer answer_;
};

}  // namespace retinue::companion
