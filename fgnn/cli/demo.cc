// fgnn demo: the README's graph, solved, with a word on what to try next.
#include <fmt/core.h>

#include <cstdio>
#include <memory>

#include "fgnn/cli/commands.h"
#include "fgnn/cli/options.h"
#include "fgnn/cli/solve.h"
#include "fgnn/cli/text.h"
#include "fgnn/graph/graph_builder.h"
#include "fgnn/infer/exact.h"
#include "fgnn/io/files.h"
#include "fgnn/potentials/potentials.h"

namespace fgnn::cli {
namespace {

// Eight switches: each likes to be on, the first two want to agree, at most three of the first six
// may be on, and the number of those that are on among the last four is even.
FactorGraph demo_graph() {
  GraphBuilder b;
  const VariableArray x = b.variables("x", 8, 2);
  for (VariableId v : x) b.unary(v, {0.0, 0.25 * (v + 1)});
  b.factor({x[0], x[1]}, Table({2, 2}, {1, 0, 0, 1}));
  b.factor(x.slice(0, 6), Count::at_most(3));
  b.factor(x.slice(4, 8), Parity{});
  return std::move(b).build();
}

constexpr const char* kStory =
    R"(Eight switches x[0] … x[7]. Each likes to be on, later ones more; x[0] and x[1] like to agree
(a table); at most three of x[0] … x[5] may be on (a budget); an even number of x[4] … x[7] must
be on (a parity check). Exact inference weighs all 256 assignments at once.
)";

void show(const std::string& save) {
  const FactorGraph graph = demo_graph();
  if (!save.empty()) write_graph(graph, save);
  const Result marginals = exact_marginals(graph);
  const Result map = exact_map(graph);
  TextTable table({{"variable"}, {"p(on)", Align::right}, {""}, {"best", Align::right}});
  for (VariableId v = 0; v < graph.num_variables(); ++v) {
    const double p = marginals.marginals[v][1];
    std::string bar;
    for (int i = 0; i < static_cast<int>(20 * p + 0.5); ++i) bar += "█";
    table.add({graph.name(v), fmt::format("{:.4f}", p), bar, map.assignment[v] ? "on" : "off"});
  }
  Summary summary;
  summary.add("ln Z", fmt::format("{:.9g}", *marginals.log_partition));
  summary.add("best score", fmt::format("{:.9g}", map.score));
  summary.add("time", seconds_text(marginals.seconds + map.seconds));
  const std::string file = save.empty() ? "demo.fgt" : save;
  fmt::print(
      "{}\n{}\n{}\nNext:\n{}  fgnn info {}\n  fgnn map {} --k 3\n  fgnn infer {} --set 'x[7]=0'\n",
      kStory, table.text(), summary.text(), save.empty() ? "  fgnn demo --save demo.fgt\n" : "",
      file, file, file);
}

}  // namespace

void add_demo(CLI::App& app) {
  auto save = std::make_shared<std::string>();
  CLI::App* command = add_command(
      app, "demo", "A small example, solved and explained",
      "Prints the marginals and the best assignment of eight switches under a table, a budget and\n"
      "a parity check, and what to try next.",
      {"fgnn demo", "fgnn demo --save demo.fgt && fgnn map demo.fgt"});
  command->add_option("--save", *save, "Also write the graph to this file")->type_name("FILE");
  command->callback([save] { show(*save); });
}

}  // namespace fgnn::cli
