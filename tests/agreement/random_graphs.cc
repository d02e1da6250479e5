// Random small graphs through every method against enumeration:
//   fgnn_agreement [GRAPHS [SEED]]
// One to five states, arities up to five, hard zeros, every kind of potential, log-values up to
// 1000 in size, evidence hard and soft, some of it infeasible. Prints each disagreement with what
// is needed to see it again, how many graphs each method was made for, and ends with 1 if there was
// any. A quarter of the graphs are of the family of trained networks; every tenth is compiled.
#include <fmt/core.h>

#include <cmath>
#include <cstdlib>
#include <exception>
#include <map>
#include <optional>
#include <string>

#include "fgnn/core/error.h"
#include "fgnn/core/timing.h"
#include "fgnn/graph/graph_builder.h"
#include "fgnn/learned/method.h"
#include "fgnn/network/model.h"
#include "fgnn/neuralize/compile.h"
#include "fgnn/potentials/count.h"
#include "fgnn/potentials/table.h"
#include "tests/places.h"
#include "tests/reference/agreement.h"
#include "tests/reference/random_graph.h"
#include "tests/reference/scratch.h"

namespace fgnn {
namespace {

constexpr std::size_t kBest = 4;
constexpr double kPatience = 20;  // seconds for a method on a graph of six variables

testing::RandomGraphOptions shape_of(Rng& rng) {
  testing::RandomGraphOptions options;
  options.max_variables = 6;
  options.max_states = 5;
  options.max_arity = 5;
  options.largest = std::pow(10.0, rng.uniform(-1, 3));
  options.tree = rng.below(3) == 0;
  options.binary = rng.below(3) == 0;
  options.feasible = rng.below(4) > 0;
  return options;
}

Evidence random_evidence(Rng& rng, const FactorGraph& graph, double largest) {
  Evidence evidence;
  for (VariableId v = 0; v < graph.num_variables(); ++v) {
    const auto kind = rng.below(8);
    if (kind == 0) evidence.fix(v, static_cast<State>(rng.below(graph.states(v))));
    if (kind != 1) continue;
    std::vector<double> weights(graph.states(v));
    for (double& w : weights) w = rng.below(6) ? rng.uniform(-largest, largest) : kForbidden;
    evidence.weigh(v, std::move(weights));
  }
  return evidence;
}

// What trained networks know: pairs and budgets of binary variables.
FactorGraph pairs_and_budgets(Rng& rng, double largest) {
  GraphBuilder b;
  const auto x = b.variables("x", 2 + rng.below(5), 2);
  for (const VariableId v : x) {
    b.unary(v, {rng.uniform(-largest, largest), rng.uniform(-largest, largest)});
  }
  for (std::size_t v = 0; v + 1 < x.size(); ++v) {
    std::vector<double> values(4);
    for (double& value : values) value = rng.uniform(-largest, largest);
    b.factor({x[v], x[v + 1]}, Table({2, 2}, values));
  }
  for (auto left = rng.below(3); left > 0; --left) {
    const std::size_t width = 2 + rng.below(x.size() - 1), first = rng.below(x.size() - width + 1);
    b.factor(x.slice(first, first + width), Count::at_most(rng.below(width)));
  }
  return std::move(b).build();
}

// The graph's own network, compiled; none where there is no such network.
std::optional<std::string> compiled(const FactorGraph& graph, const std::string& file) {
  try {
    network::save_model(file,
                        neuralize::compile(graph, {.algorithm = neuralize::Algorithm::sum_product}),
                        DType::f64);
    return file;
  } catch (const Error&) {
    return {};
  }
}

class Contest {
 public:
  std::size_t wrong = 0;

  void solve(const Method& method, const std::string& label, const FactorGraph& graph,
             const Evidence& evidence, const testing::Truth& truth, const std::string& where) {
    MethodOptions options;
    options.threads = 1;
    options.time_limit = kPatience;
    if (method.takes("k")) options.k = kBest;
    const Stopwatch watch;
    auto verdict = testing::judge(method, graph, evidence, options, truth);
    if (watch.seconds() > kPatience) {
      verdict.disagreement += fmt::format("took {:.1f} s", watch.seconds());
    }
    const std::string row = std::string(name(method.query)) + " " + label;
    answered_[row] += verdict.answered.has_value();
    if (verdict.disagreement.empty()) return;
    ++wrong;
    fmt::print("{}, {}: {}\n", where, row, verdict.disagreement);
  }

  void print() const {
    for (const auto& [row, count] : answered_) fmt::print("{:24} answered {}\n", row, count);
  }

 private:
  std::map<std::string, std::size_t> answered_;
};

int run(std::size_t graphs, std::uint64_t seed) {
  std::vector<const Method*> all;
  for (const Method& method : methods()) {
    all.push_back(&find_method(method.query, method.name));
  }
  all.push_back(&find_method(Query::map, "fgnn:" FGNN_SOURCE_DIR "/weights/d3.safetensors"));
  const testing::Scratch folder;
  Contest contest;
  std::size_t infeasible = 0;
  for (std::size_t i = 0; i < graphs; ++i) {
    Rng rng(seed, i);
    const testing::RandomGraphOptions shape = shape_of(rng);
    const FactorGraph graph =
        i % 4 == 3 ? pairs_and_budgets(rng, shape.largest) : testing::random_graph(rng, shape);
    const Evidence evidence =
        rng.below(2) ? random_evidence(rng, graph, shape.largest) : Evidence{};
    const testing::Truth truth = testing::truth_of(graph, evidence, kBest);
    infeasible += !truth.feasible();
    const std::string where = fmt::format("graph {} of seed {}", i, seed);
    for (const Method* method : all) {
      const bool network = method->name.starts_with("fgnn:");
      contest.solve(*method, network ? "fgnn:d3" : method->name, graph, evidence, truth, where);
    }
    // Compiling takes longer than all else: some of them.
    if (i % 10 != 0) continue;
    const auto file = compiled(graph, (folder.path() / fmt::format("{}.safetensors", i)).string());
    for (const Query query : {Query::map, Query::infer}) {
      if (!file) continue;
      contest.solve(learned::learned_method(query, *file), "neuralized", graph, evidence, truth,
                    where);
    }
  }
  contest.print();
  fmt::print("{} graphs, {} of them infeasible; {} disagreements\n", graphs, infeasible,
             contest.wrong);
  return contest.wrong > 0 ? 1 : 0;
}

}  // namespace
}  // namespace fgnn

int main(int argc, char** argv) {
  try {
    const auto number = [&](int i, std::uint64_t otherwise) {
      return argc > i ? std::strtoull(argv[i], nullptr, 10) : otherwise;
    };
    return fgnn::run(number(1, 1000), number(2, 1));
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
}
