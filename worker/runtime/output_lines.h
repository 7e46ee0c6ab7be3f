// OutputLines: cuts what a process prints into lines of bounded length.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace retinue::worker {

class OutputLines {
 public:
  // A line longer than this comes in pieces.
  static constexpr size_t kLineBytesMax = size_t{8} << 10;

  explicit OutputLines(std::function<void(std::string_view line)> emit) : emit_(std::move(emit)) {}

  void append(std::string_view bytes);
  // The output has ended: emits what no newline closed.
  void finish();

 private:
  std::function<void(std::string_view)> emit_;
  std::string line_;
};

}  // namespace retinue::worker
