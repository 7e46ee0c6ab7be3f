// Compares the committed vectors with what this build makes and reads. To write them anew, after a
// change of the schema that PROTOCOL.md's change log tells:
//   RETINUE_WRITE_VECTORS=1 RETINUE_SOURCE_DIR=. build/release/bin/unit_protocol_vectors_test
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>

#include "protocol/frame/frame_reader.h"
#include "tests/unit/protocol/vectors/frame_json.h"
#include "tests/unit/protocol/vectors/vector_set.h"

namespace retinue::vectors {
namespace {

std::filesystem::path folder() {
  const char* source = std::getenv("RETINUE_SOURCE_DIR");
  return std::filesystem::path(source == nullptr ? "." : source) / "protocol/vectors/v1";
}

bool rewrites() {
  return std::getenv("RETINUE_WRITE_VECTORS") != nullptr;
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.is_open()) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_file(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << bytes;
  file.close();
  EXPECT_TRUE(file.good()) << path;
}

// What the frame reader makes of the bytes.
Result<Frame> read_frame(const std::string& bytes) {
  FrameReader reader;
  std::span<std::byte> space = reader.prepare();
  EXPECT_LE(bytes.size(), space.size());
  std::memcpy(space.data(), bytes.data(), bytes.size());
  RETINUE_TRY(reader.commit(bytes.size()));
  std::optional<Frame> frame = reader.next();
  EXPECT_TRUE(frame.has_value() && reader.at_boundary());
  return std::move(*frame);
}

std::map<std::string, std::string> by_name() {
  std::map<std::string, std::string> vectors;
  const VectorSet set = all_vectors();
  for (const Vector& vector : set.vectors()) {
    EXPECT_TRUE(vectors.emplace(vector.name, vector.bytes).second) << vector.name << " twice";
  }
  return vectors;
}

TEST(Vectors, AreWhatThisBuildWritesAndReads) {
  for (const auto& [name, bytes] : by_name()) {
    Result<Frame> frame = read_frame(bytes);
    ASSERT_TRUE(frame.ok()) << name << ": " << frame.error().to_string();
    std::string json = to_json(frame->envelope());
    if (rewrites()) {
      std::filesystem::create_directories(folder());
      write_file(folder() / (name + ".frame"), bytes);
      write_file(folder() / (name + ".json"), json);
      continue;
    }
    EXPECT_TRUE(read_file(folder() / (name + ".frame")) == bytes) << name << ": bytes differ";
    EXPECT_EQ(read_file(folder() / (name + ".json")), json) << name;
  }
}

// Whatever a later build writes, it reads the frames of this version as their JSON says.
TEST(Vectors, CommittedFramesReadAsTheirJson) {
  size_t frames = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder())) {
    if (entry.path().extension() != ".frame") {
      continue;
    }
    ++frames;
    Result<Frame> frame = read_frame(read_file(entry.path()));
    ASSERT_TRUE(frame.ok()) << entry.path() << frame.error().to_string();
    std::filesystem::path json = entry.path();
    EXPECT_EQ(read_file(json.replace_extension(".json")), to_json(frame->envelope()));
  }
  EXPECT_GE(frames, 40u);
}

TEST(Vectors, FolderHoldsNothingElse) {
  std::set<std::string> expected;
  for (const auto& [name, bytes] : by_name()) {
    expected.insert(name + ".frame");
    expected.insert(name + ".json");
  }
  std::set<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(folder())) {
    found.insert(entry.path().filename());
  }
  EXPECT_EQ(found, expected);
}

TEST(Vectors, CoverEveryMessage) {
  std::set<std::string> seen;
  for (const auto& [name, bytes] : by_name()) {
    seen.insert(message_name(read_frame(bytes)->envelope()));
  }
  std::set<std::string> all = message_names();
  all.insert("");  // one of a newer version
  EXPECT_EQ(seen, all);
}

TEST(Vectors, JsonHoldsAllThatTheFrameHolds) {
  for (const auto& [name, bytes] : by_name()) {
    if (name.starts_with("future_") || name == "null_member") {
      continue;  // what is not known is not in the JSON; the codec does not read a null struct
    }
    Result<Frame> frame = read_frame(bytes);
    ASSERT_TRUE(frame.ok());
    std::string json = to_json(frame->envelope());
    EXPECT_EQ(json_after_round_trip(json), json) << name;
  }
}

}  // namespace
}  // namespace retinue::vectors
