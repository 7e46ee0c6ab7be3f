#include "worker/sink/file_position.h"

#include <charconv>

namespace retinue::worker {

std::string encode_file_position(const FilePosition& position) {
  std::string text = std::to_string(position.length);
  if (!position.path.empty()) {
    text += ' ';
    text += position.path;
  }
  return text;
}

std::optional<FilePosition> decode_file_position(std::string_view text) {
  FilePosition position;
  const char* const end = text.data() + text.size();
  const auto [after, error] = std::from_chars(text.data(), end, position.length);
  if (error != std::errc() || (after != end && (*after != ' ' || after + 1 == end))) {
    return std::nullopt;
  }
  if (after != end) {
    position.path.assign(after + 1, end);
  }
  return position;
}

}  // namespace retinue::worker
