#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/folder/folder.h"
#include "tests/unit/worker/source/compress.h"
#include "tests/unit/worker/source/reading.h"

namespace retinue::worker {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

struct Format {
  const char* name;
  std::string (*compress)(std::string_view);
  Compression compression;
};

void PrintTo(const Format& format, std::ostream* out) {
  *out << format.name;
}

class CompressedTest : public ::testing::TestWithParam<Format> {
 protected:
  std::string compress(std::string_view bytes) const { return GetParam().compress(bytes); }
  Reading read(std::string_view stored, Compression compression = Compression::kAuto) const {
    SourceSpec spec = text_spec({folder_.write("in", stored)});
    spec.compression = compression;
    auto source = make_source(spec, text_schema()).value();
    return read_all(*source, 1000, 10'000);
  }

  const testing::Folder folder_;
};

std::string numbered_lines(int count) {
  std::string bytes;
  for (int i = 0; i < count; ++i) {
    bytes += "line number " + std::to_string(i * 7919 % 100'003) + "\n";
  }
  return bytes;
}

TEST_P(CompressedTest, IsKnownByItsFirstBytes) {
  const std::string bytes = numbered_lines(100'000);
  const std::string stored = compress(bytes);
  const Reading reading = read(stored);
  EXPECT_FALSE(reading.error.has_value());
  ASSERT_EQ(reading.rows.size(), 100'000u);
  EXPECT_EQ(reading.bytes_read, bytes.size());
  EXPECT_EQ(reading.bytes_done, stored.size());
  EXPECT_TRUE(read(stored, GetParam().compression).texts() == reading.texts());
  EXPECT_TRUE(read(bytes).texts() == reading.texts());
}

TEST_P(CompressedTest, FramesFollowEachOther) {
  const std::string big = numbered_lines(20'000);
  const Reading reading =
      read(compress("a\nb") + compress("") + compress("c\n") + compress(big) + compress("last"));
  EXPECT_FALSE(reading.error.has_value());
  ASSERT_EQ(reading.rows.size(), 20'003u);
  EXPECT_THAT(reading.texts()[1], "bc");
  EXPECT_THAT(reading.texts().back(), "last");
}

// The output of a frame may end just where a read() of it does.
TEST_P(CompressedTest, FramesOfEveryAwkwardSizeEnd) {
  for (const size_t size : {(size_t{256} << 10) - 1, size_t{256} << 10, (size_t{256} << 10) + 1}) {
    const Reading reading = read(compress(std::string(size - 1, 'x') + "\n"));
    EXPECT_FALSE(reading.error.has_value()) << size;
    EXPECT_EQ(reading.rows.size(), 1u) << size;
  }
}

TEST_P(CompressedTest, NoBytesAreNoLines) {
  EXPECT_THAT(read("", GetParam().compression).rows, IsEmpty());
  EXPECT_FALSE(read("", GetParam().compression).error.has_value());
  EXPECT_THAT(read(compress("")).rows, IsEmpty());
}

TEST_P(CompressedTest, CutOffDataIsAnErrorWhereverItIsCut) {
  const std::string stored = compress(numbered_lines(30));
  for (size_t size = 1; size < stored.size(); ++size) {
    const Reading reading = read(std::string_view(stored).substr(0, size), GetParam().compression);
    ASSERT_TRUE(reading.error.has_value()) << size;
    EXPECT_EQ(reading.error->code, ErrorCode::kInvalidRecord);
    EXPECT_THAT(reading.error->message, StartsWith(folder_.path("in") + ": bad "));
    EXPECT_THAT(reading.error->message,
                HasSubstr("before byte " + std::to_string(size) + " of the file: it is cut off"));
    EXPECT_LE(reading.rows.size(), 30u);
  }
}

TEST_P(CompressedTest, CorruptDataIsAnErrorAfterTheGoodRows) {
  const std::string good = compress(numbered_lines(100));
  const Reading trailing = read(good + "trailing garbage");
  ASSERT_TRUE(trailing.error.has_value());
  EXPECT_EQ(trailing.error->code, ErrorCode::kInvalidRecord);
  EXPECT_EQ(trailing.rows.size(), 100u);

  const Reading other = read("plain text\n", GetParam().compression);
  ASSERT_TRUE(other.error.has_value());
  EXPECT_EQ(other.error->code, ErrorCode::kInvalidRecord);
}

// Whatever byte is changed: an error or rows, never a crash.
TEST_P(CompressedTest, AnyChangedByteIsSurvived) {
  const std::string good = compress(numbered_lines(50));
  int errors = 0;
  for (size_t i = 0; i < good.size(); ++i) {
    std::string changed = good;
    changed[i] = static_cast<char>(changed[i] ^ 0x55);
    errors += read(changed, GetParam().compression).error.has_value() ? 1 : 0;
  }
  EXPECT_GT(errors, static_cast<int>(good.size()) / 2);
}

INSTANTIATE_TEST_SUITE_P(Formats, CompressedTest,
                         ::testing::Values(Format{"gzip", &gzip, Compression::kGzip},
                                           Format{"zstd", &zstd, Compression::kZstd}),
                         [](const auto& instance) { return std::string(instance.param.name); });

TEST(DetectionTest, PlainTextThatBeginsLikeAMagicStaysText) {
  const testing::Folder folder;
  for (const std::string text :
       {"(", "(x", "(\xb5x", "(\xb5/", "(\xb5/x", "P", "P*M", "P*Mx", "\x1f", "\x1fx"}) {
    auto source = text_source({folder.write("in", text)});
    EXPECT_THAT(read_all(*source).texts(), ElementsAre(text));
  }
}

TEST(DetectionTest, ASkippableFrameMayComeFirst) {
  const testing::Folder folder;
  const std::string skippable("\x5a\x2a\x4d\x18\x03\0\0\0abc", 11);
  auto source = text_source({folder.write("in", skippable + zstd("a\n"))});
  EXPECT_THAT(read_all(*source).texts(), ElementsAre("a"));
}

TEST(DetectionTest, NoCompressionReadsCompressedBytesAsTheyAre) {
  const testing::Folder folder;
  SourceSpec spec = text_spec({folder.write("in", "\x1f\x8b\n")});
  spec.compression = Compression::kNone;
  auto source = make_source(spec, text_schema()).value();
  EXPECT_THAT(read_all(*source).texts(), ElementsAre("\x1f\x8b"));
}

}  // namespace
}  // namespace retinue::worker
