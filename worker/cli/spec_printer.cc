#include "worker/cli/spec_printer.h"

#include <fmt/format.h>

#include "worker/json/json_writer.h"

namespace retinue::worker {
namespace {

// "1 sink", "2 sinks".
std::string counted(size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace

std::string report_text(const CheckOptions& options, const SpecReport& report) {
  if (report.ok()) {
    const PipelineSpec& spec = report.spec;
    return fmt::format(
        "{}: ok: pipeline \"{}\" of {}, {}, {} and {}\n", options.spec.string(), spec.name,
        counted(spec.computations.size(), "computation"), counted(spec.streams.size(), "stream"),
        counted(spec.companions.size(), "companion"), counted(spec.sinks.size(), "sink"));
  }
  std::string text =
      fmt::format("{}: {}\n", options.spec.string(), counted(report.problems.size(), "problem"));
  for (const SpecProblem& problem : report.problems) {
    text += fmt::format("  {}: {}\n", problem.path.empty() ? "/" : problem.path, problem.message);
  }
  return text;
}

std::string report_json(const SpecReport& report) {
  yson::List problems;
  for (const SpecProblem& problem : report.problems) {
    yson::Node node;
    node.set("path", problem.path);
    node.set("message", problem.message);
    problems.push_back(std::move(node));
  }
  yson::Node node;
  node.set("ok", report.ok());
  node.set("problems", std::move(problems));
  return node_to_json(node);
}

}  // namespace retinue::worker
