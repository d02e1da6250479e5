// Networks of belief propagation forwards and backwards: SumProduct, MaxProduct, and compiled ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "fgnn/network/learner.h"
#include "fgnn/network/run.h"
#include "fgnn/neuralize/compile.h"
#include "tests/reference/differences.h"
#include "tests/reference/finite_graph.h"
#include "tests/reference/numbers.h"
#include "tests/reference/random_batch.h"

namespace fgnn::network {
namespace {

using testing::same_numbers;
using Numbers = std::vector<double>;

// Potentials are positive, so that logarithms are of positive numbers; everything else is random.
Model positive(Model model) {
  for (std::size_t i = 0; i < model.weights.size(); ++i) {
    const std::string& name = model.program.parameters[i].name;
    const bool table = name.ends_with(".up") || name.ends_with(".down") ||
                       name.find(".lambda.") != std::string::npos;
    for (double& w : model.weights[i]) w = table ? 0.2 + std::abs(w) : w;
  }
  return model;
}

// pair_and_budget() with features on the factors of neither, one or both.
Model propagation(const std::string& network, bool pairs, bool budgets, std::uint64_t seed = 1) {
  Description d;
  d.network = network;
  d.schema = testing::pair_and_budget();
  for (auto& r : d.schema.relations) r.edge_features = 0;
  if (!pairs) d.schema.relations[0].factor_features = 0;
  if (!budgets) d.schema.relations[1].factor_features = 0;
  return Model(d, seed);
}

Batch batch(Rng& rng, const Model& model, std::size_t copies, bool masked) {
  Batch b = testing::random_features(rng, testing::random_structure(rng, 6, 6, 2), copies);
  for (std::size_t r = 0; r < 2; ++r) {
    b.relations[r].edge.clear();
    if (model.description.schema.relations[r].factor_features == 0) b.relations[r].factor.clear();
    if (!masked) continue;
    b.relations[r].mask.resize(copies * b.structure->relations()[r].edges());
    for (auto& m : b.relations[r].mask) m = rng.below(4) != 0;
  }
  return b;
}

Numbers output(Learner<double>& learner, const Batch& b) {
  const Batch* part = &b;
  Numbers all;
  learner.forward({&part, 1}, {},
                  [&](std::size_t, std::span<const double> y) { all.assign(y.begin(), y.end()); });
  return all;
}

// Of the sum of the outputs times these numbers, by all weights.
Numbers gradient(Learner<double>& learner, const Batch& b, const Numbers& times) {
  const Batch* part = &b;
  learner.step({&part, 1}, {}, [&](std::size_t, std::span<const double>, std::span<double> slopes) {
    std::ranges::copy(times, slopes.begin());
  });
  return {learner.gradient().begin(), learner.gradient().end()};
}

class EachSumProduct : public ::testing::TestWithParam<std::tuple<std::string, int>> {
 protected:
  Model model(std::uint64_t seed = 1) const {
    const auto& [network, features] = GetParam();
    return propagation(network, features & 1, features & 2, seed);
  }
};
INSTANTIATE_TEST_SUITE_P(
    Propagation, EachSumProduct,
    ::testing::Combine(
        ::testing::Values(
            "SumProduct(1, ranks=3+2)", "SumProduct(3, ranks=3+2)",
            "SumProduct(3, ranks=3+2, tied=yes)", "SumProduct(2, ranks=2+3, latents=3, channels=2)",
            "SumProduct(3, ranks=1+4, tied=yes, latents=2, channels=3)",
            "FC(3, norm=layer, activation=tanh) - 2@SumProduct(2, ranks=2+2) - Out(2)"),
        ::testing::Range(0, 4)));

TEST_P(EachSumProduct, LearnersSayWhatTheRunnerSays) {
  Rng rng(5);
  for (const Model& m : {model(), positive(model(2))}) {
    for (const bool masked : {false, true}) {
      const Batch b = batch(rng, m, 2, masked);
      Learner<double> learner(m);
      Runner<double> runner(m);
      const auto want = runner.run(b);
      EXPECT_TRUE(same_numbers(output(learner, b), want, 0));
      EXPECT_GT(std::abs(std::ranges::max(want)) + std::abs(std::ranges::min(want)), 0);
      for (const double x : want) EXPECT_TRUE(std::isfinite(x));
    }
  }
}

TEST_P(EachSumProduct, GradientByEveryParameterEqualsDifferences) {
  Rng rng(6);
  const Model m = positive(model());
  const Batch b = batch(rng, m, 1, false);
  Learner<double> learner(m);
  const auto times = testing::normal_numbers<double>(rng, output(learner, b).size());
  const auto slopes = gradient(learner, b, times);
  const auto value = [&] { return testing::dot(output(learner, b), times); };
  std::size_t without = 0;
  for (std::size_t i = 0; i < m.program.parameters.size(); ++i) {
    const std::span own = learner.parameter(static_cast<int>(i));
    const std::span got =
        std::span(slopes).subspan(static_cast<std::size_t>(learner.offsets()[i]), own.size());
    without += std::ranges::all_of(got, [](double g) { return g == 0; });
    for (int draw = 0; draw < 3; ++draw) {  // three of every matrix
      const std::size_t at = rng.below(own.size());
      const double kept = own[at];
      const auto d = testing::difference([&](double by) { own[at] += by; }, value, 1e-6);
      own[at] = kept;
      EXPECT_NEAR(got[at], d.slope, 1e-6 * std::max(1.0, std::abs(d.slope)))
          << m.program.parameters[i].name;
    }
  }
  // All take part: but a chain that starts at messages of zero, and channels that nobody hears yet.
  EXPECT_LE(without, m.program.parameters.size() / 4);
}

TEST(MaxProductNetwork, EqualsTheRunnerAndDifferences) {
  Rng rng(7);
  const Model m = propagation("MaxProduct(2, terms=3+2, positions=2+9, slots=20+9)", true, true);
  const Batch b = batch(rng, m, 2, false);
  Learner<double> learner(m);
  Runner<double> runner(m);
  EXPECT_TRUE(same_numbers(output(learner, b), runner.run(b), 0));
  const Numbers ones(output(learner, b).size(), 1);
  const auto slopes = gradient(learner, b, ones);
  Numbers x(learner.weights().begin(), learner.weights().end());
  const auto value = [&] {
    std::ranges::copy(x, learner.weights().begin());
    return testing::dot(output(learner, b), ones);
  };
  testing::expect_gradient(x, slopes, value, "all weights", rng, 60);
}

TEST(CompiledNetworks, LearnersSayWhatTheRunnerSays) {
  for (const auto algorithm :
       {neuralize::Algorithm::max_product, neuralize::Algorithm::sum_product}) {
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      Rng rng(seed, 8);
      const FactorGraph graph = testing::finite_graph(rng);
      neuralize::CompileOptions o;
      o.algorithm = algorithm;
      o.iterations = 4;
      const Model m = neuralize::compile(graph, o);
      const Batch b = neuralize::features(graph, m);
      Learner<double> learner(m);
      Runner<double> runner(m);
      EXPECT_TRUE(same_numbers(output(learner, b), runner.run(b), 0));
    }
  }
}

}  // namespace
}  // namespace fgnn::network
