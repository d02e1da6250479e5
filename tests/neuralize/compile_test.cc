#include "fgnn/neuralize/compile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "fgnn/infer/belief_propagation.h"
#include "fgnn/network/run.h"
#include "fgnn/potentials/potentials.h"
#include "tests/reference/expect_error.h"
#include "tests/reference/random_graph.h"
#include "tests/reference/scratch.h"

namespace fgnn::neuralize {
namespace {

using testing::random_graph;
using testing::RandomGraphOptions;

Result flooding(const FactorGraph& graph, const CompileOptions& o) {
  BpOptions bp;
  bp.iterations = o.iterations;
  bp.tolerance = 0;
  bp.damping = o.damping;
  bp.threads = 1;
  bp.decimate = false;
  return o.algorithm == Algorithm::max_product ? max_product(graph, bp) : sum_product(graph, bp);
}

// The network's beliefs as probabilities, padded states left out. Forbidden states have none.
std::vector<double> beliefs(const FactorGraph& graph, const network::Model& model) {
  const auto batch = features(graph, model);
  network::Runner<double> runner(model);
  const auto logs = runner.run(batch);
  const std::size_t width = runner.output_width();
  std::vector<double> result;
  for (VariableId v = 0; v < graph.num_variables(); ++v) {
    const double* row = logs.data() + v * width;
    const double top = *std::max_element(row, row + graph.states(v));
    double sum = 0;
    for (State x = 0; x < graph.states(v); ++x) {
      const double log = row[x] - top;
      result.push_back(log < forbidden_below(model) ? 0 : std::exp(log));
      sum += result.back();
    }
    for (State x = 0; x < graph.states(v); ++x) result[result.size() - 1 - x] /= sum;
  }
  return result;
}

double largest_difference(std::span<const double> a, std::span<const double> b) {
  EXPECT_EQ(a.size(), b.size());
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double d = std::abs(a[i] - b[i]);
    most = d <= most ? most : d;  // a NaN counts
  }
  return most;
}

// Some loops with hard constraints double every rounding at every iteration: there no two ways to
// compute agree. How far the algorithm is from itself with numbers off by 1e-13 tells them.
double tolerance(const FactorGraph& graph, const CompileOptions& o, const Result& result) {
  std::vector<double> unaries(graph.unaries().begin(), graph.unaries().end());
  Rng rng(1);
  for (double& u : unaries) {
    if (u != kForbidden) u += 1e-13 * rng.normal() * (1 + std::abs(u));
  }
  const Result other = flooding(graph.with_unaries(std::move(unaries)), o);
  return std::max(1e-9,
                  8 * largest_difference(other.marginals.values(), result.marginals.values()));
}

class Compiled : public ::testing::TestWithParam<std::tuple<Algorithm, std::string>> {};

TEST_P(Compiled, BeliefsAreThoseOfFlooding) {
  const auto [algorithm, kind] = GetParam();
  int feasible = 0, large = 0;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    Rng rng(seed, 77);
    RandomGraphOptions o;
    o.kinds = {kind};
    if (kind == "mixed") o.kinds = testing::all_kinds();
    const FactorGraph graph = random_graph(rng, o);
    if (graph.num_factors() == 0) continue;
    for (const std::size_t k : {1, 2, 5, 20}) {
      CompileOptions options;
      options.algorithm = algorithm;
      options.iterations = k;
      const Result want = flooding(graph, options);
      if (want.status == Status::infeasible) continue;
      ++feasible;
      const network::Model model = compile(graph, options);
      EXPECT_LE(largest_difference(beliefs(graph, model), want.marginals.values()),
                tolerance(graph, options, want))
          << "seed " << seed << ", " << k << " iterations, tolerance "
          << tolerance(graph, options, want);
      large += tolerance(graph, options, want) > 1e-9;
    }
  }
  EXPECT_GE(feasible, 12);
  EXPECT_LE(large, 2);
}

INSTANTIATE_TEST_SUITE_P(
    AllKinds, Compiled,
    ::testing::Combine(::testing::Values(Algorithm::max_product, Algorithm::sum_product),
                       ::testing::Values("table", "low-rank", "max-rank-1", "count", "parity",
                                         "sparse", "all-different", "mixed")),
    [](const auto& test) {
      std::string text = std::string(name(std::get<0>(test.param))) + "_" + std::get<1>(test.param);
      for (char& c : text) c = std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
      return text;
    });

}  // namespace
}  // namespace fgnn::neuralize
