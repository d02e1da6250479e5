// fgnn demo: a hundred instances of the paper's D3, solved by every method, and one of them drawn.
#include <fmt/core.h>

#include <algorithm>

#include "fgnn/experiments/synthetic/commands.h"
#include "fgnn/experiments/synthetic/instances.h"
#include "fgnn/infer/compare.h"
#include "fgnn/io/files.h"
#include "fgnn/learned/weights.h"
#include "fgnn/report/comparison.h"

namespace fgnn::synthetic {
namespace {

constexpr std::uint64_t kInstances = 100;
constexpr const char* kMethods = "max-product,mplp,ad3,ad3-exact,exact";
constexpr const char* kNetwork = "d3";

constexpr const char* kStory =
    R"(A hundred chains of 30 switches. Each wants to be on or off, neighbours like to be on together, and
of any nine in a row at most k may be on (22 budgets, each with a k of its own). The best assignment
is a matter of elimination, or of search, or of a relaxation, or of a network that has learned it.
Agreement: switches in the state of the best assignment. Exact: instances solved to the optimum.

)";

std::string methods() {
  const auto networks = learned::shipped_networks();
  const bool shipped = std::ranges::find(networks, kNetwork) != networks.end();
  return (shipped ? fmt::format("fgnn:{},", kNetwork) : std::string()) + kMethods;
}

// One character from low to high.
std::string bar(double share) {
  constexpr const char* kBars[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  return kBars[std::clamp(static_cast<int>(8 * share), 0, 7)];
}

// Switches as dots, filled when on; squares where they differ from the best assignment.
std::string dots(const std::vector<State>& x, const std::vector<State>& best) {
  std::string text;
  for (std::size_t v = 0; v < x.size(); ++v) {
    text += x[v] == best[v] ? (x[v] ? "●" : "·") : (x[v] ? "■" : "□");
  }
  return text;
}

std::string drawing(const SyntheticInstance& instance, const std::vector<MethodVariant>& variants) {
  const FactorGraph graph = instance.graph();
  std::string wants, together, budgets(instance.unary.size(), ' ');
  // From wanting to be off to wanting to be on; pairs stand below the first of the two.
  for (const auto& u : instance.unary) wants += bar((u[1] - u[0] + 1) / 2);
  for (const auto& pair : instance.pairs) together += bar(pair.values[3] / 2);
  for (const auto& b : instance.budgets) {
    budgets[b.scope[b.scope.size() / 2]] = static_cast<char>('0' + b.most);
  }
  TextTable table({{"the first of them"}, {""}, {"score", Align::right}});
  table.add({"wants to be on", wants, ""});
  table.add({"likes the next", together, ""});
  table.add({"k of nine around", budgets, ""});
  std::vector<Result> results;
  for (const MethodVariant& v : variants) results.push_back(v.method->solve(graph, v.options, {}));
  const Result& best = results.back();  // the exact one
  for (std::size_t i = 0; i < results.size(); ++i) {
    table.add({variants[i].label, dots(results[i].assignment, best.assignment),
               fmt::format("{:.3f}", results[i].score)});
  }
  return table.text() + "● on  · off  ■ on, where off is best  □ off, where on is best\n";
}

experiments::Output show(const experiments::Arguments& given) {
  const std::string save = given.text("--save");
  const SyntheticOptions data;  // D3
  MethodOptions options;
  options.threads = 1;
  const auto variants = parse_variants(Query::map, methods(), options);
  const SyntheticInstance first = synthetic_instance(data, 0);
  if (!save.empty()) write_graph(first.graph(), save);
  Comparison comparison(variants);
  Stage stage(given.control, "solving", static_cast<double>(kInstances));
  for (std::uint64_t i = 0; i < kInstances; ++i) {
    comparison.add(synthetic_instance(data, i).graph());
    stage.advance();
    given.control.end_if_stopped("demo", "nothing was kept");
  }
  const std::string file = save.empty() ? "demo.fgt" : save;
  const std::string next = fmt::format(
      "\nNext:\n{0}  fgnn map {1} --method fgnn:{2} --certificate ad3\n  fgnn info {1}\n"
      "  fgnn reproduce synthetic --quick\n",
      save.empty() ? "  fgnn demo --save demo.fgt\n" : "", file, kNetwork);
  return {fmt::format("{}{}\n{}{}", kStory, comparison_table(comparison.rows()).text(),
                      drawing(first, variants), next),
          ""};
}

}  // namespace

experiments::Command demo_command() {
  return {
      .name = "demo",
      .summary = "A hundred graphs solved by every method, in seconds",
      .help =
          "Prints how well and how fast each method, the trained network among them, solves the "
          "same\n"
          "hundred instances of the paper's model D3 (one thread), and draws the first of them.",
      .examples = {"fgnn demo", "fgnn demo --save demo.fgt && fgnn map demo.fgt --method fgnn:d3"},
      .options = {{.name = "--save",
                   .value = "FILE",
                   .help = "Also write the graph that is drawn to this file"}},
      .run = show,
      .json = false};
}

}  // namespace fgnn::synthetic
