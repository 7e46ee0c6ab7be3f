#include "worker/sink/json_lines_sink.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

namespace retinue::worker {

JsonLinesSink::JsonLinesSink(std::string path)
    : file_(std::move(path)), lines_([this](std::string_view lines) -> Result<void> {
        RETINUE_TRY(file_.append(lines));
        return {};
      }) {}

Result<void> JsonLinesSink::examine(std::string_view position) {
  const std::optional<FilePosition> committed = decode_file_position(position);
  if (!committed && !position.empty()) {
    return Error{ErrorCode::kDataCorrupted,
                 fmt::format("{}: the committed position \"{}\" is no length of a file",
                             file_.path(), position)};
  }
  return file_.examine(committed);
}

Result<void> JsonLinesSink::append(std::string_view stream, const TableSchema& schema,
                                   const RowBatchView& rows, uint32_t begin, uint32_t end) {
  return lines_.append(stream, schema, rows, begin, end);
}

Result<std::string> JsonLinesSink::flush() {
  RETINUE_TRY(lines_.flush());
  RETINUE_TRY(file_.sync());
  return encode_file_position(file_.position());
}

}  // namespace retinue::worker
