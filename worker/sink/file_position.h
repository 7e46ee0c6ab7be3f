// FilePosition: how much of which file is committed.
//
// As text it is the length in decimal digits, a space and the path. The first data directories had
// the length alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace retinue::worker {

struct FilePosition {
  std::string path;  // canonical; empty: not known, so the file that the spec names
  uint64_t length = 0;

  friend bool operator==(const FilePosition&, const FilePosition&) = default;
};

std::string encode_file_position(const FilePosition& position);
// Nullopt when it is none.
std::optional<FilePosition> decode_file_position(std::string_view text);

}  // namespace retinue::worker
