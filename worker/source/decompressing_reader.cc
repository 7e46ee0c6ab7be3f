#include "worker/source/decompressing_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace retinue::worker {
namespace {

constexpr size_t kInputBytes = size_t{256} << 10;

}  // namespace

DecompressingReader::DecompressingReader(std::unique_ptr<InputFile> file,
                                         std::unique_ptr<Decoder> decoder)
    : file_(std::move(file)),
      decoder_(std::move(decoder)),
      input_(std::make_unique_for_overwrite<char[]>(kInputBytes)) {}

Error DecompressingReader::invalid(std::string_view what) const {
  return Error{ErrorCode::kInvalidRecord,
               fmt::format("{}: bad {} data before byte {} of the file: {}", file_->path(),
                           decoder_->format_name(), file_->offset() - (end_ - begin_), what)};
}

Result<std::optional<size_t>> DecompressingReader::read(char* out, size_t size, bool wait) {
  for (;;) {
    if (begin_ < end_ || has_more_output_) {
      const Decoder::Step step = decoder_->decode({&input_[begin_], end_ - begin_}, out, size);
      begin_ += step.bytes_consumed;
      // Output that was good comes first; the decoder gives the error again.
      if (step.bytes_produced > 0) {
        has_more_output_ = step.bytes_produced == size;
        return std::optional(step.bytes_produced);
      }
      has_more_output_ = false;
      if (!step.error.empty()) {
        return invalid(step.error);
      }
      continue;
    }
    RETINUE_ASSIGN(const auto count, file_->read(input_.get(), kInputBytes, wait));
    if (!count) {
      return count;
    }
    begin_ = 0;
    end_ = *count;
    if (*count == 0) {
      return decoder_->is_between_frames() ? Result(count) : invalid("it is cut off");
    }
  }
}

Result<void> DecompressingReader::skip_to(uint64_t offset) {
  const auto scratch = std::make_unique_for_overwrite<char[]>(kInputBytes);
  for (uint64_t done = 0; done < offset;) {
    const size_t wanted = std::min<uint64_t>(kInputBytes, offset - done);
    RETINUE_ASSIGN(const auto count, read(scratch.get(), wanted, true));
    if (*count == 0) {
      return ends_early(file_->path(), done, offset);
    }
    done += *count;
  }
  return {};
}

}  // namespace retinue::worker
