#include "worker/source/input_paths.h"

#include <fmt/format.h>
#include <glob.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <set>
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

using FileIdentity = std::pair<uint64_t, uint64_t>;  // device and inode

// A path, what it leads to, and how.
struct Candidate {
  InputPath input;
  std::optional<FileIdentity> identity;  // nullopt: standard input, or gone
  bool is_link = false;
};

Result<Candidate> look_at(std::string path, const std::string& given, const BytesRead& bytes_read) {
  Candidate candidate;
  InputPath& input = candidate.input;
  input.path = std::move(path);
  if (input.path == kStandardInput) {
    return candidate;
  }
  struct stat status;
  if (::stat(input.path.c_str(), &status) != 0) {
    const bool is_missing = errno == ENOENT || errno == ENOTDIR;
    const int error_number = errno;
    input.size_bytes = is_missing ? bytes_read(input.path) : std::nullopt;
    input.is_gone = input.size_bytes.has_value();
    if (input.is_gone) {
      return candidate;
    }
    return Error{is_missing ? ErrorCode::kNotFound : ErrorCode::kIoError,
                 fmt::format("{}: cannot read it: {}", input.path, std::strerror(error_number))};
  }
  if (S_ISDIR(status.st_mode)) {
    const std::string remedy = input.path == given
                                   ? fmt::format("name its files, or a pattern like {}/*", given)
                                   : fmt::format("narrow the pattern {} to files", given);
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("{}: is a directory; {}", input.path, remedy)};
  }
  if (S_ISREG(status.st_mode)) {
    input.size_bytes = static_cast<uint64_t>(status.st_size);
  }
  candidate.identity.emplace(status.st_dev, status.st_ino);
  struct stat own_status;
  candidate.is_link = ::lstat(input.path.c_str(), &own_status) == 0 && S_ISLNK(own_status.st_mode);
  return candidate;
}

// One name of every file.
std::vector<InputPath> without_repeats(std::vector<Candidate> candidates) {
  std::set<FileIdentity> have_other_names;  // than links
  for (const Candidate& candidate : candidates) {
    if (candidate.identity && !candidate.is_link) {
      have_other_names.insert(*candidate.identity);
    }
  }
  std::vector<InputPath> inputs;
  std::set<FileIdentity> seen;
  for (Candidate& candidate : candidates) {
    const auto& identity = candidate.identity;
    const bool is_repeat =
        identity && ((candidate.is_link && have_other_names.contains(*identity)) ||
                     !seen.insert(*identity).second);
    if (!is_repeat) {
      inputs.push_back(std::move(candidate.input));
    }
  }
  return inputs;
}

}  // namespace

Result<std::vector<InputPath>> expand_input_paths(const std::vector<std::string>& paths,
                                                  const BytesRead& bytes_read) {
  std::vector<Candidate> candidates;
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
        RETINUE_ASSIGN(Candidate candidate, look_at(std::move(file), given, bytes_read));
        candidates.push_back(std::move(candidate));
      }
    }
  }
  std::vector<InputPath> inputs = without_repeats(std::move(candidates));
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
