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

Result<std::string_view> decode_zstd(std::string_view frame, std::string& buffer) {
  const unsigned long long size = ZSTD_getFrameContentSize(frame.data(), frame.size());
  if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN) {
    return corrupted("its zstd frame does not declare a size");
  }
  RETINUE_TRY(check_size(size));
  buffer.resize(size);
  const size_t decoded = ZSTD_decompress(buffer.data(), buffer.size(), frame.data(), frame.size());
  if (ZSTD_isError(decoded) != 0) {
    return corrupted(ZSTD_getErrorName(decoded));
  }
  if (decoded != size) {
    return corrupted("its zstd frame is shorter than declared");
  }
  return std::string_view(buffer);
}

}  // namespace

Result<std::string_view> decode_state_value(std::string_view stored, std::string& buffer) {
  if (stored.empty()) {
    return corrupted("it is empty");
  }
  const std::string_view body = stored.substr(1);
  switch (static_cast<StoredCodec>(stored.front())) {
    case StoredCodec::kPlain: RETINUE_TRY(check_size(body.size())); return body;
    case StoredCodec::kZstd: return decode_zstd(body, buffer);
  }
  return corrupted(fmt::format("its codec byte is {}",
                               static_cast<unsigned>(static_cast<uint8_t>(stored.front()))));
}

}  // namespace retinue::worker
