// fgnn infer: marginals and the partition function.
#include <fmt/core.h>

#include <memory>
#include <numbers>

#include "fgnn/cli/commands.h"
#include "fgnn/cli/solve.h"
#include "fgnn/core/error.h"
#include "fgnn/io/uai_answers.h"
#include "fgnn/report/text.h"

namespace fgnn::cli {
namespace {

double log10_of(double natural) { return natural / std::numbers::ln10; }

// Two lines: in natural logarithms, and to base 10.
void add_interval(Summary& summary, const char* kind, double low, double high) {
  const auto line = [&](const char* unit, double a, double b) {
    const std::string text = a == kForbidden  ? fmt::format("at most {:.9g}", b)
                             : b == kInfinity ? fmt::format("at least {:.9g}", a)
                                              : fmt::format("{:.9g} to {:.9g}", a, b);
    summary.add(fmt::format("{} {}", unit, kind), text);
  };
  line("ln Z", low, high);
  line("log10 Z", log10_of(low), log10_of(high));
}

void add_bounds(Summary& summary, const Result& result) {
  if (result.bounds_partition()) {
    add_interval(summary, "proved", result.log_partition_low, result.log_partition_high);
  }
  if (const auto& sampled = result.log_partition_sampled) {
    add_interval(summary, fmt::format("{:.3g} %", 100 * sampled->confidence).c_str(), sampled->low,
                 sampled->high);
  }
}

std::string text(const FactorGraph& graph, const Solved& solved, const SolveOptions& options) {
  const Result& result = solved.result;
  Summary summary;
  add_method(summary, result);
  if (result.log_partition) {
    summary.add("ln Z", fmt::format("{:.9g}", *result.log_partition));
    summary.add("log10 Z", fmt::format("{:.9g}", log10_of(*result.log_partition)));
  }
  add_bounds(summary, result);
  if (result.iterations > 0) summary.add("iterations", fmt::format("{}", result.iterations));
  summary.add("time", seconds_text(result.seconds));
  return marginals_table(graph, result.marginals).text(options.output.rows()) + "\n" +
         summary.text();
}

void add_json(Json& json, const Solved& solved, const SolveOptions&) {
  const Result& result = solved.result;
  if (result.log_partition) json["log10_partition"] = log10_of(*result.log_partition);
  if (result.bounds_partition()) {
    json["log10_partition_low"] = log10_of(result.log_partition_low);
    json["log10_partition_high"] = log10_of(result.log_partition_high);
  }
  if (const auto& sampled = result.log_partition_sampled) {
    json["log10_partition_sampled"] = Json{{"low", log10_of(sampled->low)},
                                           {"high", log10_of(sampled->high)},
                                           {"confidence", sampled->confidence}};
  }
  Json rows = Json::array();
  for (VariableId v = 0; v < result.marginals.size(); ++v) rows.push_back(result.marginals[v]);
  json["marginals"] = std::move(rows);
}

void answer(std::ostream& out, const Result& result, const SolveOptions& options) {
  if (options.answer == "uai") return write_mar(out, result.marginals);
  if (!result.log_partition) {
    throw Error(ErrorCode::unsupported, fmt::format("method '{}'", result.method),
                "gives no partition function");
  }
  write_pr(out, *result.log_partition);
}

}  // namespace

void add_infer(CLI::App& app) {
  auto options = std::make_shared<SolveOptions>();
  CLI::App* command = add_command(
      app, "infer", "Marginals and the partition function",
      "Prints one row per variable with the probability of each state, then the logarithm of the\n"
      "partition function Z (the sum over all assignments) and the time. --json prints status,\n"
      "method, variables, log10_partition, marginals, iterations and seconds; methods with bounds "
      "add\n"
      "log10_partition_low and _high, which are proved, and samplers log10_partition_sampled, "
      "which is\n"
      "not. An infeasible model ends with exit code 6; a method that did not converge says so in "
      "its\n"
      "status and ends with 0.",
      {"fgnn infer model.uai --evidence model.uai.evid --answer uai",
       "fgnn infer model.fgt --set 'x[3]=1' --json"});
  options->declare(*command, Query::infer);
  command->add_option("--answer", options->answer, "Print a competition answer: uai (MAR) or pr")
      ->check(CLI::IsMember({"uai", "pr"}))
      ->type_name("FORMAT");
  command->callback([options] { solve(*options, Query::infer, {text, add_json, answer}); });
}

}  // namespace fgnn::cli
