#include "fgnn/neuralize/propositions.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <set>

#include "fgnn/graph/graph_builder.h"
#include "fgnn/network/propagation.h"
#include "fgnn/potentials/potentials.h"
#include "tests/reference/expect_error.h"
#include "tests/reference/finite_graph.h"
#include "tests/reference/layers.h"
#include "tests/reference/numbers.h"
#include "tests/reference/random_table.h"

namespace fgnn::neuralize {
namespace {

using testing::expect_error;
using testing::joined;
using testing::largest_of;
using testing::normal_numbers;
using testing::Numbers;
using testing::run;
using testing::same_numbers;
using testing::times;
using testing::uniform_numbers;
using testing::whole_numbers;

std::size_t log2_ceiling(std::size_t l) { return static_cast<std::size_t>(std::bit_width(l - 1)); }

// The extremes of k rows of l numbers.
Numbers row_extremes(const Numbers& x, std::size_t k, std::size_t l, Extreme extreme) {
  Numbers result;
  for (std::size_t row = 0; row < k; ++row) {
    const auto begin = x.begin() + static_cast<std::ptrdiff_t>(row * l),
               end = begin + static_cast<std::ptrdiff_t>(l);
    result.push_back(extreme == Extreme::maximum ? *std::max_element(begin, end)
                                                 : *std::min_element(begin, end));
  }
  return result;
}

std::size_t used(const Matrices& q) {
  std::size_t count = 0;
  for (const double w : q.values) count += w != 0;
  return count;
}

std::vector<Numbers> non_negative_rows(Rng& rng, std::size_t k, std::size_t l) {
  std::vector<Numbers> x;
  for (std::size_t i = 0; i < k; ++i) {
    x.push_back(uniform_numbers(rng, l, 0, 5));
    if (rng.below(2) == 0) x.back()[rng.below(l)] = 0;
  }
  return x;
}

// ---- Lemma 2 ----

TEST(LosslessAggregation, LargestOfPlacedRowsIsTheRowsSideBySide) {
  Rng rng(1);
  for (int round = 0; round < 50; ++round) {
    const std::size_t k = 1 + rng.below(6), l = 1 + rng.below(6);
    const Matrices q = lossless_aggregation(k, l);
    EXPECT_EQ(q.kinds, k);
    EXPECT_EQ(q.in, l);
    EXPECT_EQ(q.out, k * l);
    EXPECT_EQ(used(q), k * l);
    const auto x = non_negative_rows(rng, k, l);
    EXPECT_EQ(largest_of(x, q), joined(x));
  }
}

TEST(LosslessAggregation, LosesNegativeNumbersOfSeveralRows) {
  const std::vector<Numbers> x{{-1, 2}, {3, -4}};
  EXPECT_EQ(largest_of(x, lossless_aggregation(2, 2)), (Numbers{0, 2, 3, 0}));
}

// ---- Proposition 1 ----

TEST(Decomposition, SmallestSumOfTermsIsTheTable) {
  Rng rng(2);
  for (int round = 0; round < 60; ++round) {
    const auto shape = testing::random_shape(rng, 4, 4);
    const std::size_t z_count = configurations(shape), n = shape.size();
    const State states = *std::max_element(shape.begin(), shape.end());
    const double forbidden = 20;
    Numbers features = uniform_numbers(rng, z_count, 0, forbidden);
    features.push_back(1);
    const Matrices q = decomposition(shape, forbidden);
    EXPECT_EQ(q.kinds, n);
    EXPECT_EQ(q.in, z_count + 1);
    EXPECT_EQ(q.out, z_count * states);
    std::vector<Numbers> phi;
    for (std::size_t j = 0; j < n; ++j) phi.push_back(times(features, q, j));
    std::vector<State> x(n, 0);
    std::size_t at = 0;
    do {
      double least = kInfinity;
      for (std::size_t z = 0; z < z_count; ++z) {
        double sum = 0;
        for (std::size_t j = 0; j < n; ++j) sum += phi[j][z * states + x[j]];
        least = std::min(least, sum);
      }
      EXPECT_NEAR(least, features[at++], 1e-12);
    } while (next_configuration(shape, x));
    ASSERT_EQ(at, z_count);
    // States that a variable does not have are forbidden by every term.
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t z = 0; z < z_count; ++z) {
        for (State s = shape[j]; s < states; ++s) EXPECT_EQ(phi[j][z * states + s], forbidden);
      }
    }
  }
}

TEST(Decomposition, CostsAtWhichStatesAreForbiddenAreTheLargestThatStay) {
  const std::vector<State> shape{2, 2};
  const Matrices q = decomposition(shape, 3);
  const Numbers features{1, 2, 8, 0, 1};  // 8 is above
  double least = kInfinity;
  for (std::size_t z = 0; z < 4; ++z) {
    least = std::min(least, times(features, q, 0)[z * 2 + 1] + times(features, q, 1)[z * 2]);
  }
  EXPECT_LT(least, 8);
  EXPECT_GE(least, 3);
}

// ---- Proposition 2 ----

TEST(RowMaximum, EqualsTheLargestOfEachRow) {
  Rng rng(3);
  for (std::size_t l = 1; l <= 17; ++l) {
    for (const std::size_t k : {1, 2, 5}) {
      const Layers layers = row_maximum(k, l);
      const Numbers real = normal_numbers<double>(rng, k * l, 3);
      EXPECT_TRUE(
          same_numbers(run(layers, real), row_extremes(real, k, l, Extreme::maximum), 1e-13));
      for (const int low : {-20, -10}) {  // all below zero, and of both signs
        const Numbers whole = whole_numbers(rng, k * l, low, low + 20);
        EXPECT_EQ(run(layers, whole), row_extremes(whole, k, l, Extreme::maximum));
      }
    }
  }
}

TEST(RowMaximum, HasTwiceTheLogarithmOfLayersEveryOtherOneRelu) {
  for (std::size_t l = 1; l <= 33; ++l) {
    const Layers layers = row_maximum(3, l);
    EXPECT_EQ(layers.size(), 2 * log2_ceiling(l)) << l;
    for (std::size_t i = 0; i < layers.size(); ++i) EXPECT_EQ(layers[i].relu, i % 2 == 0);
  }
}

// The paper's proposition gives at most 2 n hidden units for n = k l numbers, and its proof three
// for each pair: these are 3 k (l - 1), which is more from l = 4 on.
TEST(RowMaximum, ThePapersConstructionHasMoreThanTwoUnitsPerNumber) {
  for (const std::size_t k : {1, 2, 7}) {
    EXPECT_EQ(relu_units(row_maximum(k, 1)), 0u);
    EXPECT_EQ(relu_units(row_maximum(k, 2)), 3 * k);  // within 4 k
    EXPECT_EQ(relu_units(row_maximum(k, 4)), 9 * k);  // above 8 k
    EXPECT_EQ(relu_units(row_maximum(k, 8)), 21 * k);
    EXPECT_EQ(relu_units(row_maximum(k, 16)), 45 * k);
    for (std::size_t l = 2; l <= 64; l *= 2) {
      const std::size_t units = relu_units(row_maximum(k, l));
      EXPECT_EQ(units, 3 * k * (l - 1));
      EXPECT_EQ(units > 2 * k * l, l >= 4);
    }
  }
}

TEST(RowMaximum, ParametersAreWithinThePapersOrder) {
  for (std::size_t l = 2; l <= 40; ++l) {
    const double order = static_cast<double>(l * l) * std::log2(static_cast<double>(l));
    const Layers one = row_maximum(1, l);
    EXPECT_LE(static_cast<double>(parameters(one)), 4 * order) << l;
    // Those that are not zero are linear: 7 for each pair, 4 for a number that is carried over.
    EXPECT_LE(used_parameters(one), 7 * (l - 1) + 4 * log2_ceiling(l)) << l;
    EXPECT_EQ(used_parameters(row_maximum(6, l)), 6 * used_parameters(one));
  }
  EXPECT_EQ(used_parameters(row_maximum(1, 16)), 7 * 15u);
}

TEST(RowExtreme, EqualsTheExtremeOfEachRowOfNonNegativeNumbers) {
  Rng rng(4);
  for (const Extreme extreme : {Extreme::maximum, Extreme::minimum}) {
    for (std::size_t l = 1; l <= 17; ++l) {
      for (const std::size_t k : {1, 2, 5}) {
        const Layers layers = row_extreme(k, l, extreme);
        const Numbers real = uniform_numbers(rng, k * l, 0, 4);
        EXPECT_TRUE(same_numbers(run(layers, real), row_extremes(real, k, l, extreme), 1e-14));
        const Numbers whole = whole_numbers(rng, k * l, 0, 9);
        EXPECT_EQ(run(layers, whole), row_extremes(whole, k, l, extreme));
      }
    }
  }
}

TEST(RowExtreme, HasTheWidthsOfHalvings) {
  for (std::size_t l = 1; l <= 33; ++l) {
    const auto widths = network::halvings(l);
    const Layers layers = row_extreme(3, l, Extreme::minimum);
    ASSERT_EQ(layers.size(), widths.size() + 1) << l;
    EXPECT_EQ(widths.size(), log2_ceiling(l));
    for (std::size_t i = 0; i < widths.size(); ++i) {
      EXPECT_TRUE(layers[i].relu);
      EXPECT_EQ(layers[i].out, 3 * widths[i]);
    }
    EXPECT_FALSE(layers.back().relu);
    EXPECT_EQ(layers.back().out, 3u);
    EXPECT_EQ(layers.front().in, 3 * l);
  }
}

TEST(RowExtreme, HasAtMostTwoUnitsPerNumberWhereThePaperSaysSo) {
  for (const Extreme extreme : {Extreme::maximum, Extreme::minimum}) {
    for (const std::size_t k : {1, 4}) {
      for (std::size_t l = 2; l <= 64; l *= 2) {
        EXPECT_EQ(relu_units(row_extreme(k, l, extreme)), 2 * k * (l - 1));
      }
      // Numbers that are carried over cost one unit each.
      for (std::size_t l = 1; l <= 65; ++l) {
        EXPECT_LE(relu_units(row_extreme(k, l, extreme)), k * (2 * (l - 1) + log2_ceiling(l)));
      }
    }
  }
}

// ---- Proposition 3 ----

TEST(SumThroughMax, EqualsTheSumOfTheRows) {
  Rng rng(5);
  for (int round = 0; round < 50; ++round) {
    const std::size_t k = 1 + rng.below(6), l = 1 + rng.below(6);
    const auto x = non_negative_rows(rng, k, l);
    Numbers want(l);
    for (const auto& row : x) {
      for (std::size_t j = 0; j < l; ++j) want[j] += row[j];
    }
    const auto sum = sum_through_max(k, l);
    EXPECT_TRUE(same_numbers(run(sum.q, largest_of(x, sum.w)), want, 1e-14));
    EXPECT_EQ(sum.w.values.size(), k * l * k * l);  // W of the paper
    EXPECT_EQ(sum.q.weight.size(), l * k * l);      // Q of the paper
    EXPECT_FALSE(sum.q.relu);
  }
}

TEST(SumOfOthers, LeavesOneRowOut) {
  Rng rng(6);
  for (int round = 0; round < 50; ++round) {
    const std::size_t k = 1 + rng.below(6), l = 1 + rng.below(6);
    const auto x = non_negative_rows(rng, k, l);
    const Matrices q = sum_of_others(k, l);
    for (std::size_t i = 0; i < k; ++i) {
      Numbers want(l);
      for (std::size_t other = 0; other < k; ++other) {
        for (std::size_t j = 0; j < l && other != i; ++j) want[j] += x[other][j];
      }
      EXPECT_TRUE(same_numbers(times(joined(x), q, i), want, 1e-14));
    }
  }
}

TEST(SumOfOthers, LosesNothingBesideALargeNumber) {
  const Numbers all{1e17, 1, 2};
  EXPECT_EQ(times(all, sum_of_others(3, 1), 0), Numbers{3});  // a difference of sums gives 0
}

// ---- Propositions 4 and 5 ----

struct Step {
  std::size_t states, terms, count;  // count: positions or slots
  std::vector<Numbers> phi;          // by edge: terms x states

  Step(Rng& rng, std::size_t most) {
    states = 1 + rng.below(most);
    terms = 1 + rng.below(most);
    count = 1 + rng.below(5);
    for (std::size_t e = 0; e < count; ++e) {
      phi.push_back(uniform_numbers(rng, terms * states, 0, 3));
    }
  }
};

TEST(VariableToFactor, IsOneStepOfTheDecomposedEquations) {
  Rng rng(7);
  for (int round = 0; round < 60; ++round) {
    const Step s(rng, 9);
    // A factor of fewer variables leaves the last places empty.
    const std::size_t edges = 1 + rng.below(s.count);
    std::vector<Numbers> n, found;
    const auto layer = variable_to_factor(s.states, s.terms, s.count);
    for (std::size_t e = 0; e < edges; ++e) {
      n.push_back(uniform_numbers(rng, s.states, 0, 3));
      found.push_back(run(layer.over_states, joined({n[e], s.phi[e]})));
    }
    const Numbers at_factor = largest_of(found, layer.place);
    for (std::size_t i = 0; i < edges; ++i) {
      Numbers want(s.terms);
      for (std::size_t j = 0; j < edges; ++j) {
        for (std::size_t z = 0; z < s.terms && j != i; ++z) {
          double least = kInfinity;
          for (std::size_t x = 0; x < s.states; ++x) {
            least = std::min(least, n[j][x] + s.phi[j][z * s.states + x]);
          }
          want[z] += least;
        }
      }
      EXPECT_TRUE(same_numbers(times(at_factor, layer.other_positions, i), want, 1e-13));
    }
  }
}

TEST(FactorToVariable, IsOneStepOfTheDecomposedEquations) {
  Rng rng(8);
  for (int round = 0; round < 60; ++round) {
    const Step s(rng, 9);
    const std::size_t edges = 1 + rng.below(s.count);  // variables of lower degree
    std::vector<Numbers> m, found;
    const auto layer = factor_to_variable(s.states, s.terms, s.count);
    for (std::size_t e = 0; e < edges; ++e) {
      const Numbers b = uniform_numbers(rng, s.terms, 0, 3);
      found.push_back(run(layer.over_terms, joined({b, s.phi[e]})));
      m.emplace_back(s.states, kInfinity);
      for (std::size_t x = 0; x < s.states; ++x) {
        for (std::size_t z = 0; z < s.terms; ++z) {
          m[e][x] = std::min(m[e][x], b[z] + s.phi[e][z * s.states + x]);
        }
      }
      EXPECT_TRUE(same_numbers(found[e], m[e], 1e-13));
    }
    const Numbers at_variable = largest_of(found, layer.slot);
    for (std::size_t i = 0; i < edges; ++i) {
      Numbers want(s.states);
      for (std::size_t j = 0; j < edges; ++j) {
        for (std::size_t x = 0; x < s.states && j != i; ++x) want[x] += m[j][x];
      }
      EXPECT_TRUE(same_numbers(times(at_variable, layer.other_slots, i), want, 1e-13));
    }
  }
}

// Proposition 4 says O(|X| |Z|) parameters of a layer and O(log |X|) layers of O(|X|^2 log |X|)
// units, for each term; a variable of one state needs none.
TEST(VariableToFactor, SizesAreWithinThePapersOrder) {
  for (const std::size_t states : {1, 2, 3, 4, 5, 8, 9, 16}) {
    for (const std::size_t terms : {1, 2, 7}) {
      for (const std::size_t positions : {1, 2, 5}) {
        const auto layer = variable_to_factor(states, terms, positions);
        const std::size_t log = log2_ceiling(states);
        EXPECT_EQ(layer.over_states.size(), log + 1);
        EXPECT_LE(used_parameters(layer.over_states), terms * (6 * states + 3 * log + 2));
        EXPECT_LE(relu_units(layer.over_states), 2 * terms * states * states * log);
        EXPECT_EQ(used(layer.place), positions * terms);
        EXPECT_EQ(used(layer.other_positions), positions * (positions - 1) * terms);
      }
    }
  }
}

// Proposition 5 says O(log |Z|) layers of O(|Z|^2 log |Z|) parameters, for each state, and a linear
// one of O(|c|^2 |X|^2).
TEST(FactorToVariable, SizesAreWithinThePapersOrder) {
  for (const std::size_t states : {1, 2, 3, 7}) {
    for (const std::size_t terms : {1, 2, 3, 4, 5, 8, 9, 16}) {
      for (const std::size_t slots : {1, 2, 5}) {
        const auto layer = factor_to_variable(states, terms, slots);
        const std::size_t log = log2_ceiling(terms);
        EXPECT_EQ(layer.over_terms.size(), log + 1);
        EXPECT_LE(used_parameters(layer.over_terms), states * (6 * terms + 3 * log + 2));
        if (terms > 1) {
          EXPECT_LE(used_parameters(layer.over_terms), 4 * states * terms * terms * log);
        }
        EXPECT_EQ(used(layer.slot), slots * states);
        EXPECT_EQ(used(layer.other_slots), slots * (slots - 1) * states);
        EXPECT_LE(used(layer.other_slots), slots * slots * states * states);
      }
    }
  }
}

// ---- excess ----

TEST(Excess, IsTheDistanceFromTheBestClamped) {
  Rng rng(9);
  int clamped = 0;
  for (int round = 0; round < 80; ++round) {
    const std::size_t states = 1 + rng.below(7), inputs = 1 + rng.below(3);
    const bool of_scores = rng.below(2) == 1, whole = rng.below(2) == 1;
    const double ceiling = 3 + static_cast<double>(rng.below(3));
    const Excess e = excess(states, inputs, ceiling, of_scores);
    const Numbers x = whole ? whole_numbers(rng, inputs * states, -5, 5)
                            : normal_numbers<double>(rng, inputs * states, 2);
    Numbers sum(states);
    for (std::size_t i = 0; i < x.size(); ++i) sum[i % states] += of_scores ? -x[i] : x[i];
    const double least = *std::min_element(sum.begin(), sum.end());
    for (double& y : sum) {
      clamped += y - least > ceiling;
      y = std::min(y - least, ceiling);
    }
    const Numbers got = run(e.clamp, run(e.above, run(e.largest, run(e.difference, x))));
    EXPECT_TRUE(same_numbers(got, sum, whole ? 0 : 1e-13));
  }
  EXPECT_GT(clamped, 20);
}

// ---- non-negative potentials ----

std::set<std::vector<State>> best_assignments(const FactorGraph& graph) {
  std::set<std::vector<State>> best;
  double top = kForbidden;
  std::vector<State> x(graph.num_variables(), 0);
  do {
    const double score = graph.score(x);
    if (score > top) best.clear();
    top = std::max(top, score);
    if (score == top) best.insert(x);
  } while (next_configuration(graph.states(), x));
  return best;
}

TEST(NonNegative, KeepsTheBestAssignmentsAndSubtractsTheLeast) {
  Rng rng(10);
  int ties = 0;
  for (int round = 0; round < 40; ++round) {
    const FactorGraph graph = testing::finite_graph(
        rng, {.variables = 1 + rng.below(6), .factors = rng.below(6), .whole = true});
    const FactorGraph lifted = non_negative(graph);
    const auto best = best_assignments(graph);
    EXPECT_EQ(best_assignments(lifted), best);
    ties += best.size() > 1;
    EXPECT_TRUE(lifted.same_structure(graph));
    for (VariableId v = 0; v < graph.num_variables(); ++v) {
      const auto unary = lifted.unary(v);
      EXPECT_EQ(*std::min_element(unary.begin(), unary.end()), 0);
      EXPECT_EQ(lifted.name(v), graph.name(v));
    }
    for (FactorId c = 0; c < graph.num_factors(); ++c) {
      const auto values = expand(lifted, c).values();
      EXPECT_EQ(*std::min_element(values.begin(), values.end()), 0);
    }
  }
  EXPECT_GT(ties, 5);
}

TEST(NonNegative, NamesWhatForbidsAState) {
  GraphBuilder b;
  const auto x = b.variables("x", 3, 2);
  b.factor({x[0], x[1]}, Table({2, 2}, {0, 1, 2, 3}));
  b.factor({x[1], x[2]}, Parity(true));
  const FactorGraph graph = std::move(b).build();
  expect_error(ErrorCode::unsupported, graph.describe(1) + ": forbids a state",
               [&] { non_negative(graph); });
  expect_error(ErrorCode::unsupported, "x[2]: forbids a state",
               [&] { non_negative(graph.given(Evidence().fix(x[2], 0))); });
}

}  // namespace
}  // namespace fgnn::neuralize
