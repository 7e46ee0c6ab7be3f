// SinkPartition: hands the messages of its inbox to a sink, and commits how far the sink has come.
//
// One write is under way at a time, on another thread; its position is committed afterwards, with
// the blocks it consumed.
//
// Threads: the engine's one. Borrows: plan, context.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "worker/engine/partition.h"
#include "worker/engine/topology.h"

namespace retinue::worker {

class SinkPartition final : public Partition {
 public:
  SinkPartition(const SinkPlan& plan, const SinkSpec& spec, PartitionIndex partition,
                PartitionContext& context);

  Result<void> begin() override;
  Result<void> turn() override;
  void on_input_ended() override { input_ended_ = true; }
  void add_to(Summary& summary) const override;

 private:
  // A stretch of the inbox on its way into the sink; the other thread's while it is under way.
  struct Write {
    std::vector<InboxRun> runs;
    Result<std::string> position = std::string();
  };

  Result<void> open() override;
  bool has_work_out() const override { return write_ != nullptr; }
  bool has_no_input_left() const override { return input_ended_ && inbox_.is_empty(); }

  // Where the spec has a field of this sink.
  std::string spec_path(std::string_view field) const;
  // On the other thread.
  Result<std::string> perform(const Write& write);
  void on_written();

  const SinkPlan& plan_;
  const SinkSpec& spec_;
  Inbox& inbox_;
  std::unique_ptr<Sink> sink_;
  std::unique_ptr<Write> write_;
  std::optional<Error> error_;
  bool input_ended_ = false;
};

}  // namespace retinue::worker
