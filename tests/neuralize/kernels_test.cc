// The paper's constructions on the kernels that FGNN layers run on.
#include <gtest/gtest.h>

#include <algorithm>

#include "fgnn/kernels/linear.h"
#include "fgnn/kernels/message.h"
#include "fgnn/neuralize/propositions.h"
#include "tests/reference/finite_graph.h"
#include "tests/reference/layers.h"
#include "tests/reference/numbers.h"

namespace fgnn::neuralize {
namespace {

using kernels::Activation;
using kernels::Aggregate;
using kernels::Incidence;
using kernels::Index;
using testing::Numbers;
using testing::same_numbers;
using testing::uniform_numbers;

// Rows of numbers side by side, through layers.
Numbers run(const Layers& layers, std::size_t rows, std::vector<Numbers> inputs) {
  for (const Dense& l : layers) {
    std::vector<kernels::Rows<double>> in;
    for (const auto& x : inputs) in.push_back({x.data(), x.size() / rows});
    Numbers y(rows * l.out);
    kernels::linear_forward<double>(in, rows, l.weight.data(),
                                    l.bias.empty() ? nullptr : l.bias.data(), l.out,
                                    l.relu ? Activation::relu : Activation::identity, y.data(), 1);
    inputs = {std::move(y)};
  }
  return inputs.at(0);
}

// Each of `graphs` nodes aggregates the rows of its own `n` edges, kinds 0 … n - 1; or each edge
// gets the row of its node.
Numbers aggregate(const Numbers& x, const Matrices& q, std::size_t graphs, std::size_t n,
                  Aggregate how, bool to_edges = false) {
  std::vector<Index> node, edge, kind;
  for (Index e = 0; e < graphs * n; ++e) {
    node.push_back(e / static_cast<Index>(n));
    edge.push_back(e);
    kind.push_back(e % static_cast<Index>(n));
  }
  const Incidence edges = to_edges ? Incidence(graphs * n, graphs, q.kinds, edge, node, kind)
                                   : Incidence(graphs, graphs * n, q.kinds, node, edge, kind);
  kernels::MessageInput<double> in;
  in.edges = &edges;
  in.source = x.data();
  in.matrices = q.values.data();
  Numbers out(edges.targets() * q.out);
  kernels::message_forward<double>(in, {q.in, q.out, Activation::identity, {how}}, out.data(),
                                   nullptr, 1);
  return out;
}

TEST(ConstructionsOnKernels, RowMaximumRunsOnLinearLayers) {
  Rng rng(1);
  for (const std::size_t l : {1, 2, 3, 5, 8, 13}) {
    for (const std::size_t k : {1, 3}) {
      const auto x = testing::normal_numbers<double>(rng, 4 * k * l);
      Numbers want, lifted = x;
      for (std::size_t row = 0; row < 4 * k; ++row) {
        const auto begin = x.begin() + static_cast<std::ptrdiff_t>(row * l);
        want.push_back(*std::max_element(begin, begin + static_cast<std::ptrdiff_t>(l)));
      }
      EXPECT_TRUE(same_numbers(run(row_maximum(k, l), 4, {x}), want, 1e-13));
      // Lifted, so that nothing is negative.
      for (double& v : lifted) v += 9;
      for (double& v : want) v += 9;
      EXPECT_TRUE(same_numbers(run(row_extreme(k, l, Extreme::maximum), 4, {lifted}), want, 1e-13));
    }
  }
}

TEST(ConstructionsOnKernels, RowsMeetWithoutLossInAMaximum) {
  Rng rng(2);
  for (int round = 0; round < 20; ++round) {
    const std::size_t graphs = 1 + rng.below(3), k = 1 + rng.below(5), l = 1 + rng.below(5);
    const auto x = uniform_numbers(rng, graphs * k * l, 0, 3);
    const auto [w, q] = sum_through_max(k, l);
    const Numbers met = aggregate(x, w, graphs, k, Aggregate::max);
    EXPECT_EQ(met, x);
    Numbers sums(graphs * l), others(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) sums[i / (k * l) * l + i % l] += x[i];
    for (std::size_t i = 0; i < x.size(); ++i) others[i] = sums[i / (k * l) * l + i % l] - x[i];
    EXPECT_TRUE(same_numbers(run({q}, graphs, {met}), sums, 1e-13));
    EXPECT_TRUE(same_numbers(
        aggregate(met, sum_of_others(k, l), graphs, k, Aggregate::sum, /*to_edges=*/true), others,
        1e-12));
  }
}

TEST(ConstructionsOnKernels, DecompositionIsOneLayer) {
  Rng rng(3);
  const std::vector<State> shape{3, 1, 2};
  Numbers costs;
  for (int factor = 0; factor < 2; ++factor) {
    const auto c = uniform_numbers(rng, 6, 0, 5);
    costs.insert(costs.end(), c.begin(), c.end());
    costs.push_back(1);
  }
  const auto phi = aggregate(costs, decomposition(shape, 9), 2, 3, Aggregate::sum, true);
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
TEST(ConstructionsOnKernels, StepsOfMaxProductAreLinearAndMessageLayers) {
  Rng rng(4);
  for (int round = 0; round < 20; ++round) {
    const std::size_t factors = 1 + rng.below(3), n = 1 + rng.below(4), states = 1 + rng.below(5),
                      terms = 1 + rng.below(6), edges = factors * n;
    const auto incoming = uniform_numbers(rng, edges * states, 0, 3),
               phi = uniform_numbers(rng, edges * terms * states, 0, 3);
    const auto up = variable_to_factor(states, terms, n);
    const auto down = factor_to_variable(states, terms, 1);
    const Numbers best = run(up.over_states, edges, {incoming, phi});
    const Numbers by_term = aggregate(aggregate(best, up.place, factors, n, Aggregate::max),
                                      up.other_positions, factors, n, Aggregate::sum, true);
    const Numbers got = run(down.over_terms, edges, {by_term, phi});

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
    EXPECT_TRUE(same_numbers(got, want, 1e-12));
  }
}

}  // namespace
}  // namespace fgnn::neuralize
