#include "worker/spec/spec_loader.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include "protocol/base/check.h"
#include "protocol/base/limits.h"
#include "protocol/yson/parser.h"
#include "worker/json/json_parser.h"
#include "worker/spec/companion_reader.h"
#include "worker/spec/computation_reader.h"
#include "worker/spec/dynamic_reader.h"
#include "worker/spec/object_reader.h"
#include "worker/spec/part_check.h"
#include "worker/spec/schema_reader.h"
#include "worker/spec/sink_reader.h"

namespace retinue::worker {
namespace {

using yson::Node;

std::filesystem::path absolute_folder(const std::filesystem::path& folder) {
  std::error_code failure;
  const std::filesystem::path absolute =
      std::filesystem::absolute(folder.empty() ? "." : folder, failure);
  std::filesystem::path normal = (failure ? folder : absolute).lexically_normal();
  // "/a/b/" and "/a/b" are one folder.
  return normal.has_filename() || !normal.has_relative_path() ? normal : normal.parent_path();
}

PipelineSpec read_pipeline(const Node& root, const std::filesystem::path& folder,
                           Problems& problems) {
  PipelineSpec spec;
  spec.folder = absolute_folder(folder);
  const ObjectReader reader(root, "", kPipelineFields, problems);
  reader.require("name", "the pipeline's name");
  reader.read_name("name", spec.name);
  reader.require("streams", "a map of streams");
  reader.read_entries("streams",
                      [&](const std::string& id, const Node& node, const std::string& path) {
                        spec.streams.emplace(StreamId(id), read_stream(node, path, problems));
                      });
  reader.read_entries("companions", [&](const std::string& name, const Node& node,
                                        const std::string& path) {
    spec.companions.emplace(CompanionName(name), read_companion(node, path, spec.folder, problems));
  });
  if (const Node* const computations = reader.require("computations", "a map of computations");
      computations != nullptr && computations->is_map() && computations->as_map().empty()) {
    problems.add_unexpected(reader.path_of("computations"), "at least one computation",
                            *computations);
  }
  reader.read_entries(
      "computations", [&](const std::string& id, const Node& node, const std::string& path) {
        spec.computations.emplace(ComputationId(id),
                                  read_computation(id, node, path, spec.folder, problems));
      });
  reader.read_entries(
      "sinks", [&](const std::string& name, const Node& node, const std::string& path) {
        spec.sinks.emplace(SinkName(name), read_sink(node, path, spec.folder, problems));
      });
  if (const Node* const dynamic = reader.find("dynamic_spec"); dynamic != nullptr) {
    spec.dynamic_spec = read_dynamic_spec(*dynamic, reader.path_of("dynamic_spec"), problems);
  }
  return spec;
}

SpecReport check_tree(const Node& root, const std::filesystem::path& folder) {
  Problems problems;
  PipelineSpec spec = read_pipeline(root, folder, problems);
  check_references(spec, problems);
  check_graph(spec, problems);
  check_schemas(spec, problems);
  check_dead_letters(spec, problems);
  check_files(spec, problems);
  for (const auto& [id, computation] : spec.computations) {
    spec.dynamic_spec.computations.try_emplace(id, default_dynamic_computation());
  }
  return {std::move(spec), std::move(problems).take()};
}

Result<Node> parse(std::string_view text, SpecFormat format) {
  return format == SpecFormat::kJson ? parse_json(text) : yson::parse(text);
}

// By what follows the first key: ':' in JSON, '=' in YSON.
SpecFormat guess_format(std::string_view text) {
  const size_t sign = text.find_first_of(":=");
  return sign != std::string_view::npos && text[sign] == '=' ? SpecFormat::kYson
                                                             : SpecFormat::kJson;
}

Result<std::string> read_file(const std::filesystem::path& path) {
  std::error_code failure;
  const auto status = std::filesystem::status(path, failure);
  if (status.type() == std::filesystem::file_type::not_found) {
    return Error{ErrorCode::kNotFound, fmt::format("there is no file {}", path.string())};
  }
  if (failure) {
    return Error{ErrorCode::kIoError,
                 fmt::format("cannot read {}: {}", path.string(), failure.message())};
  }
  if (std::filesystem::is_directory(status)) {
    return Error{ErrorCode::kIoError,
                 fmt::format("expected a spec's file, found the folder {}", path.string())};
  }
  std::ifstream file(path, std::ios::binary);
  // One byte more than a spec may have: the parsers refuse what is longer.
  std::string text(limits::kYsonBytesLimit + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file.eof() && file.fail()) {
    return Error{ErrorCode::kIoError,
                 fmt::format("cannot read {}: {}", path.string(), std::strerror(errno))};
  }
  text.resize(static_cast<size_t>(file.gcount()));
  return text;
}

}  // namespace

Error SpecReport::error() const {
  RETINUE_CHECK(!ok());
  std::string message;
  for (const SpecProblem& problem : problems) {
    fmt::format_to(std::back_inserter(message), "{}{}: {}", message.empty() ? "" : "\n",
                   problem.path.empty() ? "/" : problem.path, problem.message);
  }
  return {ErrorCode::kInvalidSpec, std::move(message)};
}

Result<SpecReport> check_spec(const std::filesystem::path& path) {
  RETINUE_ASSIGN(const std::string text, read_file(path));
  const SpecFormat format = path.extension() == ".json"   ? SpecFormat::kJson
                            : path.extension() == ".yson" ? SpecFormat::kYson
                                                          : guess_format(text);
  auto root = parse(text, format);
  if (!root) {
    return std::move(root).error().with_context(path.string());
  }
  return check_tree(*root, path.parent_path());
}

Result<SpecReport> check_spec_text(std::string_view text, SpecFormat format,
                                   const std::filesystem::path& folder) {
  RETINUE_ASSIGN(const Node root, parse(text, format));
  return check_tree(root, folder);
}

Result<PipelineSpec> load_spec(const std::filesystem::path& path) {
  RETINUE_ASSIGN(SpecReport report, check_spec(path));
  return report.ok() ? Result<PipelineSpec>(std::move(report.spec)) : report.error();
}

Result<PipelineSpec> load_spec_text(std::string_view text, SpecFormat format,
                                    const std::filesystem::path& folder) {
  RETINUE_ASSIGN(SpecReport report, check_spec_text(text, format, folder));
  return report.ok() ? Result<PipelineSpec>(std::move(report.spec)) : report.error();
}

}  // namespace retinue::worker
