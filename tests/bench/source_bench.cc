// Lines read from a file in the page cache, against reading the same file and finding its line
// ends.
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "worker/source/make_source.h"

namespace retinue::worker {
namespace {

constexpr size_t kLines = 1'000'000;

enum class Content { kText, kJson };

// A file of kLines lines, removed at the end.
class LinesFile {
 public:
  explicit LinesFile(Content content) {
    path_ = "/tmp/source_bench-XXXXXX";
    ::close(::mkstemp(path_.data()));
    std::ofstream file(path_, std::ios::binary);
    for (size_t i = 0; i < kLines; ++i) {
      const std::string word = "word-" + std::to_string(i * 7919 % 100'003);
      if (content == Content::kJson) {
        file << R"({"word":")" << word << R"(","count":)" << i << "}\n";
      } else {
        file << word << " and some more words, as a line of a log has\n";
      }
    }
  }
  LinesFile(const LinesFile&) = delete;
  LinesFile& operator=(const LinesFile&) = delete;
  ~LinesFile() { ::unlink(path_.c_str()); }

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

void find_line_ends(benchmark::State& state) {
  const LinesFile file(Content::kText);
  std::vector<char> buffer(size_t{256} << 10);
  for (auto _ : state) {
    size_t lines = 0;
    const int fd = ::open(file.path().c_str(), O_RDONLY | O_CLOEXEC);
    for (ssize_t size; (size = ::read(fd, buffer.data(), buffer.size())) > 0;) {
      const char* const end = buffer.data() + size;
      for (const char* at = buffer.data(); at < end; ++lines) {
        const void* found = std::memchr(at, '\n', static_cast<size_t>(end - at));
        if (found == nullptr) {
          break;
        }
        at = static_cast<const char*>(found) + 1;
      }
    }
    ::close(fd);
    benchmark::DoNotOptimize(lines);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(kLines));
}
BENCHMARK(find_line_ends)->Unit(benchmark::kMillisecond);

void read_source(benchmark::State& state, Content content) {
  const LinesFile file(content);
  SourceSpec spec;
  spec.paths = {file.path()};
  std::vector<Column> columns{{"line", ColumnType::kString, false, ""}};
  if (content == Content::kJson) {
    spec.type = SourceType::kJsonLines;
    columns = {{"word", ColumnType::kString, false, ""}, {"count", ColumnType::kInt64, false, ""}};
  }
  const TableSchema schema = TableSchema::create(std::move(columns)).value();
  SourceChunk chunk;
  for (auto _ : state) {
    auto source = make_source(spec, schema).value();
    size_t rows = 0;
    do {
      if (!source->read(chunk, 4096, size_t{1} << 20)) {
        state.SkipWithError("reading failed");
        return;
      }
      rows += chunk.rows.row_count();
    } while (!chunk.is_last);
    if (rows != kLines) {
      state.SkipWithError("lines are missing");
    }
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(kLines));
}
BENCHMARK_CAPTURE(read_source, text, Content::kText)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read_source, json, Content::kJson)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace retinue::worker
