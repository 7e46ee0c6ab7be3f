// WriterPool: frame writers to be used again, with the buffers they have grown.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "protocol/frame/frame_writer.h"

namespace retinue::worker {

class WriterPool {
 public:
  std::unique_ptr<FrameWriter> take() {
    if (free_.empty()) {
      return std::make_unique<FrameWriter>();
    }
    auto writer = std::move(free_.back());
    free_.pop_back();
    return writer;
  }
  void give_back(std::unique_ptr<FrameWriter> writer) {
    if (free_.size() < kFreeMax) {
      free_.push_back(std::move(writer));
    }
  }

 private:
  static constexpr size_t kFreeMax = 32;

  std::vector<std::unique_ptr<FrameWriter>> free_;
};

}  // namespace retinue::worker
