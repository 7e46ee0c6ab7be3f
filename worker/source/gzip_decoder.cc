#include "worker/source/gzip_decoder.h"

#include <zlib.h>

#include <algorithm>
#include <limits>

#include "protocol/base/check.h"

namespace retinue::worker {
namespace {

constexpr int kGzipWindowBits = 15 + 16;  // the largest window, gzip framing only

class GzipDecoder final : public Decoder {
 public:
  GzipDecoder() {
    RETINUE_CHECK(::inflateInit2(&stream_, kGzipWindowBits) == Z_OK, "out of memory");
  }
  ~GzipDecoder() override { ::inflateEnd(&stream_); }

  Step decode(std::string_view in, char* out, size_t size) override {
    if (is_between_members_ && !in.empty()) {
      is_between_members_ = false;
      ::inflateReset(&stream_);
    }
    constexpr size_t kMost = std::numeric_limits<uInt>::max();
    const auto in_size = static_cast<uInt>(std::min(in.size(), kMost));
    const auto out_size = static_cast<uInt>(std::min(size, kMost));
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
    stream_.avail_in = in_size;
    stream_.next_out = reinterpret_cast<Bytef*>(out);
    stream_.avail_out = out_size;
    const int result = ::inflate(&stream_, Z_NO_FLUSH);
    Step step{in_size - stream_.avail_in, out_size - stream_.avail_out, {}};
    if (result == Z_STREAM_END) {
      is_between_members_ = true;
    } else if (result != Z_OK && result != Z_BUF_ERROR) {  // Z_BUF_ERROR: nothing to do now
      step.error = stream_.msg != nullptr ? stream_.msg : ::zError(result);
    }
    return step;
  }

  bool is_between_frames() const override { return is_between_members_; }
  std::string_view format_name() const override { return "gzip"; }

 private:
  z_stream stream_{};
  bool is_between_members_ = true;
};

}  // namespace

std::unique_ptr<Decoder> make_gzip_decoder() {
  return std::make_unique<GzipDecoder>();
}

}  // namespace retinue::worker
