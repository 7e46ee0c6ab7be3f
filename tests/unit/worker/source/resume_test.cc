// Going on from a position gives exactly what follows the chunk that gave it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "protocol/yson/parser.h"
#include "protocol/yson/writer.h"
#include "tests/folder/folder.h"
#include "tests/unit/worker/source/compress.h"
#include "tests/unit/worker/source/reading.h"
#include "worker/source/source_position.h"

namespace retinue::worker {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string as_is(std::string_view bytes) {
  return std::string(bytes);
}

// A source over the same paths that goes on from `position`.
std::unique_ptr<Source> resumed(const std::vector<std::string>& paths,
                                const std::string& position) {
  auto source = text_source(paths);
  const Result<void> result = source->seek(position);
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.error().message);
  return source;
}

Error resume_error(const std::vector<std::string>& paths, const std::string& position) {
  auto source = text_source(paths);
  const Result<void> result = source->seek(position);
  return result ? Error{ErrorCode::kInternal, "no error"} : result.error();
}

struct ResumeCase {
  const char* name;
  std::string (*compress)(std::string_view);
};

void PrintTo(const ResumeCase& resume_case, std::ostream* out) {
  *out << resume_case.name;
}

class ResumePropertyTest : public ::testing::TestWithParam<ResumeCase> {
 protected:
  std::string random_lines(size_t count) {
    std::string bytes;
    for (size_t i = 0; i < count; ++i) {
      const size_t size = random_() % 50 == 0 ? random_() % 5000 : random_() % 30;
      bytes.append(size, static_cast<char>('a' + random_() % 26));
      bytes += random_() % 4 == 0 ? "\r\n" : "\n";
    }
    if (!bytes.empty() && random_() % 2 == 0) {
      bytes.pop_back();
    }
    return bytes;
  }

  std::mt19937 random_{20240607};
};

TEST_P(ResumePropertyTest, AnyStopsGiveTheUndisturbedRows) {
  for (int round = 0; round < 40; ++round) {
    SCOPED_TRACE(round);
    const testing::Folder folder;
    std::vector<std::string> paths;
    for (size_t file = 0; file < 1 + random_() % 4; ++file) {
      const size_t count = random_() % 5 == 0 ? 0 : random_() % 400;
      paths.push_back(
          folder.write("in" + std::to_string(file), GetParam().compress(random_lines(count))));
    }
    auto undisturbed = text_source(paths);
    const Reading whole = read_all(*undisturbed);

    Reading reading;
    auto source = text_source(paths);
    while (read_chunk(*source, reading, 1 + random_() % 200, 1 + random_() % 8000)) {
      if (random_() % 3 == 0) {
        source = resumed(paths, reading.position);
      }
    }
    EXPECT_FALSE(reading.error.has_value());
    EXPECT_TRUE(reading.rows == whole.rows);
    EXPECT_EQ(reading.bytes_done, whole.bytes_done);
    // Ended is ended.
    const Reading rest = read_all(*resumed(paths, reading.position));
    EXPECT_THAT(rest.rows, IsEmpty());
    EXPECT_TRUE(rest.is_last);
    EXPECT_EQ(rest.bytes_done, whole.bytes_done);
  }
}

TEST_P(ResumePropertyTest, FilesThatHaveGrownAreReadOn) {
  for (int round = 0; round < 20; ++round) {
    SCOPED_TRACE(round);
    const testing::Folder folder;
    std::vector<std::string> paths;
    for (const char* name : {"a", "b", "c"}) {
      paths.push_back(folder.write(name, GetParam().compress(random_lines(20) + "\n")));
    }
    Reading reading;
    auto source = text_source(paths);
    const size_t chunks = 1 + random_() % 8;
    for (size_t i = 0; i < chunks && read_chunk(*source, reading, 1 + random_() % 10); ++i) {
    }
    for (const char* name : {"a", "b", "c"}) {
      folder.append(name, GetParam().compress(random_lines(1 + random_() % 20)));
    }
    auto undisturbed = text_source(paths);
    Reading whole = read_all(*undisturbed);

    const Reading rest = read_all(*resumed(paths, reading.position));
    reading.rows.insert(reading.rows.end(), rest.rows.begin(), rest.rows.end());
    // The file it was in the middle of comes before what was added to earlier ones.
    std::sort(reading.rows.begin(), reading.rows.end());
    std::sort(whole.rows.begin(), whole.rows.end());
    EXPECT_TRUE(reading.rows == whole.rows);
    EXPECT_EQ(rest.bytes_done, whole.bytes_done);
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, ResumePropertyTest,
                         ::testing::Values(ResumeCase{"plain", &as_is}, ResumeCase{"gzip", &gzip},
                                           ResumeCase{"zstd", &zstd}),
                         [](const auto& instance) { return std::string(instance.param.name); });

TEST(ResumeTest, FilesThatCameLaterAreReadWhereverTheirNamesFall) {
  const testing::Folder folder;
  folder.write("b", "b1\nb2\n");
  folder.write("d", "d1\n");
  const std::vector<std::string> pattern{folder.path("*")};
  Reading reading;
  auto source = text_source(pattern);
  read_chunk(*source, reading, 1);
  folder.write("a", "a1\n");
  folder.write("c", "c1\n");
  EXPECT_THAT(read_all(*resumed(pattern, reading.position)).texts(),
              ElementsAre("b2", "a1", "c1", "d1"));
  EXPECT_THAT(read_all(*source).texts(), ElementsAre("b2", "d1"));
}

TEST(ResumeTest, ALineThatHadNoEndIsNotDoubledWhenItGetsOne) {
  const testing::Folder folder;
  for (const std::string end : {"\n", "\r\n"}) {
    const std::vector<std::string> paths{folder.write("in", "a\nb")};
    Reading reading = read_all(*text_source(paths));
    EXPECT_THAT(reading.texts(), ElementsAre("a", "b"));

    folder.append("in", end);
    Reading rest = read_all(*resumed(paths, reading.position));
    EXPECT_THAT(rest.texts(), IsEmpty());
    folder.append("in", "c" + end + end);
    for (const std::string& position : {reading.position, rest.position}) {
      const Reading more = read_all(*resumed(paths, position));
      EXPECT_THAT(more.texts(), ElementsAre("c", ""));
      EXPECT_EQ(more.rows[0][2], Value(uint64_t{3}));
    }
  }
}

TEST(ResumeTest, TheRestOfALineKeepsItsNumber) {
  const testing::Folder folder;
  const std::vector<std::string> paths{folder.write("in", "a\nbe")};
  const Reading reading = read_all(*text_source(paths));
  folder.append("in", "ta\nc\n");
  const Reading rest = read_all(*resumed(paths, reading.position));
  EXPECT_THAT(rest.texts(), ElementsAre("ta", "c"));
  EXPECT_EQ(rest.rows[0][2], Value(uint64_t{2}));
  EXPECT_EQ(rest.rows[1][2], Value(uint64_t{3}));
}

TEST(ResumeTest, AFileThatShrankOrVanishedBelowThePositionIsAnError) {
  const testing::Folder folder;
  folder.write("a", "a1\na2\n");
  folder.write("b", "b1\nb2\nb3\n");
  const std::vector<std::string> pattern{folder.path("*")};
  Reading reading;
  auto source = text_source(pattern);
  read_chunk(*source, reading);     // all of a
  read_chunk(*source, reading, 2);  // into b
  EXPECT_THAT(reading.texts(), ElementsAre("a1", "a2", "b1", "b2"));

  folder.write("b", "b1\nb2");
  Error error = resume_error(pattern, reading.position);
  EXPECT_EQ(error.code, ErrorCode::kIoError);
  EXPECT_THAT(error.message, HasSubstr(folder.path("b") + ": ends at byte 5"));

  std::filesystem::remove(folder.path("b"));
  error = resume_error(pattern, reading.position);
  EXPECT_EQ(error.code, ErrorCode::kIoError);
  EXPECT_THAT(error.message, HasSubstr(folder.path("b") + ": was read up to byte 6, but is gone"));

  folder.write("b", "b1\nb2\n");
  folder.write("a", "a1\n");
  error = resume_error(pattern, reading.position);
  EXPECT_EQ(error.code, ErrorCode::kIoError);
  EXPECT_THAT(error.message, HasSubstr(folder.path("a") + ": ends at byte 3"));
}

TEST(ResumeTest, ACompressedFileThatShrankIsAnError) {
  const testing::Folder folder;
  for (const auto compress : {&gzip, &zstd}) {
    const std::vector<std::string> paths{folder.write("in", compress("one\ntwo\nthree\n"))};
    Reading reading;
    read_chunk(*text_source(paths), reading, 2);
    folder.write("in", compress("one\n"));
    const Error error = resume_error(paths, reading.position);
    EXPECT_EQ(error.code, ErrorCode::kIoError);
    EXPECT_THAT(error.message, HasSubstr("ends at byte 4, but was read up to byte"));
  }
}

TEST(ResumeTest, AFinishedFileMayGo) {
  const testing::Folder folder;
  folder.write("a", "a1\n");
  folder.write("b", "b1\n");
  const std::vector<std::string> pattern{folder.path("*")};
  Reading reading;
  auto source = text_source(pattern);
  read_chunk(*source, reading);
  std::filesystem::remove(folder.path("a"));
  reading = read_all(*resumed(pattern, reading.position));
  EXPECT_THAT(reading.texts(), ElementsAre("b1"));
  // And it is still known when it comes back.
  folder.write("a", "a1\n");
  EXPECT_THAT(read_all(*resumed(pattern, reading.position)).texts(), IsEmpty());
}

TEST(ResumeTest, AFinishedFileThatIsNamedMayGo) {
  const testing::Folder folder;
  const std::vector<std::string> paths{folder.write("a", "a1\n"), folder.write("b", "b1\nb2\n")};
  Reading reading;
  auto source = text_source(paths);
  read_chunk(*source, reading);     // all of a
  read_chunk(*source, reading, 1);  // into b
  const auto resume = [&]() -> Result<std::unique_ptr<Source>> {
    RETINUE_ASSIGN(auto made, make_source(text_spec(paths), text_schema(), reading.position));
    RETINUE_TRY(made->seek(reading.position));
    return made;
  };
  std::filesystem::remove(folder.path("a"));
  const Reading rest = read_all(**resume());
  EXPECT_THAT(rest.texts(), ElementsAre("b2"));
  EXPECT_EQ(rest.bytes_done, 9u);

  std::filesystem::remove(folder.path("b"));
  Error error = resume().error();
  EXPECT_EQ(error.code, ErrorCode::kIoError);
  EXPECT_THAT(error.message, HasSubstr(folder.path("b") + ": was read up to byte 3, but is gone"));

  reading.position = rest.position;
  EXPECT_THAT(read_all(**resume()).texts(), IsEmpty());
  // And it is still known when it comes back.
  folder.write("a", "a1\na2\n");
  EXPECT_THAT(read_all(**resume()).texts(), ElementsAre("a2"));
}

TEST(ResumeTest, GarbledPositionsAreRefused) {
  const testing::Folder folder;
  const std::vector<std::string> paths{folder.write("in", "a\nb\n")};
  Reading reading;
  read_chunk(*text_source(paths), reading, 1);
  const std::string good = reading.position;
  for (size_t size = 0; size < good.size(); ++size) {
    EXPECT_EQ(resume_error(paths, good.substr(0, size)).code, ErrorCode::kDataCorrupted) << size;
  }
  for (const char* bad :
       {"{}", "[]", "{version=1}", "{version=1u;finished=[1u]}", "{version=1u;finished=[1;2;3;4]}",
        "{version=1u;finished=[];path=\"x\"}", "{version=1u;finished=[];path=\"\"}",
        "{version=1u;finished=[];path=x;offset=-1;lines=1u}"}) {
    EXPECT_EQ(resume_error(paths, bad).code, ErrorCode::kDataCorrupted) << bad;
  }
  EXPECT_EQ(resume_error(paths, "{version=2u}").code, ErrorCode::kNewerDataFormat);
}

TEST(SourcePositionTest, ComesBackAsItWas) {
  SourcePosition position;
  EXPECT_EQ(decode_position(encode_position(position)).value(), position);
  position.finished[UINT64_MAX] = {{UINT64_MAX, 3}, 4};
  position.finished[0] = {};
  EXPECT_EQ(decode_position(encode_position(position)).value(), position);
  position.path = std::string("/a\xff\0b", 5);
  position.place = {123'456'789'012, 7};
  EXPECT_EQ(decode_position(encode_position(position)).value(), position);
}

}  // namespace
}  // namespace retinue::worker
