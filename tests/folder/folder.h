// Folder: a temporary folder that goes with the test, and small files in it.
//
// Errors: whatever fails throws std::runtime_error.
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
  std::string path(std::string_view name) const { return (path_ / name).string(); }

  // Returns the file's path.
  std::string write(std::string_view name, std::string_view bytes) const;
  void append(std::string_view name, std::string_view bytes) const;
  std::string read(std::string_view name) const;

 private:
  std::filesystem::path path_;
};

void write_file(const std::filesystem::path& path, std::string_view bytes);
std::string read_file(const std::filesystem::path& path);

}  // namespace retinue::testing
