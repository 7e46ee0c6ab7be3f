#include "tests/folder/folder.h"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace retinue::testing {
namespace {

void put(const std::filesystem::path& path, std::string_view bytes, std::ios::openmode mode) {
  std::ofstream file(path, std::ios::binary | mode);
  file << bytes;
  if (!file.flush()) {
    throw std::runtime_error("cannot write " + path.string());
  }
}

}  // namespace

Folder::Folder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "retinue-test-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) {
    throw std::runtime_error("cannot make a temporary folder");
  }
  path_ = pattern;
}

Folder::~Folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string Folder::write(std::string_view name, std::string_view bytes) const {
  write_file(path_ / name, bytes);
  return path(name);
}

void Folder::append(std::string_view name, std::string_view bytes) const {
  put(path_ / name, bytes, std::ios::app);
}

std::string Folder::read(std::string_view name) const {
  return read_file(path_ / name);
}

void write_file(const std::filesystem::path& path, std::string_view bytes) {
  put(path, bytes, std::ios::trunc);
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    throw std::runtime_error("cannot read " + path.string());
  }
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace retinue::testing
