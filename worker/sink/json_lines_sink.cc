#include "worker/sink/json_lines_sink.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

namespace retinue::worker {
namespace {

std::optional<uint64_t> parse_length(std::string_view text) {
  uint64_t length = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, length);
  return error == std::errc() && rest == end ? std::optional(length) : std::nullopt;
}

}  // namespace

JsonLinesSink::JsonLinesSink(std::string path)
    : file_(std::move(path)), lines_([this](std::string_view lines) -> Result<void> {
        RETINUE_TRY(file_.append(lines));
        return {};
      }) {}

Result<void> JsonLinesSink::restore(std::string_view position) {
  const std::optional<uint64_t> length = parse_length(position);
  if (!length && !position.empty()) {
    return Error{
        ErrorCode::kDataCorrupted,
        fmt::format("{}: the committed position \"{}\" is no length", file_.path(), position)};
  }
  return file_.restore(length);
}

Result<void> JsonLinesSink::append(std::string_view stream, const TableSchema& schema,
                                   const RowBatchView& rows, uint32_t begin, uint32_t end) {
  return lines_.append(stream, schema, rows, begin, end);
}

Result<std::string> JsonLinesSink::flush() {
  RETINUE_TRY(lines_.flush());
  RETINUE_TRY(file_.sync());
  return std::to_string(file_.length());
}

}  // namespace retinue::worker
