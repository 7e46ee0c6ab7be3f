#include "worker/runtime/output_lines.h"

#include <algorithm>

namespace retinue::worker {

void OutputLines::append(std::string_view bytes) {
  while (!bytes.empty()) {
    const size_t newline = bytes.find('\n');
    const size_t taken = std::min({newline, bytes.size(), kLineBytesMax - line_.size()});
    line_.append(bytes.substr(0, taken));
    bytes.remove_prefix(taken);
    if (bytes.empty()) {
      return;
    }
    // Here is a newline, or more than the line holds.
    bytes.remove_prefix(bytes.front() == '\n' ? 1 : 0);
    emit_(line_);
    line_.clear();
  }
}

void OutputLines::finish() {
  if (!line_.empty()) {
    emit_(line_);
    line_.clear();
  }
}

}  // namespace retinue::worker
