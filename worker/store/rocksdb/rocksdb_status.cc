#include "worker/store/rocksdb/rocksdb_status.h"

#include <fmt/format.h>

#include "protocol/base/check.h"

namespace retinue::worker {

Error rocksdb_error(const rocksdb::Status& status, std::string_view what,
                    const std::filesystem::path& directory) {
  RETINUE_CHECK(!status.ok());
  ErrorCode code = ErrorCode::kIoError;
  std::string_view remedy = "check the disk and the directory's permissions, then start again";
  if (status.IsNoSpace()) {
    code = ErrorCode::kOutOfSpace;
    remedy = "free some space, then start again: nothing committed is lost";
  } else if (status.IsCorruption()) {
    code = ErrorCode::kDataCorrupted;
    remedy = "check the disk, and restore the directory from a backup";
  }
  return {.code = code,
          .message = fmt::format("cannot {} {}: {}; {}", what, directory.string(),
                                 status.ToString(), remedy)};
}

}  // namespace retinue::worker
