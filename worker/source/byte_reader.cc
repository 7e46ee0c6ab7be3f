#include "worker/source/byte_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "worker/source/decompressing_reader.h"
#include "worker/source/gzip_decoder.h"
#include "worker/source/zstd_decoder.h"

namespace retinue::worker {
namespace {

class PlainReader final : public ByteReader {
 public:
  explicit PlainReader(std::unique_ptr<InputFile> file) : file_(std::move(file)) {}

  Result<std::optional<size_t>> read(char* out, size_t size, bool wait) override {
    return file_->read(out, size, wait);
  }

  Result<void> skip_to(uint64_t offset) override {
    RETINUE_ASSIGN(const uint64_t size, file_->size());
    return size < offset ? ends_early(file_->path(), size, offset) : file_->seek(offset);
  }

  uint64_t stored_bytes_read() const override { return file_->offset(); }
  bool is_compressed() const override { return false; }

 private:
  const std::unique_ptr<InputFile> file_;
};

struct Magic {
  Compression compression;
  std::string_view bytes;
  uint8_t first_byte_mask = 0xff;

  // Whether `seen` may be the beginning of it, or begins with it.
  bool agrees(std::string_view seen) const {
    for (size_t i = 0; i < std::min(seen.size(), bytes.size()); ++i) {
      const uint8_t mask = i == 0 ? first_byte_mask : 0xff;
      if (((seen[i] ^ bytes[i]) & mask) != 0) {
        return false;
      }
    }
    return true;
  }
};

constexpr std::array kMagics = {
    Magic{Compression::kGzip, "\x1f\x8b"}, Magic{Compression::kZstd, "\x28\xb5\x2f\xfd"},
    Magic{Compression::kZstd, "\x50\x2a\x4d\x18", 0xf0},  // a skippable frame, 16 kinds
};

// Takes no more bytes than it needs: a pipe may give one line and then wait for its answer.
Result<Compression> detect_compression(InputFile& file) {
  std::array<char, 4> bytes;
  size_t count = 0;
  std::optional<Compression> found;
  while (!found) {
    const std::string_view seen(bytes.data(), count);
    found = Compression::kNone;
    for (const Magic& magic : kMagics) {
      if (magic.agrees(seen)) {
        found.reset();
        if (count >= magic.bytes.size()) {
          found = magic.compression;
        }
        break;
      }
    }
    if (!found) {
      RETINUE_ASSIGN(const auto got, file.read(bytes.data() + count, 1, true));
      count += *got;
      if (*got == 0) {
        found = Compression::kNone;
      }
    }
  }
  file.unread(std::string_view(bytes.data(), count));
  return *found;
}

}  // namespace

Error ends_early(std::string_view path, uint64_t size, uint64_t offset) {
  return Error{ErrorCode::kIoError,
               fmt::format("{}: ends at byte {}, but was read up to byte {}; put the file back, "
                           "or start the pipeline from the beginning with a new data directory",
                           path, size, offset)};
}

Result<std::unique_ptr<ByteReader>> open_byte_reader(std::unique_ptr<InputFile> file,
                                                     Compression compression) {
  if (compression == Compression::kAuto) {
    RETINUE_ASSIGN(compression, detect_compression(*file));
  }
  std::unique_ptr<Decoder> decoder;
  switch (compression) {
    case Compression::kAuto:
    case Compression::kNone: return std::unique_ptr<ByteReader>(new PlainReader(std::move(file)));
    case Compression::kGzip: decoder = make_gzip_decoder(); break;
    case Compression::kZstd: decoder = make_zstd_decoder(); break;
  }
  return std::unique_ptr<ByteReader>(new DecompressingReader(std::move(file), std::move(decoder)));
}

}  // namespace retinue::worker
