// DecompressingReader: a ByteReader over a Decoder of some compressed format.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "worker/source/byte_reader.h"

namespace retinue::worker {

// Decodes a stream of frames (gzip calls them members), one after the other.
class Decoder {
 public:
  struct Step {
    size_t bytes_consumed = 0;
    size_t bytes_produced = 0;
    std::string error;  // what is wrong with the data; empty: nothing
  };

  virtual ~Decoder() = default;

  // Consumes and produces what it can. `in` may be empty, to get bytes that did not fit before.
  virtual Step decode(std::string_view in, char* out, size_t size) = 0;
  // No frame has begun, or the last one is complete: the data may end here.
  virtual bool is_between_frames() const = 0;
  virtual std::string_view format_name() const = 0;
};

class DecompressingReader final : public ByteReader {
 public:
  DecompressingReader(std::unique_ptr<InputFile> file, std::unique_ptr<Decoder> decoder);

  Result<std::optional<size_t>> read(char* out, size_t size, bool wait) override;
  Result<void> skip_to(uint64_t offset) override;
  uint64_t stored_bytes_read() const override { return file_->offset(); }
  bool is_compressed() const override { return true; }

 private:
  Error invalid(std::string_view what) const;

  const std::unique_ptr<InputFile> file_;
  const std::unique_ptr<Decoder> decoder_;
  const std::unique_ptr<char[]> input_;
  size_t begin_ = 0;  // input_[begin_, end_) waits to be decoded
  size_t end_ = 0;
  bool has_more_output_ = false;
};

}  // namespace retinue::worker
