// Folder: a temporary folder that goes with the test, and small files in it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace retinue::testing {

class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(std::string_view name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

// Throw std::runtime_error when the file cannot be had.
void write_file(const std::filesystem::path& path, std::string_view text);
std::string read_file(const std::filesystem::path& path);

}  // namespace retinue::testing
