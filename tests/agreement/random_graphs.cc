// Random small graphs through every method against enumeration:
//   fgnn_agreement [GRAPHS [SEED]]
// One to five states, arities up to five, hard zeros, every kind of potential, log-values up to
// 1000 in size, evidence hard and soft, some of it infeasible. Prints each disagreement with what
// is needed to see it again, and ends with 1 if there was any.
#include <fmt/core.h>

#include <cmath>
#include <cstdlib>
#include <exception>
#include <map>
#include <string>

#include "fgnn/core/timing.h"
#include "fgnn/learned/method.h"
#include "tests/places.h"
#include "tests/reference/agreement.h"
#include "tests/reference/random_graph.h"

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

int run(std::size_t graphs, std::uint64_t seed) {
  std::vector<const Method*> all;
  for (const Method& method : methods()) {
    all.push_back(&find_method(method.query, method.name));
  }
  all.push_back(&find_method(Query::map, "fgnn:" FGNN_SOURCE_DIR "/weights/d3.safetensors"));
  std::map<std::string, std::size_t> checked;
  std::size_t wrong = 0, infeasible = 0;
  for (std::size_t i = 0; i < graphs; ++i) {
    Rng rng(seed, i);
    const testing::RandomGraphOptions shape = shape_of(rng);
    const FactorGraph graph = testing::random_graph(rng, shape);
    const Evidence evidence =
        rng.below(2) ? random_evidence(rng, graph, shape.largest) : Evidence{};
    const testing::Truth truth = testing::truth_of(graph, evidence, kBest);
    infeasible += !truth.feasible();
    for (const Method* method : all) {
      MethodOptions options;
      options.threads = 1;
      options.time_limit = kPatience;
      if (method->takes("k")) options.k = kBest;
      const Stopwatch watch;
      std::string what = testing::disagreement(*method, graph, evidence, options, truth);
      if (watch.seconds() > kPatience) what += fmt::format("took {:.1f} s", watch.seconds());
      ++checked[std::string(name(method->query)) + " " + method->name];
      if (what.empty()) continue;
      ++wrong;
      fmt::print("graph {} of seed {}, {} {}: {}\n", i, seed, name(method->query), method->name,
                 what);
    }
  }
  fmt::print("{} graphs, {} of them infeasible; {} methods each; {} disagreements\n", graphs,
             infeasible, checked.size(), wrong);
  return wrong > 0 ? 1 : 0;
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
