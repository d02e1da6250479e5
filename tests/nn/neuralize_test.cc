// The paper's constructions on the operations of an FGNN, and belief propagation with gradients.
#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>

#include "fgnn/network/run.h"
#include "fgnn/neuralize/compile.h"
#include "fgnn/neuralize/propositions.h"
#include "fgnn/nn/module.h"
#include "tests/reference/differences.h"
#include "tests/reference/finite_graph.h"
#include "tests/reference/layers.h"
#include "tests/reference/numbers.h"
#include "tests/reference/random_batch.h"

namespace fgnn::nn {
namespace {

using at::Tensor;
using kernels::Activation;
using kernels::Aggregate;
using kernels::Incidence;
using kernels::Index;
using network::Batch;
using network::Model;
using neuralize::Dense;
using neuralize::Layers;
using neuralize::Matrices;
using testing::joined;
using testing::largest_of;
using testing::Numbers;
using testing::same_numbers;
using testing::uniform_numbers;

Tensor tensor(const Numbers& values, std::vector<std::int64_t> shape) {
  at::set_num_threads(1);
  return at::from_blob(const_cast<double*>(values.data()), shape, at::kDouble).clone();
}

Numbers values(const Tensor& x) {
  const Tensor plain = x.detach().to(at::kDouble).contiguous();
  return {plain.data_ptr<double>(), plain.data_ptr<double>() + plain.numel()};
}

// ---- the constructions as linear and message layers ----

Tensor run(const Layers& layers, Tensor x) {
  for (const Dense& l : layers) {
    const auto in = static_cast<std::int64_t>(l.in), out = static_cast<std::int64_t>(l.out);
    x = linear({x}, tensor(l.weight, {in, out}), l.bias.empty() ? Tensor() : tensor(l.bias, {out}),
               l.relu ? Activation::relu : Activation::identity, {});
  }
  return x;
}

// Each of `graphs` nodes aggregates the rows of its own `n` edges, kinds 0 … n - 1; or each edge
// gets the row of its node.
Tensor aggregate(const Tensor& x, const Matrices& q, std::size_t graphs, std::size_t n,
                 Aggregate how, bool to_edges = false) {
  std::vector<Index> node, edge, kind;
  for (Index e = 0; e < graphs * n; ++e) {
    node.push_back(e / static_cast<Index>(n));
    edge.push_back(e);
    kind.push_back(e % static_cast<Index>(n));
  }
  const Incidence in = to_edges ? Incidence(graphs * n, graphs, q.kinds, edge, node, kind)
                                : Incidence(graphs, graphs * n, q.kinds, node, edge, kind);
  const Tensor matrices =
      tensor(q.values, {static_cast<std::int64_t>(q.kinds), static_cast<std::int64_t>(q.in),
                        static_cast<std::int64_t>(q.out)});
  return message({}, x, matrices, {}, {&in, nullptr, 1, {q.in, q.out, Activation::identity, {how}}},
                 {});
}

TEST(Constructions, RowMaximumRunsOnLinearLayers) {
  Rng rng(1);
  for (const std::size_t l : {1, 2, 3, 5, 8, 13}) {
    for (const std::size_t k : {1, 3}) {
      const auto x = testing::normal_numbers<double>(rng, 4 * k * l);
      Numbers want;
      for (std::size_t row = 0; row < 4 * k; ++row) {
        const auto begin = x.begin() + static_cast<std::ptrdiff_t>(row * l);
        want.push_back(*std::max_element(begin, begin + static_cast<std::ptrdiff_t>(l)));
      }
      const Tensor in = tensor(x, {4, static_cast<std::int64_t>(k * l)});
      EXPECT_TRUE(same_numbers(values(run(neuralize::row_maximum(k, l), in)), want, 1e-13));
      const Layers clever = neuralize::row_extreme(k, l, neuralize::Extreme::maximum);
      // Lifted, so that nothing is negative.
      EXPECT_TRUE(same_numbers(values(run(clever, in + 9) - 9), want, 1e-13));
    }
  }
}

TEST(Constructions, RowsMeetWithoutLossInAMaximum) {
  Rng rng(2);
  for (int round = 0; round < 20; ++round) {
    const std::size_t graphs = 1 + rng.below(3), k = 1 + rng.below(5), l = 1 + rng.below(5);
    const auto x = uniform_numbers(rng, graphs * k * l, 0, 3);
    const Tensor in =
        tensor(x, {static_cast<std::int64_t>(graphs * k), static_cast<std::int64_t>(l)});
    const auto [w, q] = neuralize::sum_through_max(k, l);
    const Tensor met = aggregate(in, w, graphs, k, Aggregate::max);
    EXPECT_EQ(values(met), x);
    const Tensor blocks = in.view({static_cast<std::int64_t>(graphs), static_cast<std::int64_t>(k),
                                   static_cast<std::int64_t>(l)});
    EXPECT_TRUE(same_numbers(values(run({q}, met)), values(blocks.sum(at::IntArrayRef{1})), 1e-13));
    const Tensor others = aggregate(met, neuralize::sum_of_others(k, l), graphs, k, Aggregate::sum,
                                    /*to_edges=*/true);
    EXPECT_TRUE(
        same_numbers(values(others), values(blocks.sum(at::IntArrayRef{1}, true) - blocks), 1e-12));
  }
}

TEST(Constructions, DecompositionIsOneLayer) {
  Rng rng(3);
  const std::vector<State> shape{3, 1, 2};
  Numbers costs;
  for (int factor = 0; factor < 2; ++factor) {
    const auto c = uniform_numbers(rng, 6, 0, 5);
    costs.insert(costs.end(), c.begin(), c.end());
    costs.push_back(1);
  }
  const Matrices q = neuralize::decomposition(shape, 9);
  const auto phi = values(aggregate(tensor(costs, {2, 7}), q, 2, 3, Aggregate::sum, true));
  for (std::size_t factor = 0; factor < 2; ++factor) {
    std::vector<State> x(3, 0);
    std::size_t at = factor * 7;
    do {
      double least = kInfinity;
      for (std::size_t z = 0; z < 6; ++z) {
        double sum = 0;
        for (std::size_t j = 0; j < 3; ++j) sum += phi[((factor * 3 + j) * 6 + z) * 3 + x[j]];
        least = std::min(least, sum);
      }
      EXPECT_NEAR(least, costs[at++], 1e-13);
    } while (next_configuration(shape, x));
  }
}

// Propositions 4 and 5, one after the other, on several factors at once.
TEST(Constructions, StepsOfMaxProductAreLinearAndMessageLayers) {
  Rng rng(4);
  for (int round = 0; round < 20; ++round) {
    const std::size_t factors = 1 + rng.below(3), n = 1 + rng.below(4), states = 1 + rng.below(5),
                      terms = 1 + rng.below(6), edges = factors * n;
    const auto e = static_cast<std::int64_t>(edges), s = static_cast<std::int64_t>(states),
               z = static_cast<std::int64_t>(terms);
    const auto incoming = uniform_numbers(rng, edges * states, 0, 3),
               phi = uniform_numbers(rng, edges * terms * states, 0, 3);
    const Tensor potential = tensor(phi, {e, z * s});
    const auto up = neuralize::variable_to_factor(states, terms, n);
    const auto down = neuralize::factor_to_variable(states, terms, 1);
    const Tensor best = run(up.over_states, at::cat({tensor(incoming, {e, s}), potential}, 1));
    const Tensor by_term = aggregate(aggregate(best, up.place, factors, n, Aggregate::max),
                                     up.other_positions, factors, n, Aggregate::sum, true);
    const Tensor got = run(down.over_terms, at::cat({by_term, potential}, 1));

    Numbers want(edges * states, kInfinity);
    for (std::size_t i = 0; i < edges; ++i) {
      for (std::size_t t = 0; t < terms; ++t) {
        double b = 0;
        for (std::size_t j = i / n * n; j < (i / n + 1) * n; ++j) {
          double least = kInfinity;
          for (std::size_t x = 0; x < states; ++x) {
            least = std::min(least, incoming[j * states + x] + phi[(j * terms + t) * states + x]);
          }
          b += j == i ? 0 : least;
        }
        for (std::size_t x = 0; x < states; ++x) {
          double& m = want[i * states + x];
          m = std::min(m, b + phi[(i * terms + t) * states + x]);
        }
      }
    }
    EXPECT_TRUE(same_numbers(values(got), want, 1e-12));
  }
}

// ---- networks of belief propagation ----

std::shared_ptr<const Batch> shared(Batch batch) {
  at::set_num_threads(1);
  return std::make_shared<const Batch>(std::move(batch));
}

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
  network::Description d;
  d.network = network;
  d.schema = testing::pair_and_budget();
  for (auto& r : d.schema.relations) r.edge_features = 0;
  if (!pairs) d.schema.relations[0].factor_features = 0;
  if (!budgets) d.schema.relations[1].factor_features = 0;
  return Model(d, seed);
}

std::shared_ptr<const Batch> batch(Rng& rng, const Model& model, std::size_t copies, bool masked) {
  Batch b = testing::random_features(rng, testing::random_structure(rng, 6, 6, 2), copies);
  for (std::size_t r = 0; r < 2; ++r) {
    b.relations[r].edge.clear();
    if (model.description.schema.relations[r].factor_features == 0) b.relations[r].factor.clear();
    if (!masked) continue;
    b.relations[r].mask.resize(copies * b.structure->relations()[r].edges());
    for (auto& m : b.relations[r].mask) m = rng.below(4) != 0;
  }
  return shared(std::move(b));
}

const std::vector<std::string>& networks() {
  static const std::vector<std::string> all{
      "SumProduct(1, ranks=3+2)",
      "SumProduct(3, ranks=3+2)",
      "SumProduct(3, ranks=3+2, tied=yes)",
      "SumProduct(2, ranks=2+3, latents=3, channels=2)",
      "SumProduct(3, ranks=1+4, tied=yes, latents=2, channels=3)",
      "FC(3, norm=layer, activation=tanh) - 2@SumProduct(2, ranks=2+2) - Out(2)",
  };
  return all;
}

class EachSumProduct : public ::testing::TestWithParam<std::tuple<std::string, int>> {
 protected:
  Model model(std::uint64_t seed = 1) const {
    const auto& [network, features] = GetParam();
    return propagation(network, features & 1, features & 2, seed);
  }
};
INSTANTIATE_TEST_SUITE_P(Propagation, EachSumProduct,
                         ::testing::Combine(::testing::ValuesIn(networks()),
                                            ::testing::Range(0, 4)));

TEST_P(EachSumProduct, EvaluationEqualsTheRunner) {
  Rng rng(5);
  const at::NoGradGuard no_gradients;
  for (const Model& m : {model(), positive(model(2))}) {
    for (const bool masked : {false, true}) {
      const auto b = batch(rng, m, 2, masked);
      Module module(m, at::kDouble);
      network::Runner<double> runner(m);
      const auto want = runner.run(*b);
      double largest = 0;
      for (const double x : want) largest = std::max(largest, std::abs(x));
      EXPECT_GT(largest, 0);
      EXPECT_TRUE(std::isfinite(largest));
      EXPECT_TRUE(same_numbers(values(module.forward(b)), want, 1e-12 * std::max(1.0, largest)));
    }
  }
}

TEST_P(EachSumProduct, GradientByEveryParameterEqualsDifferences) {
  Rng rng(6);
  const Model m = positive(model());
  const auto b = batch(rng, m, 1, false);
  Module module(m, at::kDouble);
  const Tensor out = module.forward(b);
  const Tensor weight =
      tensor(testing::normal_numbers<double>(rng, static_cast<std::size_t>(out.numel())),
             out.sizes().vec());
  at::mul(out, weight).sum().backward();
  const auto gradient = values(module.gradients());
  const at::NoGradGuard no_gradients;
  const auto value = [&] { return at::mul(module.forward(b), weight).sum().item<double>(); };
  double* const p = module.parameters().data_ptr<double>();
  std::size_t without = 0;
  for (std::size_t i = 0; i < m.program.parameters.size(); ++i) {
    const auto begin = static_cast<std::size_t>(module.offsets()[i]);
    const std::size_t count = m.program.parameters[i].count();
    double largest = 0;
    for (std::size_t k = 0; k < count; ++k)
      largest = std::max(largest, std::abs(gradient[begin + k]));
    without += largest == 0;
    for (int draw = 0; draw < 3; ++draw) {  // three of every matrix
      const std::size_t at = begin + rng.below(count);
      const double kept = p[at];
      const auto d = testing::difference([&](double by) { p[at] += by; }, value, 1e-6);
      p[at] = kept;
      EXPECT_NEAR(gradient[at], d.slope, 1e-6 * std::max(1.0, std::abs(d.slope)))
          << m.program.parameters[i].name;
    }
  }
  // All take part: but a chain that starts at messages of zero, and channels that nobody hears yet.
  EXPECT_LE(without, m.program.parameters.size() / 4);
}

TEST(Propagation, MaxProductEqualsTheRunnerAndDifferences) {
  Rng rng(7);
  const Model m = propagation("MaxProduct(2, terms=3+2, positions=2+9, slots=20+9)", true, true);
  const auto b = batch(rng, m, 2, false);
  Module module(m, at::kDouble);
  network::Runner<double> runner(m);
  const Tensor out = module.forward(b);
  EXPECT_TRUE(same_numbers(values(out), runner.run(*b), 1e-10));
  out.sum().backward();
  const auto gradient = values(module.gradients());
  const at::NoGradGuard no_gradients;
  double* const p = module.parameters().data_ptr<double>();
  Numbers x(p, p + gradient.size());
  const auto value = [&] {
    std::copy(x.begin(), x.end(), p);
    return module.forward(b).sum().item<double>();
  };
  testing::expect_gradient(x, gradient, value, "all weights", rng, 60);
}

// What a compiled network says, on tensors as on the kernels.
TEST(Propagation, CompiledNetworksAreTheSameOnTensors) {
  for (const auto algorithm :
       {neuralize::Algorithm::max_product, neuralize::Algorithm::sum_product}) {
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      Rng rng(seed, 8);
      const FactorGraph graph = testing::finite_graph(rng);
      neuralize::CompileOptions o;
      o.algorithm = algorithm;
      o.iterations = 4;
      const Model m = neuralize::compile(graph, o);
      const auto b = shared(neuralize::features(graph, m));
      Module module(m, at::kDouble);
      network::Runner<double> runner(m);
      const at::NoGradGuard no_gradients;
      EXPECT_TRUE(same_numbers(values(module.forward(b)), runner.run(*b), 1e-12));
    }
  }
}

}  // namespace
}  // namespace fgnn::nn
