// What a user writes: a ProcessFunction, or a BatchProcessFunction for whole batches at a time.
//
// One object serves one partition; its methods are called by one thread, a batch after the other.
// What must outlive the process belongs in states: members are lost when the process ends or the
// partition moves. An exception fails the batch as a whole: nothing of it is committed, and every
// state is again what it was.
#pragma once

#include <span>
#include <utility>

#include "companion_sdk/core/batch_view.h"
#include "companion_sdk/cpp/input.h"
#include "companion_sdk/cpp/output.h"
#include "companion_sdk/cpp/runtime_context.h"

namespace retinue::companion {

class Function {
 public:
  virtual ~Function() = default;

  // Called once, before anything is processed: get state clients, output streams and columns here.
  // An exception refuses the job.
  virtual void init(RuntimeContext& context);
};

class ProcessFunction : public Function {
 public:
  virtual void process_message(const Message& message, OutputCollector& output,
                               RuntimeContext& context) = 0;
  // These throw NotImplementedError until overridden.
  virtual void process_timer(const Timer& timer, OutputCollector& output, RuntimeContext& context);
  virtual void process_visit(const Visit& visit, OutputCollector& output, RuntimeContext& context);
};

// The inputs of one batch, in order, and its columns for bulk work.
class InputBatch {
 public:
  InputBatch(const BatchView& view, OutputCollector& output) : view_(view), output_(output) {}

  size_t size() const { return view_.inputs().size(); }
  // Calls visitor(const Message&), (const Timer&) or (const Visit&) for every input, in order.
  // While one is visited it is the parent of what is emitted and the input that an exception is put
  // down to.
  template <typename Visitor>
  void for_each(Visitor&& visitor) const;
  // The columns as they lie: a group a stream, key indexes, order positions.
  const BatchView& view() const { return view_; }

 private:
  const BatchView& view_;
  OutputCollector& output_;
};

class BatchProcessFunction : public Function {
 public:
  // The inputs of one key must be processed in their order.
  virtual void process(const InputBatch& batch, OutputCollector& output,
                       RuntimeContext& context) = 0;
};

template <typename Visitor>
void InputBatch::for_each(Visitor&& visitor) const {
  for (uint32_t i = 0; i < view_.inputs().size(); ++i) {
    const OrderPosition order(i);
    output_.set_current(order);
    switch (view_.inputs()[i].kind) {
      case InputKind::kMessage: visitor(Message(view_, order)); break;
      case InputKind::kTimer: visitor(Timer(view_, order)); break;
      case InputKind::kVisit: visitor(Visit(view_, order)); break;
    }
    output_.check_no_row_lost();
  }
  output_.set_current({});
}

}  // namespace retinue::companion
