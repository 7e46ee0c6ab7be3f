#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "worker/cli/progress_printer.h"
#include "worker/cli/spec_printer.h"
#include "worker/cli/summary_printer.h"
#include "worker/json/json_parser.h"

namespace retinue::worker {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

Summary sample() {
  Summary summary;
  summary.elapsed = Duration::milliseconds(65'400);
  summary.messages_in = 1'204'311;
  summary.messages_processed = 1'204'305;
  summary.messages_out = 1'204'300;
  summary.epochs = 1234;
  summary.source_bytes_read = 31;
  summary.source_bytes_total = 100;
  summary.messages_in_total = 2'000'000;
  summary.stage_costs.preload = 17;
  ComputationSummary count;
  count.computation = "count";
  count.messages_in = 5;
  count.queued_messages = 12'000;
  summary.computations = {count, count};
  return summary;
}

TEST(WithSeparators, EveryLength) {
  EXPECT_EQ(with_separators(0), "0");
  EXPECT_EQ(with_separators(12), "12");
  EXPECT_EQ(with_separators(123), "123");
  EXPECT_EQ(with_separators(1234), "1,234");
  EXPECT_EQ(with_separators(123456), "123,456");
  EXPECT_EQ(with_separators(UINT64_MAX), "18,446,744,073,709,551,615");
}

TEST(ProgressLine, ShowsHowFarItIs) {
  EXPECT_EQ(progress_line("words", sample(), 240'100.7),
            "words  [######··············]  30%  1,204,311 in  1,204,305 processed  240,100/s  "
            "1,204,300 out  24,000 "
            "queued  01:05");
}

TEST(ProgressLine, KnowsNoShareOfAnEndlessInput) {
  Summary summary = sample();
  summary.source_bytes_total.reset();
  EXPECT_EQ(progress_line("words", summary, 0),
            "words  1,204,311 in  1,204,305 processed  0/s  1,204,300 out  24,000 queued  01:05");
  summary.source_bytes_total = 0;
  EXPECT_THAT(progress_line("words", summary, 0), ::testing::Not(HasSubstr("%")));
  summary.source_bytes_total = 10;
  EXPECT_THAT(progress_line("words", summary, 0), HasSubstr("[###################·]  98%"));
}

TEST(ProgressLine, IsDoneWhenNothingIsQueued) {
  Summary summary = sample();
  summary.source_bytes_read = 100;
  summary.computations.clear();
  EXPECT_THAT(progress_line("words", summary, 0), HasSubstr("[####################] 100%"));
  summary.messages_processed = 0;
  summary.computations.resize(1);
  summary.computations[0].queued_messages = 1'700'000;
  EXPECT_THAT(progress_line("words", summary, 0), HasSubstr("[····················]   0%"));
  summary.messages_processed = 1'700'000'000'000;
  EXPECT_THAT(progress_line("words", summary, 0), HasSubstr("  99%"));
}

TEST(ProgressLine, ShowsLessWhereThereIsLessRoom) {
  const auto line = [](size_t columns) {
    return progress_line("words", sample(), 240'100, {.columns = columns, .has_utf8 = false});
  };
  EXPECT_EQ(line(200),
            "words  [######..............]  30%  1,204,311 in  1,204,305 processed  "
            "240,100/s  1,204,300 out  24,000 queued  01:05");
  EXPECT_EQ(line(79),
            "words  [###.......]  30%  1,204,305 processed  240,100/s  24,000 queued  "
            "01:05");
  EXPECT_EQ(line(39), "words   30%  240,100/s  01:05");
  EXPECT_EQ(line(3), " 30");
  for (size_t columns = 1; columns < 150; ++columns) {
    EXPECT_LE(line(columns).size(), columns);
    EXPECT_LE(progress_line(std::string(256, 'n'), sample(), 1, {.columns = columns}).size(),
              columns);
  }
}

struct KeptLog final : LogSink {
  void write(const LogEntry& entry) override { entries.push_back(entry); }
  std::vector<LogEntry> entries;
};

// What a printer writes while `act` runs, beside the log.
template <typename Act>
std::string printed(const ProgressPrinter::Options& options, Act&& act, LogSink& log) {
  std::FILE* const file = std::tmpfile();
  {
    ProgressPrinter printer("words", options, log, file);
    act(printer);
  }
  std::rewind(file);
  std::string text(1 << 12, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file));
  std::fclose(file);
  return text;
}

template <typename Act>
std::string printed(const ProgressPrinter::Options& options, Act&& act) {
  KeptLog log;
  return printed(options, act, log);
}

TEST(ProgressPrinter, ATerminalHasOneLineThatLogsTakeAway) {
  const std::string text = printed({.is_terminal = true}, [](ProgressPrinter& printer) {
    printer.show(sample());
    printer.write({});
    printer.write({});
    printer.finish();
  });
  EXPECT_EQ(text, "\r\x1b[2K" +
                      progress_line("words", sample(), 1'204'305 / 65.4, {.columns = 79}) +
                      "\r\x1b[2K");
}

TEST(ProgressPrinter, LooksHowWideTheTerminalIsNow) {
  int columns = 41;
  const auto text = printed({.is_terminal = true, .columns = [&] { return columns; }},
                            [&](ProgressPrinter& printer) {
                              printer.show(sample());
                              columns = 22;
                              Summary later = sample();
                              later.elapsed = Duration::seconds(70);
                              printer.show(later);
                            });
  EXPECT_EQ(text, "\r\x1b[2Kwords   30%  18,414/s  01:05\r\x1b[2K 30%  12,890/s  01:10\r\x1b[2K");
}

TEST(ProgressPrinter, AsLogItWritesEntries) {
  KeptLog log;
  EXPECT_EQ(printed(
                {.as_log = true}, [](ProgressPrinter& printer) { printer.show(sample()); }, log),
            "");
  ASSERT_EQ(log.entries.size(), 1u);
  EXPECT_EQ(log.entries[0].message, "progress");
  EXPECT_THAT(log.entries[0].fields, Contains(LogField{"messages_processed", "1204305"}));
  EXPECT_THAT(log.entries[0].fields, Contains(LogField{"share_done", "0.304"}));
}

TEST(ProgressPrinter, ElsewhereLinesComeNowAndThen) {
  const std::string text = printed({}, [](ProgressPrinter& printer) {
    Summary summary = sample();
    summary.elapsed = Duration::seconds(4);
    printer.show(summary);
    summary.elapsed = Duration::seconds(5);
    summary.messages_processed = 500;
    printer.show(summary);
    summary.elapsed = Duration::seconds(9);
    printer.show(summary);
    summary.elapsed = Duration::seconds(10);
    summary.messages_processed = 1000;
    printer.show(summary);
  });
  EXPECT_THAT(text, HasSubstr(" 500 processed  100/s"));
  EXPECT_THAT(text, HasSubstr("1,000 processed  100/s"));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2);
}

TEST(ProgressPrinter, QuietShowsNothing) {
  EXPECT_EQ(printed({.is_terminal = true, .is_quiet = true},
                    [](ProgressPrinter& printer) { printer.show(sample()); }),
            "");
}

TEST(Summary, AsText) {
  const std::string text =
      summary_text("words", Engine::State::kFinished, sample(),
                   {.cpu_seconds = 12.34, .store_cpu_seconds = 1, .memory_bytes_max = 3 << 20});
  EXPECT_THAT(text, ::testing::StartsWith("words: finished after 65.4 s\n"));
  EXPECT_THAT(text, HasSubstr("messages in        1,204,311\n"));
  EXPECT_THAT(text, HasSubstr("processed          1,204,305  (18,414/s)\n"));
  EXPECT_THAT(text, HasSubstr("messages out       1,204,300\n"));
  EXPECT_THAT(text, HasSubstr("12.3 s CPU, 3 MiB\n"));
  EXPECT_THAT(text, ::testing::Not(HasSubstr("lines skipped")));
  Summary skipped = sample();
  skipped.lines_skipped = 7;
  skipped.elapsed = Duration();
  EXPECT_THAT(summary_text("words", Engine::State::kStopped, skipped, {}),
              HasSubstr("lines skipped              7\n"));
}

TEST(Summary, AsJson) {
  const std::string line = summary_json("words", Engine::State::kFailed, "bad \"disk\"", sample(),
                                        {.cpu_seconds = 0.18267699999999998});
  EXPECT_THAT(line, HasSubstr("\"cpu_seconds\":0.183,"));
  EXPECT_EQ(line.find('\n'), std::string::npos);
  const auto node = parse_json(line);
  ASSERT_TRUE(node.ok()) << node.error().to_string();
  EXPECT_EQ(node->find("pipeline")->as_string(), "words");
  EXPECT_EQ(node->find("state")->as_string(), "failed");
  EXPECT_EQ(node->find("error")->as_string(), "bad \"disk\"");
  EXPECT_EQ(node->find("cpu_seconds")->as_double(), 0.183);
  EXPECT_EQ(node->find("stage_costs")->find("preload_ns")->as_int64(), 17);
  EXPECT_EQ(node->find("computations")->find("count")->find("messages_in")->as_int64(), 5);
  const auto fine = parse_json(summary_json("words", Engine::State::kFinished, "", {}, {}));
  EXPECT_EQ(fine->find("error"), nullptr);
}

TEST(Summary, AsFieldsOfALogEntry) {
  const auto fields = summary_fields(Engine::State::kStopped, sample(), {.cpu_seconds = 0.25});
  EXPECT_THAT(fields, Contains(LogField{"state", "stopped"}));
  EXPECT_THAT(fields, Contains(LogField{"messages_out", "1204300"}));
  EXPECT_THAT(fields, Contains(LogField{"cpu_seconds", "0.250"}));
}

TEST(Summary, AnErrorIsTextWhateverItsBytes) {
  const auto node = parse_json(summary_json("words", Engine::State::kFailed, "a\xff", {}, {}));
  EXPECT_EQ(node->find("error")->as_string(), "a\ufffd");
}

TEST(ProcessUsage, MemoryIsThatOfThisProcess) {
  EXPECT_EQ(memory_bytes_max("Name:\tx\nVmPeak:\t 9 kB\nVmHWM:\t    1234 kB\nVmRSS:\t 1 kB\n"),
            1234u * 1024);
  EXPECT_EQ(memory_bytes_max("Name:\tx\n"), 0u);
  EXPECT_GT(process_usage().memory_bytes_max, 0u);
}

TEST(SpecReport, AsTextAndJson) {
  SpecReport report;
  report.spec.name = "words";
  EXPECT_EQ(report_text({.spec = "p.json"}, report),
            "p.json: ok: pipeline \"words\" of 0 computations, 0 streams, 0 companions and 0 "
            "sinks\n");
  EXPECT_EQ(report_json(report), "{\"ok\":true,\"problems\":[]}");
  report.spec.companions.emplace(CompanionName("one"), CompanionSpec());
  report.spec.sinks.emplace(SinkName("one"), SinkSpec());
  EXPECT_THAT(report_text({.spec = "p.json"}, report), HasSubstr("1 companion and 1 sink\n"));
  report.problems.push_back({.path = "", .message = "no name"});
  EXPECT_EQ(report_text({.spec = "p.json"}, report), "p.json: 1 problem\n  /: no name\n");
  report.problems.push_back({.path = "/a", .message = "bad"});
  EXPECT_THAT(report_text({.spec = "p.json"}, report), HasSubstr("p.json: 2 problems\n"));
  EXPECT_EQ(report_json(report),
            "{\"ok\":false,\"problems\":[{\"path\":\"\",\"message\":\"no name\"},{\"path\":\"/a\","
            "\"message\":\"bad\"}]}");
}

}  // namespace
}  // namespace retinue::worker
