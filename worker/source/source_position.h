// SourcePosition: how far the files of a source have been read, as it is committed.
//
// Encoded it is binary YSON: {version; finished=[path's fingerprint; offset; lines; stored bytes;
// …]; path; offset; lines}. The last three are the file being read, absent between files. A
// finished file keeps its size, so that one that has grown since is read on. Pipes and standard
// input are among them, for their lines are numbered on.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "protocol/base/result.h"
#include "worker/source/line_reader.h"

namespace retinue::worker {

struct SourcePosition {
  struct Finished {
    LinePlace place;
    uint64_t stored_bytes = 0;  // the size on disk at the end

    friend bool operator==(const Finished&, const Finished&) = default;
  };

  std::map<uint64_t, Finished> finished;  // by fingerprint(path)
  std::string path;                       // empty: between files
  LinePlace place;

  // How much of a file was read, in bytes on disk; 0 for the one being read. Nullopt: nothing.
  std::optional<uint64_t> find(const std::string& of_path) const;

  friend bool operator==(const SourcePosition&, const SourcePosition&) = default;
};

std::string encode_position(const SourcePosition& position);
// Errors: kDataCorrupted.
Result<SourcePosition> decode_position(std::string_view bytes);

}  // namespace retinue::worker
