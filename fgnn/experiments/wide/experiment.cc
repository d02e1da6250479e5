#include "fgnn/experiments/wide/experiment.h"

#include <fmt/format.h>

#include "fgnn/core/error.h"
#include "fgnn/core/suggest.h"
#include "fgnn/experiments/wide/models.h"

namespace fgnn::wide {
namespace {

using experiments::Arguments;
using Kind = experiments::Option::Kind;

std::vector<experiments::Option> options() {
  return {
      {"--rows", "N", "grid: rows", Kind::positive, "20"},
      {"--columns", "N", "grid: columns", Kind::positive, "20"},
      {.name = "--states",
       .value = "N",
       .help = "States of a variable; default 2 in a grid, 4 in a wcsp",
       .kind = Kind::positive},
      {"--strength", "S", "grid: couplings are up to this, + or -", Kind::number, "2"},
      {"--field", "F", "grid: unary log-potentials are up to this, + or -", Kind::number, "1"},
      {.name = "--couplings",
       .value = "SIGN",
       .help = "grid: neighbours attract, repel or both",
       .fallback = "mixed",
       .choices = {"mixed", "attractive", "repulsive"}},
      {.name = "--variables",
       .value = "N",
       .help = "Variables; default 50 in a wcsp, 100 in a cnf",
       .kind = Kind::positive},
      {"--density", "P", "wcsp: share of the pairs that have a table", Kind::number, "0.1"},
      {"--tightness", "P", "wcsp: share of entries that cost", Kind::number, "0.3"},
      {"--costs", "N", "wcsp: an entry costs 1 to this", Kind::positive, "10"},
      {"--hard", "P", "wcsp: share of those that forbid instead", Kind::number, "0"},
      {"--diseases", "N", "noisy-or: diseases", Kind::positive, "100"},
      {"--findings", "N", "noisy-or: findings, all observed", Kind::whole, "100"},
      {"--parents", "N", "noisy-or: most causes of an effect", Kind::positive, "6"},
      {"--layers", "N", "noisy-or: 3 has syndromes between", Kind::positive, "2"},
      {"--leak", "P", "noisy-or: probability without a cause", Kind::number, "0.01"},
      {"--positive", "P", "noisy-or: share of findings that are true", Kind::number, "0.3"},
      {.name = "--form",
       .value = "FORM",
       .help = "noisy-or: positive findings as tables, or as two rank-1 terms",
       .fallback = "table",
       .choices = {"table", "low-rank"}},
      {"--literals", "N", "cnf: literals of a clause", Kind::positive, "3"},
      {"--ratio", "R", "cnf: clauses per variable", Kind::number, "4"},
      {"--weight", "W", "cnf: weights of variables are up to this, + or -", Kind::number, "1"},
      {.name = "--satisfiable",
       .help = "cnf: some assignment satisfies all clauses",
       .kind = Kind::flag},
  };
}

State states(const Arguments& given, State usual) {
  constexpr std::uint64_t kMost = 1 << 16;  // beyond any check that follows
  if (!given.has("--states")) return usual;
  return static_cast<State>(std::min(given.whole("--states"), kMost));
}

GridOptions grid(const Arguments& given) {
  GridOptions o;
  o.rows = given.whole("--rows");
  o.columns = given.whole("--columns");
  o.states = states(given, o.states);
  o.strength = given.number("--strength");
  o.field = given.number("--field");
  const std::string sign = given.text("--couplings");
  if (sign == "attractive") o.couplings = Couplings::attractive;
  if (sign == "repulsive") o.couplings = Couplings::repulsive;
  return o;
}

WcspOptions wcsp(const Arguments& given) {
  WcspOptions o;
  if (given.has("--variables")) o.variables = given.whole("--variables");
  o.states = states(given, o.states);
  o.density = given.number("--density");
  o.tightness = given.number("--tightness");
  o.costs = given.whole("--costs");
  o.hard = given.number("--hard");
  return o;
}

NoisyOrOptions noisy_or(const Arguments& given) {
  NoisyOrOptions o;
  o.diseases = given.whole("--diseases");
  o.findings = given.whole("--findings");
  o.parents = given.whole("--parents");
  o.layers = static_cast<int>(std::min<std::uint64_t>(given.whole("--layers"), 100));
  o.leak = given.number("--leak");
  o.positive = given.number("--positive");
  if (given.text("--form") == "low-rank") o.form = Form::low_rank;
  return o;
}

CnfOptions cnf(const Arguments& given) {
  CnfOptions o;
  if (given.has("--variables")) o.variables = given.whole("--variables");
  o.literals = given.whole("--literals");
  o.ratio = given.number("--ratio");
  o.weight = given.number("--weight");
  o.satisfiable = given.has("--satisfiable");
  return o;
}

using Graphs = std::function<FactorGraph(std::uint64_t)>;

template <class Options>
Graphs instances(const Options& options, std::uint64_t seed) {
  options.validate();
  return [options, seed](std::uint64_t i) { return instance(options, Rng(seed, i)); };
}

const std::vector<experiments::GraphModel>& models() {
  static const std::vector<experiments::GraphModel> kModels{
      {"grid", "Potts or Ising grid with random couplings and fields"},
      {"wcsp", "random weighted constraint satisfaction: tables of costs on random pairs"},
      {"noisy-or", "diseases and observed findings, as in medical diagnosis"},
      {"cnf", "random k-SAT with weights of variables"},
  };
  return kModels;
}

Graphs graphs(const std::string& model, const Arguments& given) {
  if (model == "grid") return instances(grid(given), given.seed);
  if (model == "wcsp") return instances(wcsp(given), given.seed);
  if (model == "noisy-or") return instances(noisy_or(given), given.seed);
  if (model == "cnf") return instances(cnf(given), given.seed);
  std::vector<std::string> known;
  for (const auto& own : models()) known.push_back(own.name);
  throw Error(ErrorCode::usage, fmt::format("'{}'", model), "there is no such random model",
              suggestion(model, known));
}

}  // namespace

experiments::Experiment experiment() {
  return {
      .name = "wide",
      .description =
          "random grids, weighted CSPs, noisy-or networks and k-SAT, too wide for "
          "exact inference when they are large",
      .graphs = {
          {.datasets = {.name = "--random",
                        .value = "MODELS",
                        .help = "Instances of grid, wcsp, noisy-or or cnf instead",
                        .kind = Kind::list},
           .models = models(),
           .options = options(),
           .methods = "auto,max-product,mplp,exact",
           .examples = {"fgnn compare --random grid,wcsp --count 10 --time-limit 1"},
           .generate_examples = {"fgnn generate grid --rows 40 --columns 40 --count 5 --out grids "
                                 "--to uai",
                                 "fgnn generate wcsp --variables 80 --states 5 --out hard.uai"},
           .graphs = graphs}}};
}

}  // namespace fgnn::wide
