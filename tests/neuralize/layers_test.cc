#include "fgnn/neuralize/layers.h"

#include <gtest/gtest.h>

#include "tests/reference/expect_error.h"
#include "tests/reference/layers.h"
#include "tests/reference/numbers.h"

namespace fgnn::neuralize {
namespace {

using testing::expect_error;
using testing::normal_numbers;
using testing::Numbers;
using testing::run;
using testing::same_numbers;

Dense random_layer(Rng& rng, std::size_t in, std::size_t out, bool relu, bool bias) {
  Dense layer(in, out, relu);
  layer.weight = normal_numbers<double>(rng, in * out);
  if (bias) layer.bias = normal_numbers<double>(rng, out);
  return layer;
}

TEST(Merged, IsOneLayerAfterTheOther) {
  Rng rng(1);
  for (int round = 0; round < 40; ++round) {
    const std::size_t in = 1 + rng.below(5), hidden = 1 + rng.below(5), out = 1 + rng.below(5);
    const Dense first = random_layer(rng, in, hidden, false, rng.below(2) == 1);
    const Dense second = random_layer(rng, hidden, out, rng.below(2) == 1, rng.below(2) == 1);
    const Dense both = merged(first, second);
    EXPECT_EQ(both.relu, second.relu);
    EXPECT_EQ(both.bias.empty(), first.bias.empty() && second.bias.empty());
    const auto x = normal_numbers<double>(rng, in);
    EXPECT_TRUE(same_numbers(run(both, x), run(second, run(first, x)), 1e-13));
  }
}

TEST(Merged, RefusesAReluBetweenAndWidthsThatDiffer) {
  expect_error(ErrorCode::usage, "layers: cannot be merged",
               [] { merged(Dense(2, 3, true), Dense(3, 1, false)); });
  expect_error(ErrorCode::usage, "layers: cannot be merged",
               [] { merged(Dense(2, 3, false), Dense(2, 1, false)); });
}

TEST(ForRows, AppliesTheLayerToEachBlock) {
  Rng rng(2);
  for (int round = 0; round < 40; ++round) {
    const std::size_t in = 1 + rng.below(5), out = 1 + rng.below(5), rows = 1 + rng.below(4);
    const Dense one = random_layer(rng, in, out, rng.below(2) == 1, rng.below(2) == 1);
    const auto x = normal_numbers<double>(rng, rows * in);
    Numbers want;
    for (std::size_t r = 0; r < rows; ++r) {
      const auto begin = x.begin() + static_cast<std::ptrdiff_t>(r * in);
      const auto y = run(one, Numbers(begin, begin + static_cast<std::ptrdiff_t>(in)));
      want.insert(want.end(), y.begin(), y.end());
    }
    EXPECT_TRUE(same_numbers(run(for_rows(one, rows), x), want, 1e-14));
    EXPECT_EQ(used_parameters({for_rows(one, rows)}), rows * used_parameters({one}));
  }
}

TEST(Layers, CountUnitsAndParameters) {
  Dense a(2, 3, true), b(3, 4, false), c(4, 5, true);
  a.at(0, 1) = 1;
  a.bias = {0, 2, 0};
  c.at(3, 4) = -1;
  const Layers layers{a, b, c};
  EXPECT_EQ(relu_units(layers), 3 + 5u);
  EXPECT_EQ(parameters(layers), 6 + 3 + 12 + 20u);
  EXPECT_EQ(used_parameters(layers), 3u);
  EXPECT_EQ(relu_units({}) + parameters({}) + used_parameters({}), 0u);
}

// MaxProduct(1) on one relation: chains, matrices by kind, layers with and without bias.
network::Model model() {
  network::Description d;
  d.network = "MaxProduct(1, terms=4, positions=2, slots=2)";
  d.schema = {2, {{"r", 1, 2, 0}}};
  return network::Model(d, 1);
}

const std::vector<double>& weights(const network::Model& m, const std::string& name) {
  for (std::size_t i = 0; i < m.weights.size(); ++i) {
    if (m.program.parameters[i].name == name) return m.weights[i];
  }
  throw std::runtime_error(name);
}

TEST(Filler, PutsNumbersWhereTheyBelong) {
  Rng rng(3);
  network::Model m = model();
  Filler filler(m);
  const Dense potential = random_layer(rng, 1, 2, false, true);
  filler.fill("0.r.potential", potential);
  EXPECT_EQ(weights(m, "0.r.potential.weight"), potential.weight);
  EXPECT_EQ(weights(m, "0.r.potential.bias"), potential.bias);
  Matrices place(2, 4, 8);
  place.values = normal_numbers<double>(rng, place.values.size());
  filler.fill("0.r.place", place);
  EXPECT_EQ(weights(m, "0.r.place"), place.values);
  const Layers chain{random_layer(rng, 4 + 8, 2 * 4, true, false),
                     random_layer(rng, 2 * 4, 2 * 2, true, false),
                     random_layer(rng, 2 * 2, 2, false, false)};
  filler.fill_chain("0.r.over_terms", chain);
  EXPECT_EQ(weights(m, "0.r.over_terms.0.weight"), chain[0].weight);
  EXPECT_EQ(weights(m, "0.r.over_terms.1.weight"), chain[1].weight);
  EXPECT_EQ(weights(m, "0.r.over_terms.out.weight"), chain[2].weight);
}

TEST(Filler, NamesTheParameterThatDoesNotFit) {
  network::Model m = model();
  Filler filler(m);
  expect_error(ErrorCode::usage, "0.r.plaice: is not a parameter",
               [&] { filler.fill("0.r.plaice", Matrices(2, 4, 8)); });
  expect_error(ErrorCode::usage, "0.r.place: takes 64 numbers, not 32",
               [&] { filler.fill("0.r.place", Matrices(1, 4, 8)); });
  expect_error(ErrorCode::usage, "0.beliefs.weight: takes",
               [&] { filler.fill("0.beliefs", Dense(1, 1, false)); });
  Dense biased(6, 2, false);
  biased.bias.resize(2);
  expect_error(ErrorCode::usage, "0.beliefs.bias: is not a parameter",
               [&] { filler.fill("0.beliefs", biased); });
  expect_error(ErrorCode::usage, "0.r.over_terms.2.weight: is not a parameter", [&] {
    filler.fill_chain("0.r.over_terms", {Dense(12, 8, true), Dense(8, 4, true), Dense(4, 4, true),
                                         Dense(4, 2, false)});
  });
}

}  // namespace
}  // namespace fgnn::neuralize
