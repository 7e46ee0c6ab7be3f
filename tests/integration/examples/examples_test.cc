// The examples give what other programs, or a reader of the log, would give.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <sstream>
#include <stdexcept>

#include "tests/folder/folder.h"
#include "tests/integration/harness/counting_job.h"
#include "tests/integration/harness/process.h"

namespace retinue::testing {
namespace {

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const size_t at = text.find(from);
  if (at == std::string::npos) {
    throw std::runtime_error(fmt::format("the spec has no {}", from));
  }
  return text.replace(at, from.size(), to);
}

// An example's spec, with the programs of this build.
std::string spec_of(const std::string& example) {
  return replaced(read_file(source_file(fmt::format("examples/{}/pipeline.json", example))),
                  fmt::format("../../build/release/bin/{}", example), program(example));
}

Finished run_spec(const Folder& folder, const std::string& spec) {
  write_file(folder / "pipeline.json", spec);
  return run({.command = {program("retinue"), "run", folder / "pipeline.json", "--data-dir",
                          folder / "data", "--quiet"}});
}

std::string states(const Folder& folder, const std::string& computation) {
  const Finished read =
      run({.command = {program("retinue"), "states", "read", "--data-dir", folder / "data",
                       "--computation", computation, "--limit", "0", "--json"}});
  EXPECT_EQ(read.exit_code, 0) << read.errors;
  return sorted_lines(read.output);
}

TEST(WordCount, CountsAsSortAndUniqDo) {
  const Folder folder;
  const Finished finished = run_spec(folder, spec_of("word_count"));
  ASSERT_EQ(finished.exit_code, 0) << finished.errors;
  const Finished counted =
      run({.command = {"/bin/sh", "-c",
                       "find /usr/share/common-licenses -type f -exec cat {} + | LC_ALL=C tr -cs "
                       "A-Za-z '\\n' | "
                       "LC_ALL=C tr A-Z a-z | grep . | LC_ALL=C sort | uniq -c"}});
  ASSERT_EQ(counted.exit_code, 0) << counted.errors;
  std::string expected;
  std::istringstream counts(counted.output);
  std::string word;
  for (int64_t count = 0; counts >> count >> word;) {
    expected += fmt::format(
        "{{\"key\":{{\"word\":\"{}\"}},\"state\":\"total\",\"value\":{{\"count\":{}}}}}\n", word,
        count);
  }
  ASSERT_FALSE(expected.empty());
  EXPECT_TRUE(states(folder, "count") == sorted_lines(expected)) << "counts differ";
}

TEST(PackageHistory, TellsTheChangesOfTheSampleLog) {
  const Folder folder;
  const std::string log = source_file("examples/package_history/sample-dpkg.log");
  const Finished finished = run_spec(
      folder, replaced(spec_of("package_history"), "\"dpkg.log\"", fmt::format("\"{}\"", log)));
  ASSERT_EQ(finished.exit_code, 0) << finished.errors;
  EXPECT_EQ(read_file(folder / "changes.jsonl"),
            read_file(source_file("tests/integration/examples/expected_changes.jsonl")));
  EXPECT_EQ(states(folder, "history"),
            read_file(source_file("tests/integration/examples/expected_histories.jsonl")));
}

}  // namespace
}  // namespace retinue::testing
