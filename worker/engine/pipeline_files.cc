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
  return add(path, spec_path, &File::reader);
}

Result<void> PipelineFiles::add_written(const std::string& path, const std::string& spec_path) {
  return add(path, spec_path, &File::writer);
}

Result<void> PipelineFiles::add(const std::string& path, const std::string& spec_path,
                                std::string File::*user) {
  const std::optional<Identity> identity = identity_of(path);
  if (!identity) {
    return {};
  }
  File& file = files_[*identity];
  if ((file.*user).empty()) {
    file.*user = spec_path;
  }
  const bool is_both = !file.reader.empty() && !file.writer.empty();
  return is_both ? Result<void>(both(path, file.reader, file.writer)) : Result<void>();
}

}  // namespace retinue::worker
