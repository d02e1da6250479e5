// fgnn info: what a graph looks like and what it would cost to solve it exactly.
#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <variant>

#include "fgnn/cli/commands.h"
#include "fgnn/cli/options.h"
#include "fgnn/core/error.h"
#include "fgnn/graph/statistics.h"
#include "fgnn/infer/exact.h"
#include "fgnn/report/json.h"
#include "fgnn/report/text.h"
#include "fgnn/report/text_table.h"

namespace fgnn::cli {
namespace {

struct Options {
  ModelOptions model;
  EvidenceOptions evidence;
  SolverOptions solver;
  OutputOptions output;
  int orders = 0;  // 0: as many as a look may take
  double order_seconds = 0;
  std::uint64_t branches = 1 << 20;
};

// The cost, or why it is not known.
using Cost = std::variant<ExactCost, std::string>;

constexpr double kEdgesForAllOrders = 5000;

Cost cost_of(const FactorGraph& graph, const Options& given) {
  const SolverOptions& solver = given.solver;
  ExactOptions options;
  options.threads = solver.threads;
  options.seed = solver.seed;
  // A look should take seconds: large graphs get fewer tries at an order.
  const double tries = options.orders * kEdgesForAllOrders / (1 + double(graph.num_edges()));
  options.orders =
      given.orders > 0 ? given.orders : std::clamp(static_cast<int>(tries), 1, options.orders);
  options.order_seconds = given.order_seconds;
  options.max_branches = given.branches;
  try {
    MethodOptions left;
    solver.limits.apply(left, graph);
    options.max_bytes = left.max_bytes;
    options.time_limit = left.time_limit;
    return exact_cost(graph, ExactTask::marginals, options);
  } catch (const Error& error) {
    return std::string(error.what());
  }
}

std::string range_text(const Range& range) {
  if (range.min == range.max) return count_text(range.min);
  return fmt::format("{} to {}, mean {:.3g}", count_text(range.min), count_text(range.max),
                     range.mean);
}

void add_graph(Summary& summary, const Statistics& s) {
  summary.add(
      "variables",
      count_text(static_cast<double>(s.variables)) +
          (s.isolated_variables ? fmt::format(", {} in no factor", s.isolated_variables) : ""));
  summary.add("factors", count_text(static_cast<double>(s.factors)));
  for (const auto& [kind, count] : s.factors_by_kind) {
    summary.add("  " + kind, count_text(static_cast<double>(count)));
  }
  summary.add("potentials", count_text(static_cast<double>(s.potentials)));
  summary.add("edges", count_text(static_cast<double>(s.edges)));
  summary.add("states", range_text(s.states));
  summary.add("arity", range_text(s.arity));
  summary.add("degree", range_text(s.degree));
  summary.add("components", count_text(s.components));
  summary.add("cycles", s.forest ? "none: a forest, belief propagation is exact" : "yes: loopy");
  summary.add("largest table",
              count_text(static_cast<double>(s.largest_table)) + " joint states if expanded");
  summary.add("memory", fmt::format("{} graph, {} messages", bytes_text(double(s.bytes)),
                                    bytes_text(double(s.message_bytes))));
}

void add_cost(Summary& summary, const Cost& cost) {
  if (const auto* reason = std::get_if<std::string>(&cost)) {
    summary.add("exact inference", "not known: " + *reason);
    return;
  }
  const auto& known = std::get<ExactCost>(cost);
  summary.add("exact inference", "");
  const char* least = known.hopeless ? "at least " : "";
  summary.add("  induced width", fmt::format("{}{}", least, known.induced_width));
  summary.add("  largest clique",
              fmt::format("{}2^{:.1f} joint states", least, known.log2_largest));
  summary.add("  operations", least + count_text(known.operations));
  summary.add("  memory", least + bytes_text(static_cast<double>(known.bytes)));
  if (known.conditioned) {
    summary.add("  conditioning", fmt::format("{} variables, {} branches", known.conditioned,
                                              count_text(known.branches)));
  }
  if (known.extra_variables) summary.add("  counters", fmt::format("{}", known.extra_variables));
}

Json json_of(const Range& range) {
  return {{"min", range.min}, {"mean", range.mean}, {"max", range.max}};
}

Json json_of(const Cost& cost) {
  if (const auto* reason = std::get_if<std::string>(&cost)) return {{"unknown", *reason}};
  const auto& known = std::get<ExactCost>(cost);
  return {{"induced_width", known.induced_width},     {"log2_largest_clique", known.log2_largest},
          {"operations", known.operations},           {"bytes", known.bytes},
          {"extra_variables", known.extra_variables}, {"hopeless", known.hopeless},
          {"conditioned", known.conditioned},         {"branches", known.branches}};
}

Json json_of(const Statistics& s, const Cost& cost) {
  return {{"variables", s.variables},
          {"factors", s.factors},
          {"edges", s.edges},
          {"potentials", s.potentials},
          {"states", json_of(s.states)},
          {"arity", json_of(s.arity)},
          {"degree", json_of(s.degree)},
          {"isolated_variables", s.isolated_variables},
          {"components", s.components},
          {"forest", s.forest},
          {"factors_by_kind", s.factors_by_kind},
          {"largest_table", s.largest_table},
          {"bytes", s.bytes},
          {"message_bytes", s.message_bytes},
          {"exact", json_of(cost)}};
}

void show(const Options& options) {
  FactorGraph graph = options.model.read(options.solver.limits);
  graph = graph.given(options.evidence.read(graph));
  const Statistics s = statistics(graph);
  const Cost cost = cost_of(graph, options);
  if (options.output.json) return options.output.deliver(json_text(json_of(s, cost)));
  Summary summary;
  add_graph(summary, s);
  add_cost(summary, cost);
  options.output.deliver(summary.text());
}

}  // namespace

void add_info(CLI::App& app) {
  auto options = std::make_shared<Options>();
  options->solver.limits.time_limit = 10;  // the order search of a huge graph should not surprise
  CLI::App* command = add_command(
      app, "info", "What a graph looks like and costs to solve",
      "Prints the numbers of variables, factors, edges and states, the kinds of factors, whether\n"
      "the graph has cycles, the memory of graph and messages, and the cost of exact inference\n"
      "(induced width, largest clique, operations, memory) without solving.",
      {"fgnn info model.uai", "fgnn info model.fgt --json | jq .exact.induced_width"});
  options->model.declare(*command);
  options->evidence.declare(*command);
  options->solver.declare_limits(*command);
  command->add_option("--orders", options->orders, "Orders of elimination to try")
      ->type_name("N")
      ->check(CLI::PositiveNumber);
  command->add_option("--order-time", options->order_seconds, "Try orders for that long")
      ->type_name("SECONDS")
      ->check(CLI::PositiveNumber);
  command->add_option("--branches", options->branches, "Most branches to condition on; 1: none")
      ->type_name("N")
      ->check(CLI::PositiveNumber);
  options->output.declare_json(*command);
  command->callback([options] { show(*options); });
}

}  // namespace fgnn::cli
