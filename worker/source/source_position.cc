#include "worker/source/source_position.h"

#include <fmt/format.h>

#include "protocol/values/farm_hash.h"
#include "protocol/yson/parser.h"
#include "protocol/yson/writer.h"

namespace retinue::worker {
namespace {

constexpr uint64_t kVersion = 1;
constexpr size_t kNumbersPerFile = 4;

Error garbled(std::string_view what) {
  return Error{ErrorCode::kDataCorrupted,
               fmt::format("the committed position of the source is garbled: {}", what)};
}

Result<uint64_t> number_of(const yson::Node* node) {
  if (node == nullptr || !node->is_uint64()) {
    return garbled("a number is missing");
  }
  return node->as_uint64();
}

Result<LinePlace> place_of(const yson::Node* offset, const yson::Node* lines) {
  LinePlace place;
  RETINUE_ASSIGN(place.offset, number_of(offset));
  RETINUE_ASSIGN(place.lines, number_of(lines));
  return place;
}

}  // namespace

std::optional<uint64_t> SourcePosition::find(const std::string& of_path) const {
  if (of_path == path) {
    return 0;
  }
  const auto found = finished.find(fingerprint(of_path));
  return found == finished.end() ? std::nullopt : std::optional(found->second.stored_bytes);
}

std::string encode_position(const SourcePosition& position) {
  std::string bytes;
  yson::Writer writer(bytes);
  writer.begin_map();
  writer.key("version");
  writer.uint64(kVersion);
  writer.key("finished");
  writer.begin_list();
  for (const auto& [path_fingerprint, file] : position.finished) {
    writer.uint64(path_fingerprint);
    writer.uint64(file.place.offset);
    writer.uint64(file.place.lines);
    writer.uint64(file.stored_bytes);
  }
  writer.end_list();
  if (!position.path.empty()) {
    writer.key("path");
    writer.string(position.path);
    writer.key("offset");
    writer.uint64(position.place.offset);
    writer.key("lines");
    writer.uint64(position.place.lines);
  }
  writer.end_map();
  return bytes;
}

Result<SourcePosition> decode_position(std::string_view bytes) {
  const Result<yson::Node> parsed = yson::parse(bytes);
  if (!parsed) {
    return garbled(parsed.error().message);
  }
  RETINUE_ASSIGN(const uint64_t version, number_of(parsed->find("version")));
  if (version != kVersion) {
    return Error{ErrorCode::kNewerDataFormat,
                 fmt::format("the source's position has the format {}, this release reads {}",
                             version, kVersion)};
  }
  const yson::Node* finished = parsed->find("finished");
  if (finished == nullptr || !finished->is_list() ||
      finished->as_list().size() % kNumbersPerFile != 0) {
    return garbled("its finished files are missing");
  }
  SourcePosition position;
  const yson::List& numbers = finished->as_list();
  for (size_t i = 0; i < numbers.size(); i += kNumbersPerFile) {
    RETINUE_ASSIGN(const uint64_t path_fingerprint, number_of(&numbers[i]));
    SourcePosition::Finished& file = position.finished[path_fingerprint];
    RETINUE_ASSIGN(file.place, place_of(&numbers[i + 1], &numbers[i + 2]));
    RETINUE_ASSIGN(file.stored_bytes, number_of(&numbers[i + 3]));
  }
  if (const yson::Node* path = parsed->find("path")) {
    if (!path->is_string() || path->as_string().empty()) {
      return garbled("its path is missing");
    }
    position.path = path->as_string();
    RETINUE_ASSIGN(position.place, place_of(parsed->find("offset"), parsed->find("lines")));
  }
  return position;
}

}  // namespace retinue::worker
