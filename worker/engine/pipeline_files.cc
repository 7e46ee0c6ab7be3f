#include "worker/engine/pipeline_files.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <optional>

#include "worker/source/input_file.h"

namespace retinue::worker {
namespace {

std::optional<std::pair<uint64_t, uint64_t>> identity_of(const std::string& path) {
  struct stat status;
  const char* const name = path == kStandardInput ? "/dev/stdin" : path.c_str();
  if (::stat(name, &status) != 0 || !S_ISREG(status.st_mode)) {
    return std::nullopt;
  }
  return std::pair<uint64_t, uint64_t>(status.st_dev, status.st_ino);
}

Error both(const std::string& path, const std::string& reader, const std::string& writer) {
  return Error{
      ErrorCode::kInvalidSpec,
      fmt::format("{}: expected files that the pipeline does not write, found {}, which {} "
                  "writes; let one of them name other files",
                  reader, path, writer)};
}

}  // namespace

Result<void> PipelineFiles::add_read(const std::string& path, const std::string& spec_path) {
  const std::optional<Identity> identity = identity_of(path);
  if (!identity) {
    return {};
  }
  readers_.emplace(*identity, spec_path);
  const auto writer = writers_.find(*identity);
  return writer == writers_.end() ? Result<void>() : both(path, spec_path, writer->second);
}

Result<void> PipelineFiles::add_written(const std::string& path, const std::string& spec_path) {
  const std::optional<Identity> identity = identity_of(path);
  if (!identity) {
    return {};
  }
  writers_.emplace(*identity, spec_path);
  const auto reader = readers_.find(*identity);
  return reader == readers_.end() ? Result<void>() : both(path, reader->second, spec_path);
}

}  // namespace retinue::worker
