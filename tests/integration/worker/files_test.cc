// Whose files are whose: what a pipeline writes, what it must not touch, and what it must not read.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "tests/integration/harness/copying_job.h"

namespace retinue::testing {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;

std::string file_sink(std::string_view path) {
  return fmt::format("\"type\": \"json_lines\", \"path\": \"{}\"", path);
}

std::string dead_letters_in(std::string_view path) {
  return fmt::format(", \"on_bad_line\": \"dead_letter\", \"dead_letter_path\": \"{}\"", path);
}

TEST(SinkPath, ThatChangesBeginsANewFile) {
  const CopyingJob job;
  job.folder().write("input.jsonl", numbers(10));
  ASSERT_EQ(job.run_to_end().exit_code, 0);
  job.folder().write("precious.jsonl", "the words of somebody else");
  job.folder().write("input.jsonl", numbers(12));

  job.change({.sink = file_sink("precious.jsonl")});
  const Finished refused = job.run_to_end();
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.errors,
              AllOf(HasSubstr("invalid-argument"), HasSubstr("precious.jsonl: exists"),
                    HasSubstr("the output so far went to " + job.folder().path("output.jsonl"))));
  EXPECT_EQ(job.folder().read("precious.jsonl"), "the words of somebody else");

  job.change({.sink = file_sink("new.jsonl")});
  const Finished moved = job.run_to_end();
  EXPECT_EQ(moved.exit_code, 0) << moved.errors;
  EXPECT_THAT(moved.errors, AllOf(HasSubstr("output goes on in a new file"),
                                  HasSubstr(fmt::format("bytes_before={}", numbers(10).size()))));
  EXPECT_EQ(job.folder().read("new.jsonl"), numbers(2, 10));
  EXPECT_EQ(job.output(), numbers(10));

  // And only once.
  job.folder().write("input.jsonl", numbers(13));
  const Finished more = job.run_to_end();
  EXPECT_EQ(more.exit_code, 0) << more.errors;
  EXPECT_THAT(more.errors, Not(HasSubstr("output goes on in a new file")));
  EXPECT_EQ(job.folder().read("new.jsonl"), numbers(3, 10));
}

TEST(SinkPath, OfTwoThatAreSwappedTouchesNeitherFile) {
  const auto second = [](std::string_view path) {
    return ", \"second\": {\"input_stream_ids\": [\"numbers\"], " + file_sink(path) + "}";
  };
  const CopyingJob job({.sink = file_sink("a.jsonl"), .more_sinks = second("b.jsonl")});
  job.folder().write("input.jsonl", numbers(10));
  ASSERT_EQ(job.run_to_end().exit_code, 0);
  job.folder().write("input.jsonl", numbers(20));
  job.folder().append("a.jsonl", "half a li");
  job.change({.sink = file_sink("b.jsonl"), .more_sinks = second("a.jsonl")});
  EXPECT_EQ(job.run_to_end().exit_code, 1);
  EXPECT_EQ(job.folder().read("a.jsonl"), numbers(10) + "half a li");
  EXPECT_EQ(job.folder().read("b.jsonl"), numbers(10));

  // One that can go on is not touched either when another cannot.
  job.folder().write("c.jsonl", "precious");
  job.change({.sink = file_sink("a.jsonl"), .more_sinks = second("c.jsonl")});
  EXPECT_EQ(job.run_to_end().exit_code, 1);
  EXPECT_EQ(job.folder().read("a.jsonl"), numbers(10) + "half a li");

  job.change({.sink = file_sink("a.jsonl"), .more_sinks = second("b.jsonl")});
  EXPECT_EQ(job.run_to_end().exit_code, 0);
  EXPECT_EQ(job.folder().read("a.jsonl"), numbers(20));
  EXPECT_EQ(job.folder().read("b.jsonl"), numbers(20));
}

TEST(SinkPath, IsRememberedWhileTheSinkWritesToStandardOutput) {
  const CopyingJob job;
  job.folder().write("input.jsonl", numbers(1));
  ASSERT_EQ(job.run_to_end().exit_code, 0);
  job.folder().write("input.jsonl", numbers(2));
  job.change({.sink = "\"type\": \"stdout\""});
  const Finished printed = job.run_to_end();
  EXPECT_EQ(printed.exit_code, 0) << printed.errors;
  EXPECT_EQ(printed.output, numbers(1, 1));
  job.folder().write("input.jsonl", numbers(3));
  job.change({});
  const Finished back = job.run_to_end();
  EXPECT_EQ(back.exit_code, 0) << back.errors;
  EXPECT_EQ(job.output(), numbers(1) + numbers(1, 2));
}

TEST(DeadLetterPath, ThatChangesBeginsANewFile) {
  const CopyingJob job({.source_fields = dead_letters_in("bad.jsonl")});
  job.folder().write("input.jsonl", "bad 1\n");
  ASSERT_EQ(job.run_to_end().exit_code, 0);
  const std::string letters = job.folder().read("bad.jsonl");
  EXPECT_THAT(letters, HasSubstr("bad 1"));
  job.folder().append("input.jsonl", "bad 2\n");
  const std::string precious(1000, 'p');
  job.folder().write("precious", precious);
  job.change({.source_fields = dead_letters_in("precious")});
  EXPECT_EQ(job.run_to_end().exit_code, 1);
  EXPECT_EQ(job.folder().read("precious"), precious);
  job.change({.source_fields = dead_letters_in("new.jsonl")});
  const Finished moved = job.run_to_end();
  EXPECT_EQ(moved.exit_code, 0) << moved.errors;
  EXPECT_THAT(moved.errors, HasSubstr("output goes on in a new file"));
  EXPECT_THAT(job.folder().read("new.jsonl"), AllOf(HasSubstr("bad 2"), Not(HasSubstr("bad 1"))));
  EXPECT_EQ(job.folder().read("bad.jsonl"), letters);
}

// A job whose input is a named pipe, which the test writes.
class PipedJob {
 public:
  explicit PipedJob(const std::string& source_fields = "")
      : job_({.input = "pipe", .source_fields = source_fields}) {
    if (::mkfifo(job_.folder().path("pipe").c_str(), 0600) != 0) {
      throw std::runtime_error("cannot make a pipe");
    }
  }

  const Folder& folder() const { return job_.folder(); }
  const CopyingJob& job() const { return job_; }
  // Waits for the worker to open it. The pipe ends with the object.
  std::ofstream open_pipe(Process& worker) const {
    if (!worker.wait_for_error_text("pipeline starts")) {
      throw std::runtime_error("nobody opens the pipe: " + worker.errors());
    }
    return std::ofstream(folder().path("pipe"));
  }
  bool wait_for_output(Process& worker, const std::string& expected) const {
    return worker.wait_until([&] {
      return std::filesystem::exists(folder().path("output.jsonl")) && job_.output() == expected;
    });
  }

 private:
  CopyingJob job_;
};

TEST(NamedPipe, IsReadByEveryRun) {
  const PipedJob piped;
  for (int i = 0; i < 3; ++i) {
    Process worker(piped.job().run_options());
    piped.open_pipe(worker) << numbers(10, i * 10);
    EXPECT_EQ(worker.wait(), 0) << worker.errors();
    EXPECT_EQ(piped.job().output(), numbers(10 * (i + 1)));
  }
}

TEST(SinkFile, HasOneWorkerAtATime) {
  const PipedJob piped(dead_letters_in("bad.jsonl"));
  Process first(piped.job().run_options());
  std::ofstream pipe = piped.open_pipe(first);
  pipe << numbers(10) << "bad\n" << std::flush;
  ASSERT_TRUE(piped.wait_for_output(first, numbers(10))) << first.errors();
  const std::string letters = piped.folder().read("bad.jsonl");

  for (const bool has_dead_letters : {true, false}) {
    piped.job().change({.source_fields = has_dead_letters ? dead_letters_in("bad.jsonl") : "",
                        .sink = file_sink(has_dead_letters ? "second.jsonl" : "output.jsonl")});
    piped.folder().write("input.jsonl", numbers(100) + "worse\n");
    const Finished second = run(piped.job().run_options("second_data"));
    EXPECT_EQ(second.exit_code, 1);
    EXPECT_THAT(
        second.errors,
        AllOf(HasSubstr(piped.folder().path(has_dead_letters ? "bad.jsonl" : "output.jsonl")),
              HasSubstr("is being written by another worker"), HasSubstr("stop that worker")));
  }
  EXPECT_EQ(piped.folder().read("bad.jsonl"), letters);
  pipe << numbers(10, 10);
  pipe.close();
  EXPECT_EQ(first.wait(), 0) << first.errors();
  EXPECT_EQ(piped.job().output(), numbers(20));
}

TEST(SinkFile, ThatIsTakenAwayStopsThePipeline) {
  for (const bool is_cut : {true, false}) {
    const PipedJob piped;
    const std::string output = piped.folder().path("output.jsonl");
    Process worker(piped.job().run_options());
    std::ofstream pipe = piped.open_pipe(worker);
    pipe << numbers(10) << std::flush;
    ASSERT_TRUE(piped.wait_for_output(worker, numbers(10))) << worker.errors();
    if (is_cut) {
      std::filesystem::resize_file(output, 5);
    } else {
      std::filesystem::rename(output, piped.folder().path("kept.jsonl"));
    }
    pipe << numbers(10, 10) << std::flush;
    EXPECT_EQ(worker.wait(), 1);
    EXPECT_THAT(worker.errors(),
                AllOf(HasSubstr("data-corrupted"),
                      HasSubstr(output + (is_cut ? ": was cut to 5 bytes" : ": was removed"))));
    if (!is_cut) {
      // Nothing was committed since: with the file back, no message that was read is missing. What
      // was still in the pipe is gone with it.
      pipe.close();
      std::filesystem::rename(piped.folder().path("kept.jsonl"), output);
      Process again(piped.job().run_options());
      piped.open_pipe(again) << numbers(10, 20);
      EXPECT_EQ(again.wait(), 0) << again.errors();
      EXPECT_THAT(piped.job().output(), AnyOf(numbers(30), numbers(10) + numbers(10, 20)));
    }
  }
}

TEST(Source, ThatWouldReadThePipelinesOwnOutputIsRefused) {
  const CopyingJob job({.input = "*.jsonl"});
  job.folder().write("input.jsonl", numbers(10));
  const Finished refused = job.run_to_end();
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.errors, AllOf(HasSubstr("/computations/read/source/paths/0"),
                                    HasSubstr("the file of /sinks/numbers/path")));
  EXPECT_FALSE(std::filesystem::exists(job.folder().path("output.jsonl")));

  // What the texts do not tell.
  job.folder().write("output.jsonl", "");
  job.folder().write("bad.jsonl", "");
  std::filesystem::create_symlink("output.jsonl", job.folder().path("in-1"));
  std::filesystem::create_hard_link(job.folder().path("bad.jsonl"), job.folder().path("in-2"));
  for (const auto& [input, writer] :
       {std::pair("in-[1]", "/sinks/numbers/path"),
        std::pair("in-2", "/computations/read/source/dead_letter_path")}) {
    job.change({.input = input, .source_fields = dead_letters_in("bad.jsonl")});
    const Finished found = job.run_to_end();
    EXPECT_EQ(found.exit_code, 2);
    EXPECT_THAT(found.errors,
                AllOf(HasSubstr("invalid-spec: /computations/read/source/paths: expected"),
                      HasSubstr(fmt::format("which {} writes", writer))));
  }
}

}  // namespace
}  // namespace retinue::testing
