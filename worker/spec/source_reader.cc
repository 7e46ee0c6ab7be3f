#include "worker/spec/source_reader.h"

#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "worker/spec/object_reader.h"

namespace retinue::worker {
namespace {

constexpr std::string_view kStandardInput = "-";

constexpr std::array kSourceTypes = {
    Choice<SourceType>{"text_lines", SourceType::kTextLines},
    Choice<SourceType>{"json_lines", SourceType::kJsonLines},
    Choice<SourceType>{"kafka", std::nullopt},
};
constexpr std::array kCompressions = {
    Choice<Compression>{"auto", Compression::kAuto},
    Choice<Compression>{"none", Compression::kNone},
    Choice<Compression>{"gzip", Compression::kGzip},
    Choice<Compression>{"zstd", Compression::kZstd},
};
constexpr std::array kBadLinePolicies = {
    Choice<BadLinePolicy>{"fail", BadLinePolicy::kFail},
    Choice<BadLinePolicy>{"skip", BadLinePolicy::kSkip},
    Choice<BadLinePolicy>{"dead_letter", BadLinePolicy::kDeadLetter},
};

void read_paths(const ObjectReader& reader, const std::filesystem::path& folder, SourceSpec& source,
                Problems& problems) {
  const yson::Node* const node = reader.require("paths", "a list of paths, patterns or \"-\"");
  source.paths = reader.read_texts("paths");
  if (node != nullptr && node->is_list() && node->as_list().empty()) {
    problems.add_unexpected(reader.path_of("paths"), "at least one path", *node);
  }
  for (size_t i = 0; i < source.paths.size(); ++i) {
    std::string& path = source.paths[i];
    if (path != kStandardInput && !path.empty()) {
      path = resolve_path(folder, path);
    } else if (path == kStandardInput && source.paths.size() > 1) {
      problems.add(child_path(reader.path_of("paths"), i),
                   "expected \"-\" (standard input) to be the only path");
    }
  }
}

void read_dead_letter_path(const ObjectReader& reader, const std::filesystem::path& folder,
                           SourceSpec& source, Problems& problems) {
  std::string path;
  reader.read_text("dead_letter_path", path);
  if (!path.empty()) {
    source.dead_letter_path = resolve_path(folder, path);
  }
  if (source.on_bad_line == BadLinePolicy::kDeadLetter) {
    reader.require("dead_letter_path", "because on_bad_line is \"dead_letter\"");
  } else if (reader.has("dead_letter_path")) {
    problems.add(reader.path_of("dead_letter_path"),
                 "expected only with on_bad_line \"dead_letter\"");
  }
}

void read_columns(const ObjectReader& reader, SourceSpec& source, Problems& problems) {
  if (source.type != SourceType::kTextLines) {
    for (const std::string_view name : {"line_column", "file_column", "line_number_column"}) {
      if (reader.has(name)) {
        problems.add(reader.path_of(name), "expected only with type \"text_lines\"");
      }
    }
    return;
  }
  reader.read_text("line_column", source.line_column);
  for (auto& [name, column] : {std::pair("file_column", &source.file_column),
                               std::pair("line_number_column", &source.line_number_column)}) {
    std::string text;
    reader.read_text(name, text);
    if (!text.empty()) {
      *column = std::move(text);
    }
  }
}

}  // namespace

SourceSpec read_source(const yson::Node& node, const std::string& path,
                       const std::filesystem::path& folder, Problems& problems) {
  const ObjectReader reader(node, path, kSourceFields, problems);
  SourceSpec source;
  const size_t problems_before = problems.count();
  const bool has_type = reader.require("type", "\"text_lines\" or \"json_lines\"") != nullptr;
  reader.read_choice<SourceType>("type", source.type, kSourceTypes);
  if (has_type && problems.count() == problems_before) {
    read_columns(reader, source, problems);
  } else {
    source.type = SourceType::kJsonLines;  // nothing more to say about columns
  }
  read_paths(reader, folder, source, problems);
  reader.read_choice<Compression>("compression", source.compression, kCompressions);
  reader.read_choice<BadLinePolicy>("on_bad_line", source.on_bad_line, kBadLinePolicies);
  read_dead_letter_path(reader, folder, source, problems);
  return source;
}

}  // namespace retinue::worker
