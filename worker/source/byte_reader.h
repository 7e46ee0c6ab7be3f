// ByteReader: the uncompressed bytes of one input file.
//
// Threads: one at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "protocol/base/result.h"
#include "worker/source/input_file.h"
#include "worker/spec/spec.h"

namespace retinue::worker {

class ByteReader {
 public:
  virtual ~ByteReader() = default;

  // As InputFile::read, of uncompressed bytes. Errors also: kInvalidRecord for corrupt or cut-off
  // compressed data, with the file and the place in it.
  virtual Result<std::optional<size_t>> read(char* out, size_t size, bool wait) = 0;
  // Goes to byte `offset` of the uncompressed bytes. Precondition: a regular file, nothing read
  // yet. Errors: kIoError when it ends before, and those of read().
  virtual Result<void> skip_to(uint64_t offset) = 0;
  // Bytes taken of the file as it lies; a compressed file's reader takes some ahead.
  virtual uint64_t stored_bytes_read() const = 0;
  virtual bool is_compressed() const = 0;
};

// The error for a file that ends before the position it was read up to.
Error ends_early(std::string_view path, uint64_t size, uint64_t offset);

// kAuto looks at the first bytes. Errors: as InputFile::read.
Result<std::unique_ptr<ByteReader>> open_byte_reader(std::unique_ptr<InputFile> file,
                                                     Compression compression);

}  // namespace retinue::worker
