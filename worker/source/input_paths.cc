#include "worker/source/input_paths.h"

#include <fmt/format.h>
#include <glob.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <unordered_set>
#include <utility>

#include "protocol/base/limits.h"
#include "worker/source/input_file.h"

namespace retinue::worker {
namespace {

bool exists(const std::string& path) {
  struct stat status;
  return ::lstat(path.c_str(), &status) == 0;
}

bool is_pattern(const std::string& path) {
  return path.find_first_of("*?[") != std::string::npos && !exists(path);
}

Result<std::vector<std::string>> expand_pattern(const std::string& pattern) {
  // A folder that cannot be listed is no folder without matches.
  const auto stop_at_error = [](const char*, int error_number) {
    errno = error_number;
    return error_number == ENOENT || error_number == ENOTDIR ? 0 : 1;
  };
  glob_t found{};
  const int result = ::glob(pattern.c_str(), GLOB_NOSORT, stop_at_error, &found);
  const int error_number = errno;
  std::vector<std::string> files(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  ::globfree(&found);
  if (result == GLOB_NOMATCH) {
    return Error{ErrorCode::kNotFound, fmt::format("{}: no file matches this pattern", pattern)};
  }
  if (result != 0) {
    return Error{ErrorCode::kIoError, fmt::format("{}: cannot look for the pattern's files: {}",
                                                  pattern, std::strerror(error_number))};
  }
  std::sort(files.begin(), files.end());
  return files;
}

Result<InputPath> look_at(std::string path, const std::string& given) {
  if (path == kStandardInput) {
    return InputPath{std::move(path), std::nullopt};
  }
  struct stat status;
  if (::stat(path.c_str(), &status) != 0) {
    const bool is_missing = errno == ENOENT || errno == ENOTDIR;
    return Error{is_missing ? ErrorCode::kNotFound : ErrorCode::kIoError,
                 fmt::format("{}: cannot read it: {}", path, std::strerror(errno))};
  }
  if (S_ISDIR(status.st_mode)) {
    const std::string remedy = path == given
                                   ? fmt::format("name its files, or a pattern like {}/*", path)
                                   : fmt::format("narrow the pattern {} to files", given);
    return Error{ErrorCode::kInvalidArgument, fmt::format("{}: is a directory; {}", path, remedy)};
  }
  InputPath input{std::move(path), std::nullopt};
  if (S_ISREG(status.st_mode)) {
    input.size_bytes = static_cast<uint64_t>(status.st_size);
  }
  return input;
}

}  // namespace

Result<std::vector<InputPath>> expand_input_paths(const std::vector<std::string>& paths) {
  std::vector<InputPath> inputs;
  std::unordered_set<std::string> seen;
  for (const std::string& given : paths) {
    if (given == kStandardInput && paths.size() > 1) {
      return Error{ErrorCode::kInvalidArgument,
                   "\"-\" (standard input) cannot be read together with other paths"};
    }
    std::vector<std::string> files{given};
    if (is_pattern(given)) {
      RETINUE_ASSIGN(files, expand_pattern(given));
    }
    for (std::string& file : files) {
      if (seen.insert(file).second) {
        RETINUE_ASSIGN(InputPath input, look_at(std::move(file), given));
        inputs.push_back(std::move(input));
      }
    }
  }
  if (inputs.empty()) {
    return Error{ErrorCode::kInvalidArgument, "the source names no file"};
  }
  if (inputs.size() > limits::kSourceFilesLimit) {
    return Error{ErrorCode::kLimitExceeded,
                 fmt::format("the source names {} files, over the limit of {}; join some of them",
                             inputs.size(), limits::kSourceFilesLimit)};
  }
  return inputs;
}

}  // namespace retinue::worker
