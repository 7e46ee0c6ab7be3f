#include "worker/source/zstd_decoder.h"

#include <zstd.h>

#include "protocol/base/check.h"

namespace retinue::worker {
namespace {

class ZstdDecoder final : public Decoder {
 public:
  ZstdDecoder() : context_(::ZSTD_createDCtx()) {
    RETINUE_CHECK(context_ != nullptr, "out of memory");
  }
  ~ZstdDecoder() override { ::ZSTD_freeDCtx(context_); }

  Step decode(std::string_view in, char* out, size_t size) override {
    if (!error_.empty()) {
      return {0, 0, error_};
    }
    if (in.empty() && is_between_frames_) {
      return {};  // libzstd would begin a frame
    }
    ZSTD_inBuffer input{in.data(), in.size(), 0};
    ZSTD_outBuffer output{out, size, 0};
    const size_t hint = ::ZSTD_decompressStream(context_, &output, &input);
    if (::ZSTD_isError(hint) != 0) {
      // Its context is undefined from now on.
      error_ = ::ZSTD_getErrorName(hint);
      return {input.pos, output.pos, error_};
    }
    is_between_frames_ = hint == 0;
    return {input.pos, output.pos, {}};
  }

  bool is_between_frames() const override { return is_between_frames_; }
  std::string_view format_name() const override { return "zstd"; }

 private:
  ZSTD_DCtx* const context_;
  bool is_between_frames_ = true;
  std::string error_;
};

}  // namespace

std::unique_ptr<Decoder> make_zstd_decoder() {
  return std::make_unique<ZstdDecoder>();
}

}  // namespace retinue::worker
