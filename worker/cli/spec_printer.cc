#include "worker/cli/spec_printer.h"

#include <fmt/format.h>

#include "worker/json/json_writer.h"

namespace retinue::worker {

std::string report_text(const CheckOptions& options, const SpecReport& report) {
  if (report.ok()) {
    return fmt::format(
        "{}: ok: pipeline \"{}\" of {} computations, {} streams, {} companions and "
        "{} sinks\n",
        options.spec.string(), report.spec.name, report.spec.computations.size(),
        report.spec.streams.size(), report.spec.companions.size(), report.spec.sinks.size());
  }
  std::string text = fmt::format("{}: {} problem{}\n", options.spec.string(),
                                 report.problems.size(), report.problems.size() == 1 ? "" : "s");
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
