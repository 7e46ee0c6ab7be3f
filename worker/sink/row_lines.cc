#include "worker/sink/row_lines.h"

#include <utility>

namespace retinue::worker {
namespace {

constexpr size_t kBufferBytes = size_t{256} << 10;

}  // namespace

Result<void> RowLines::append(std::string_view stream, const TableSchema& schema,
                              const RowBatchView& rows, uint32_t begin, uint32_t end) {
  auto writer = writers_.find(stream);
  if (writer == writers_.end()) {
    writer = writers_.emplace(std::string(stream), JsonRowWriter(schema)).first;
  }
  for (uint32_t row = begin; row < end; ++row) {
    if (Result<void> appended = writer->second.append(rows, row, buffer_); !appended) {
      return std::move(appended).error().with_context("stream " + std::string(stream));
    }
    if (buffer_.size() >= kBufferBytes) {
      RETINUE_TRY(flush());
    }
  }
  return {};
}

Result<void> RowLines::flush() {
  if (!buffer_.empty()) {
    RETINUE_TRY(write_(buffer_));
    buffer_.clear();
  }
  return {};
}

}  // namespace retinue::worker
