// fgnn check: reads strictly and says what is wrong with a model.
#include <fmt/core.h>

#include <algorithm>
#include <memory>

#include "fgnn/cli/commands.h"
#include "fgnn/cli/options.h"
#include "fgnn/core/error.h"
#include "fgnn/infer/feasibility.h"
#include "fgnn/report/json.h"
#include "fgnn/report/text_table.h"

namespace fgnn::cli {
namespace {

struct CheckOptions {
  ModelOptions model;
  EvidenceOptions evidence;
  LimitOptions limits;
  OutputOptions output;
};

std::string_view word(Severity severity) {
  switch (severity) {
    case Severity::note:
      return "note";
    case Severity::infeasible:
      return "infeasible";
    case Severity::invalid:
      return "invalid";
  }
  return "";
}

std::string text(const std::vector<Finding>& findings, std::size_t rows) {
  if (findings.empty()) return "no problem found\n";
  TextTable table({{"what"}, {"where"}, {"why"}});
  for (const Finding& finding : findings) {
    table.add({std::string(word(finding.severity)), finding.subject, finding.message});
  }
  return table.text(rows);
}

std::string json(const std::vector<Finding>& findings, bool fine) {
  Json rows = Json::array();
  for (const Finding& finding : findings) {
    rows.push_back({{"severity", std::string(word(finding.severity))},
                    {"subject", finding.subject},
                    {"message", finding.message}});
  }
  return json_text({{"status", fine ? "fine" : "problems"}, {"findings", std::move(rows)}});
}

void check(const CheckOptions& options) {
  const FactorGraph graph = options.model.read(options.limits);
  const auto findings =
      local_findings(graph.given(options.evidence.read(graph)), options.limits.clock());
  const auto bad = [](const Finding& finding) { return finding.severity != Severity::note; };
  const auto problems = std::ranges::count_if(findings, bad);
  options.output.deliver(options.output.json ? json(findings, problems == 0)
                                             : text(findings, options.output.rows()));
  if (problems == 0) return;
  const Finding& first = *std::ranges::find_if(findings, bad);
  throw Error(first.severity == Severity::invalid ? ErrorCode::model : ErrorCode::infeasible,
              options.model.name(),
              fmt::format("{}: {}{}", first.subject, first.message,
                          problems > 1 ? fmt::format(" (and {} more)", problems - 1) : ""));
}

}  // namespace

void add_check(CLI::App& app) {
  auto options = std::make_shared<CheckOptions>();
  CLI::App* command = add_command(
      app, "check", "Read a model strictly and report problems",
      "Prints what is wrong with single variables and factors: those that forbid all their states\n"
      "(exit code 6), low-rank sums that turn negative (exit code 5), and, as notes, variables in "
      "no\n"
      "factor. A malformed file is named with line and column (exit code 4). Nothing found does "
      "not\n"
      "prove that an assignment is allowed; 'fgnn map' does.",
      {"fgnn check model.uai --evidence model.uai.evid", "fgnn check model.fgt --set 'x[0]=1'"});
  options->model.declare(*command);
  options->evidence.declare(*command);
  options->limits.declare(*command);
  options->output.declare(*command);
  command->callback([options] { check(*options); });
}

}  // namespace fgnn::cli
