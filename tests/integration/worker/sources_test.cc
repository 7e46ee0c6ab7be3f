// What a source makes of its lines, through to the sink: no companion takes part.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <zlib.h>
#include <zstd.h>

#include <sstream>

#include "tests/integration/harness/copying_job.h"
#include "tests/integration/worker/expectations.h"

namespace retinue::testing {
namespace {

using ::testing::HasSubstr;

TEST(Source, ReadsStandardInput) {
  const CopyingJob job({.input = "-"});
  write_file(job.folder() / "stdin", numbers(1000));
  ProcessOptions options = job.run_options();
  options.stdin_file = job.folder() / "stdin";
  const Finished finished = run(options);
  ASSERT_EQ(finished.exit_code, 0) << finished.errors;
  EXPECT_EQ(job.output(), numbers(1000));
}

TEST(Source, ReadsGzip) {
  const CopyingJob job({.input = "input.gz"});
  gzFile file = gzopen((job.folder() / "input.gz").c_str(), "wb");
  const std::string lines = numbers(10'000);
  ASSERT_EQ(gzwrite(file, lines.data(), static_cast<unsigned>(lines.size())),
            static_cast<int>(lines.size()));
  ASSERT_EQ(gzclose(file), Z_OK);
  const Finished finished = run(job.run_options());
  ASSERT_EQ(finished.exit_code, 0) << finished.errors;
  EXPECT_EQ(job.output(), lines);
}

TEST(Source, ReadsZstd) {
  const CopyingJob job({.input = "input.zst"});
  const std::string lines = numbers(10'000);
  std::string packed(ZSTD_compressBound(lines.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), lines.data(), lines.size(), 3));
  write_file(job.folder() / "input.zst", packed);
  const Finished finished = run(job.run_options());
  ASSERT_EQ(finished.exit_code, 0) << finished.errors;
  EXPECT_EQ(job.output(), lines);
}

TEST(Sink, WritesToStandardOutputAndTheSummaryToStandardError) {
  const CopyingJob job({.sink = "\"type\": \"stdout\""});
  write_file(job.folder() / "input.jsonl", numbers(1000));
  const Finished finished = run(job.run_options());
  ASSERT_EQ(finished.exit_code, 0) << finished.errors;
  EXPECT_EQ(finished.output, numbers(1000));
  EXPECT_THAT(finished.errors, HasSubstr("\"messages_out\":1000"));
}

TEST(BadLine, StopsThePipelineUntilItIsCorrected) {
  const CopyingJob job;
  write_file(job.folder() / "input.jsonl", "{\"n\":0}\n{\"n\":1}\n{\"n\":2.5}\n{\"n\":3}\n");
  const Finished failed = run(job.run_options());
  EXPECT_EQ(failed.exit_code, 1);
  EXPECT_THAT(parsed_json(failed.output).find("error")->as_string(),
              HasSubstr("invalid-record: " + (job.folder() / "input.jsonl").string() + ":3:6: "));
  write_file(job.folder() / "input.jsonl", numbers(4));
  const Finished rest = run(job.run_options());
  ASSERT_EQ(rest.exit_code, 0) << rest.errors;
  EXPECT_EQ(job.output(), numbers(4));
}

TEST(BadLine, IsSkippedAndCounted) {
  const CopyingJob job({.source_fields = ", \"on_bad_line\": \"skip\""});
  write_file(job.folder() / "input.jsonl", "{\"n\":0}\nrubbish\n{\"m\":1}\n{\"n\":1}\n");
  const Finished finished = run(job.run_options());
  ASSERT_EQ(finished.exit_code, 0) << finished.errors;
  EXPECT_EQ(number(parsed_json(finished.output), "lines_skipped"), 2);
  EXPECT_EQ(job.output(), numbers(2));
}

TEST(BadLine, IsInTheDeadLettersExactlyOnceThoughTheWorkerIsKilled) {
  constexpr int kLines = 200'000;
  const CopyingJob job(
      {.source_fields = ", \"on_bad_line\": \"dead_letter\", \"dead_letter_path\": \"bad.jsonl\""});
  const auto bad_file = job.folder() / "bad.jsonl";
  std::string input;
  std::string good;
  for (int i = 0; i < kLines; ++i) {
    if (i % 10 == 9) {
      input += fmt::format("bad {}\n", i);
    } else {
      input += fmt::format("{{\"n\":{}}}\n", i);
      good += fmt::format("{{\"n\":{}}}\n", i);
    }
  }
  write_file(job.folder() / "input.jsonl", input);
  for (int kill = 1; kill <= 3; ++kill) {
    Process worker(job.run_options());
    const uint64_t enough = static_cast<uint64_t>(kill) * 100'000;
    worker.wait_until([&] {
      std::error_code missing;
      const uint64_t size = std::filesystem::file_size(bad_file, missing);
      return !missing && size > enough;
    });
    worker.signal(SIGKILL);
    EXPECT_EQ(worker.wait(), 128 + SIGKILL) << "it was done before it could be killed";
  }
  const Finished finished = run(job.run_options());
  ASSERT_EQ(finished.exit_code, 0) << finished.errors;
  EXPECT_EQ(job.output(), good);

  std::istringstream letters(read_file(bad_file));
  int count = 0;
  for (std::string line; std::getline(letters, line); ++count) {
    const yson::Node letter = parsed_json(line);
    ASSERT_EQ(letter.find("text")->as_string(), fmt::format("bad {}", count * 10 + 9));
    ASSERT_EQ(number(letter, "line"), count * 10 + 10);
    ASSERT_EQ(number(letter, "column"), 1);
    ASSERT_EQ(letter.find("file")->as_string(), (job.folder() / "input.jsonl").string());
  }
  EXPECT_EQ(count, kLines / 10);
}

}  // namespace
}  // namespace retinue::testing
