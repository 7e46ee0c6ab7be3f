#include "worker/state/state_value.h"

#include <fmt/format.h>
#include <zstd.h>

#include "protocol/base/limits.h"

namespace retinue::worker {
namespace {

Error corrupted(std::string_view why) {
  return {.code = ErrorCode::kDataCorrupted,
          .message = fmt::format("a stored state value is malformed: {}", why)};
}

Result<void> check_size(size_t size) {
  if (size > limits::kValueBytesLimit) {
    return corrupted(
        fmt::format("it has {} bytes, and the limit is {}", size, limits::kValueBytesLimit));
  }
  return {};
}

Result<void> decode_zstd(std::string_view frame, std::string& value) {
  const unsigned long long size = ZSTD_getFrameContentSize(frame.data(), frame.size());
  if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN) {
    return corrupted("its zstd frame does not declare a size");
  }
  RETINUE_TRY(check_size(size));
  value.resize(size);
  const size_t decoded = ZSTD_decompress(value.data(), value.size(), frame.data(), frame.size());
  if (ZSTD_isError(decoded) != 0) {
    return corrupted(ZSTD_getErrorName(decoded));
  }
  if (decoded != size) {
    return corrupted("its zstd frame is shorter than declared");
  }
  return {};
}

}  // namespace

Result<void> decode_state_value(std::string_view stored, std::string& value) {
  if (stored.empty()) {
    return corrupted("it is empty");
  }
  const std::string_view body = stored.substr(1);
  switch (static_cast<StoredCodec>(stored.front())) {
    case StoredCodec::kPlain:
      RETINUE_TRY(check_size(body.size()));
      value.assign(body);
      return {};
    case StoredCodec::kZstd: return decode_zstd(body, value);
  }
  return corrupted(fmt::format("its codec byte is {}",
                               static_cast<unsigned>(static_cast<uint8_t>(stored.front()))));
}

}  // namespace retinue::worker
